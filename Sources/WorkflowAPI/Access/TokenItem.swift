/// A token, without its secret.
public struct TokenItem: Equatable, WireRecord {
    /// The distance of a token's end.
    public enum Expiry: String, WireWord {
        /// The token is in the last tenth of its life, and ends within 14 days.
        case soon
        /// The token has ended.
        case expired
    }

    /// The token's name; the actor of its requests is `token:NAME`.
    public var name: String
    /// The identifier, which stands in the token itself.
    public var id: String
    /// The roles, whose permissions add up.
    public var roles: [Role]
    /// The queues whose tasks the token may take; a name may end with `*`. `nil` for all queues.
    public var queues: [String]?
    /// True if the token may name the person for whom it asks, in the header `Wfd-On-Behalf-Of`.
    public var speaksFor: Bool?
    /// The time of the creation.
    public var createdAt: WireTime
    /// The caller who created the token, if known.
    public var createdBy: String?
    /// The end of the token; `nil` for no end.
    public var expiresAt: WireTime?
    /// The distance of the end; `nil` if the end is neither soon nor past, or if there is none.
    public var expiry: Expiry?
    /// The end of the secret before the last rotation; `nil` if only the present secret is accepted.
    public var overlapUntil: WireTime?
    /// The token itself, in the answer that creates or rotates it; nobody can read it again.
    public var token: String?

    /// Creates a value from its parts.
    public init(
        name: String, id: String, roles: [Role], queues: [String]? = nil, speaksFor: Bool? = nil,
        createdAt: WireTime, createdBy: String? = nil, expiresAt: WireTime? = nil, expiry: Expiry? = nil,
        overlapUntil: WireTime? = nil, token: String? = nil
    ) {
        self.name = name
        self.id = id
        self.roles = roles
        self.queues = queues
        self.speaksFor = speaksFor
        self.createdAt = createdAt
        self.createdBy = createdBy
        self.expiresAt = expiresAt
        self.expiry = expiry
        self.overlapUntil = overlapUntil
        self.token = token
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        name = try fields.required("name", \.name)
        id = try fields.required("id", \.id)
        roles = try fields.required("roles", \.roles)
        queues = try fields.optional("queues", \.queues)
        speaksFor = try fields.optional("speaksFor", \.speaksFor)
        createdAt = try fields.required("createdAt", \.createdAt)
        createdBy = try fields.optional("createdBy", \.createdBy)
        expiresAt = try fields.optional("expiresAt", \.expiresAt)
        expiry = try fields.optional("expiry", \.expiry)
        overlapUntil = try fields.optional("overlapUntil", \.overlapUntil)
        token = try fields.optional("token", \.token)
    }
}

/// The body of `POST /v1/tokens`.
public struct CreateTokenRequest: Equatable, WireRecord {
    /// The name: 1 to 64 letters, digits, `.`, `_` and `-`, first a letter or a digit.
    public var name: String
    /// At least one role.
    public var roles: [Role]
    /// The queues whose tasks the token may take, such as `stock` or `pack.*`; `nil` for all queues.
    public var queues: [String]?
    /// True to let the token name the person for whom it asks.
    public var speaksFor: Bool?
    /// The time after which the token ends, such as `90d`; `nil` for no end.
    public var expiresIn: String?

    /// Creates a value from its parts.
    public init(
        name: String, roles: [Role], queues: [String]? = nil, speaksFor: Bool? = nil, expiresIn: String? = nil
    ) {
        self.name = name
        self.roles = roles
        self.queues = queues
        self.speaksFor = speaksFor
        self.expiresIn = expiresIn
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        name = try fields.required("name", \.name)
        roles = try fields.required("roles", \.roles)
        queues = try fields.optional("queues", \.queues)
        speaksFor = try fields.optional("speaksFor", \.speaksFor)
        expiresIn = try fields.optional("expiresIn", \.expiresIn)
    }

    public func check() throws(WireError) {
        if let message = TokenRule.message(forName: name) {
            throw WireError(.invalidValue, path: "name", message: message)
        }
        if roles.isEmpty || roles.count > Role.allCases.count {
            throw WireError(.invalidValue, path: "roles", message: "Field 'roles' must have one role or more")
        }
        guard let queues else { return }
        if !roles.contains(.work) {
            throw WireError(
                .invalidValue, path: "queues", message: "Field 'queues' bounds the role 'work', which is missing")
        }
        if queues.isEmpty || queues.count > APILimits.tokenQueues || !queues.allSatisfy(TokenRule.isQueue) {
            throw WireError(
                .invalidValue, path: "queues",
                message: "Field 'queues' must have 1 to \(APILimits.tokenQueues) names of queues of tasks; "
                    + "a name may end with '*'")
        }
    }
}

/// The body of `POST /v1/tokens/NAME/rotate`.
public struct RotateTokenRequest: Equatable, WireRecord {
    /// The time for which the secret before is still accepted, such as `1h`; `nil` ends it at once.
    public var overlap: String?

    /// Creates a value from its parts.
    public init(overlap: String? = nil) {
        self.overlap = overlap
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        overlap = try fields.optional("overlap", \.overlap)
    }
}

/// The rules for the names of tokens, and for the queues that bound them.
public enum TokenRule {
    /// Returns the mistake in a token's name; `nil` if there is none.
    public static func message(forName name: String) -> String? {
        isWord(name, extra: "._-") && name.utf8.count <= APILimits.tokenNameLength && !name.hasPrefix("wfdt_")
            ? nil
            : "A token's name has 1 to \(APILimits.tokenNameLength) letters, digits, '.', '_' and '-', "
                + "first a letter or a digit, and does not begin with 'wfdt_'"
    }

    /// Returns true for the name of a queue of tasks, which may end with `*`.
    public static func isQueue(_ text: String) -> Bool {
        if text == "*" { return true }
        let name = text.hasSuffix("*") ? String(text.dropLast()) : text
        return name.utf8.count <= APILimits.queueNameBytes && isWord(name, extra: "_.-")
    }

    /// Returns true if a queue of tasks is among those that bound a token.
    public static func allows(_ queue: String, within queues: [String]) -> Bool {
        queues.contains { $0.hasSuffix("*") ? queue.hasPrefix($0.dropLast()) : queue == $0 }
    }

    private static func isWord(_ text: String, extra: String) -> Bool {
        guard let first = text.unicodeScalars.first, isPlain(first) || first == "_" && extra.hasPrefix("_") else {
            return false
        }
        return text.unicodeScalars.allSatisfy { isPlain($0) || extra.unicodeScalars.contains($0) }
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": true
        default: false
        }
    }
}
