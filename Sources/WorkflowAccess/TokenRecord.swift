package import WorkflowAPI
import WorkflowJSON
import WorkflowStore

/// A token as the file keeps it, without its secret.
package struct TokenRecord: Equatable, WireRecord {
    package let name: String
    /// The identifier, which stands in the token itself.
    package let id: String
    package let roles: [Role]
    /// The queues whose tasks the token may take; `nil` for all.
    package let queues: [String]?
    /// True if the token may name the person for whom it asks.
    package let speaksFor: Bool
    package let created: WireTime
    /// The actor who created the token, if known.
    package let createdBy: String?
    /// The end of the token; `nil` for no end.
    package let expires: WireTime?
    /// The digest of the present secret.
    var secret: SecretDigest
    /// The digest of the secret before the last rotation; `nil` if only the present secret is accepted.
    var former: SecretDigest?
    /// The end of that secret.
    package internal(set) var overlap: WireTime?

    init(_ request: CreateTokenRequest, _ token: AccessToken, until expires: WireTime?, at now: WireTime, by: String?) {
        name = request.name
        id = token.id
        roles = Role.allCases.filter(request.roles.contains)
        queues = request.queues
        speaksFor = request.speaksFor ?? false
        created = now
        createdBy = by
        self.expires = expires
        secret = token.digest
    }

    package init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        name = try fields.required("name", \.name)
        id = try fields.required("id", \.id)
        roles = try fields.required("roles", \.roles)
        queues = try fields.optional("queues", \.queues)
        speaksFor = try fields.required("speaksFor", \.speaksFor)
        created = try fields.required("createdAt", \.created)
        createdBy = try fields.optional("createdBy", \.createdBy)
        expires = try fields.optional("expiresAt", \.expires)
        secret = try fields.required("secret", \.secret)
        former = try fields.optional("former", \.former)
        overlap = try fields.optional("overlapUntil", \.overlap)
    }

    package func check() throws(WireError) {
        guard TokenRule.message(forName: name) == nil, AccessToken.isID(id), !roles.isEmpty,
            queues?.allSatisfy(TokenRule.isQueue) ?? true, (former == nil) == (overlap == nil)
        else { throw WireError(.invalidValue, path: "tokens", message: "The token '\(name.prefix(64))' is not valid") }
    }

    /// Returns the time from which on a token with a secret is not accepted: `.some(nil)` for never, and `nil` if the
    /// token is not this one or has ended.
    func end(of digest: SecretDigest, at now: WireTime) -> WireTime?? {
        let isFormer = former?.equals(digest) ?? false
        guard secret.equals(digest) || isFormer else { return nil }
        let ends = [expires, isFormer ? overlap : nil].compactMap(\.self)
        return ends.allSatisfy { now < $0 } ? .some(ends.min()) : nil
    }

    /// The most milliseconds before its end from which a token ends soon: 14 days.
    package static let nearEnd: Int64 = 14 * 86_400_000
    /// The part of a token's life from which it ends soon: a token for an hour does from 6 minutes before its end.
    private static let lastPart: Int64 = 10

    /// Returns the distance of the token's end.
    package func expiry(at now: WireTime) -> TokenItem.Expiry? {
        guard let expires else { return nil }
        if expires <= now { return .expired }
        let near = min(Self.nearEnd, (expires.milliseconds - created.milliseconds) / Self.lastPart)
        return expires.milliseconds - now.milliseconds <= near ? .soon : nil
    }

    /// Returns the token as callers see it.
    package func item(_ token: AccessToken? = nil, at now: WireTime) -> TokenItem {
        TokenItem(
            name: name, id: id, roles: roles, queues: queues, speaksFor: speaksFor ? true : nil, createdAt: created,
            createdBy: createdBy, expiresAt: expires, expiry: expiry(at: now),
            overlapUntil: overlap.flatMap { now < $0 ? $0 : nil }, token: token?.text)
    }
}

/// The SHA-256 digest of a token's secret, in 64 hexadecimal digits.
///
/// A secret of 256 random bits needs no salt and no slow function.
struct SecretDigest: Equatable, WireValue {
    private let text: String

    init(of secret: String) { text = Digest(of: secret.utf8).text }

    private init(text: String) { self.text = text }

    /// Compares two digests in a time that does not depend on where they differ.
    func equals(_ other: SecretDigest) -> Bool {
        zip(text.utf8, other.text.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    static func read(_ json: JSONValue, at place: WirePlace) throws(WireError) -> SecretDigest {
        let text = try String.read(json, at: place)
        guard text.utf8.count == 64, text.utf8.allSatisfy("0123456789abcdef".utf8.contains) else {
            throw WireError(.invalidValue, path: place.path, message: "Field '\(place.path)' must be a digest")
        }
        return SecretDigest(text: text)
    }

    func write(to writer: inout JSONWriter) { writer.string(text) }
}
