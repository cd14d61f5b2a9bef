import Foundation
package import HTTPTypes
package import WorkflowAPI
package import WorkflowEngine
import WorkflowStore

/// Identifies the caller of a request, and decides from the request's head whether the request is admitted.
///
/// The gate stands before the router and `SendHandler`: no route is without it.
package struct RequestGate: Sendable {
    /// Decides about a caller that the system identifies: returns the caller who asks in the end, or the reason why the
    /// route is refused. The route is `nil` if no route has the path and method.
    package typealias Rule = @Sendable (_ caller: Caller, _ route: Route?) -> Result<Caller, Problem>

    /// The hosts of the address; `nil` accepts every host, and no page.
    private let hosts: AllowedHosts?
    /// The rule that admits callers; `nil` lets every caller do everything.
    private let rule: Rule?

    package init(hosts: AllowedHosts?, rule: Rule? = nil) {
        self.hosts = hosts
        self.rule = rule
    }

    /// Returns the caller, or the problem with which the request is refused.
    package func admit(_ request: HTTPRequest, from peer: Peer, for route: Route?) -> Result<Caller, Problem> {
        if let refusal = refusal(of: request) { return .failure(refusal) }
        let caller = Caller(peer.actor, namespace: .default, role: .owner)
        return rule?(caller, route) ?? .success(caller)
    }

    /// Returns the problem with a head, whoever the caller is; `nil` if there is none.
    private func refusal(of request: HTTPRequest) -> Problem? {
        if let problem = request.unreadable { return problem }
        if Self.hasEmptySegment(request.path) {
            return Problem(.routeNotFound, detail: "There is no route \(request.route): a segment of its path is empty")
        }
        if let hosts, let refusal = Self.wrongHost(of: request, hosts) { return refusal }
        for field in request.headerFields {
            if let refusal = refusal(of: field, in: request) { return refusal }
        }
        return nil
    }

    private func refusal(of field: HTTPField, in request: HTTPRequest) -> Problem? {
        // Nearly all fields are skipped because of the length of their name.
        switch field.name.canonicalName.utf8.count {
        case 6 where field.name == .origin: Self.foreignOrigin(field.value, request, hosts)
        case 6 where field.name == .expect: Self.expectation(field.value)
        case 12 where field.name == .contentType: Self.charset(field.value)
        case 14 where field.name == .secFetchSite: Self.foreignSite(field.value)
        case 16 where field.name == .contentEncoding: Self.contentEncoding(field.value)
        case 17 where field.name == .transferEncoding: Self.transferEncoding(field.value)
        default: nil
        }
    }

    /// Returns true if a path has two adjacent slashes. The router skips empty segments, so a proxy before wfd that
    /// decides by the path would decide about a different path.
    private static func hasEmptySegment(_ target: String?) -> Bool {
        guard let target else { return false }
        // The target may be a whole URL (RFC 9112, 3.2.2), with two slashes after its scheme.
        let path = target.utf8.first == UInt8(ascii: "/") ? target[...] : target.drop { $0 != "/" }.dropFirst(2)
        var last: UInt8?
        for byte in path.utf8 {
            if byte == UInt8(ascii: "?") { return false }
            if byte == UInt8(ascii: "/"), last == byte { return true }
            last = byte
        }
        return false
    }

    private static func wrongHost(of request: HTTPRequest, _ hosts: AllowedHosts) -> Problem? {
        let cause: String
        switch request.authority {
        case nil where hosts.isOfSocket, "" where hosts.isOfSocket: return nil
        case nil: cause = "The request has no Host"
        // The first of several hosts is the authority; the others remain fields.
        case _ where request.headerFields.contains { $0.name == .host }: cause = "The request has more than one Host"
        case let host? where hosts.host(in: host) == nil: cause = "The request is for host '\(host.prefix(100))'"
        default: return nil
        }
        return Problem(
            .wrongHost,
            detail: "\(cause); this address answers for \(hosts.text), and for what 'wfd --allow-host NAME' adds")
    }

    private static func foreignOrigin(_ origin: String, _ request: HTTPRequest, _ hosts: AllowedHosts?) -> Problem? {
        // A unix socket has no name that a page could come from.
        if let hosts, !hosts.isOfSocket, let host = request.authority.flatMap(hosts.host(in:)), isFrom(host, origin) {
            return nil
        }
        return Problem(.crossSite, detail: "A page of another origin, '\(origin.prefix(100))', may not use wfd")
    }

    private static func foreignSite(_ value: String) -> Problem? {
        let sites = value.lowercased().split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
        guard let site = sites.first(where: { $0 != "same-origin" && $0 != "none" }) else { return nil }
        return Problem(
            .crossSite, detail: "A page of another origin may not use wfd (Sec-Fetch-Site: \(site.prefix(100)))")
    }

    /// Returns true if an `Origin` (RFC 6454, 7) is the origin of pages from the host. Ports are not compared.
    private static func isFrom(_ host: HostName, _ origin: String) -> Bool {
        let origin = origin.lowercased()
        for scheme in ["http://", "https://"] where origin.hasPrefix(scheme) {
            return HostName(authority: String(origin.dropFirst(scheme.count))) == host
        }
        return false
    }
}

// Refuses properties of the body that wfd would otherwise ignore.
extension RequestGate {
    private static func contentEncoding(_ value: String) -> Problem? {
        if ["identity", ""].contains(value.lowercased()) { return nil }
        return Problem(
            .unsupportedMediaType,
            detail: "The request has Content-Encoding '\(value.prefix(100))'; wfd takes bodies as they are")
    }

    private static func charset(_ mediaType: String) -> Problem? {
        for parameter in mediaType.split(separator: ";").dropFirst() {
            let words = parameter.split(separator: "=", maxSplits: 1)
                .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            guard words.count == 2, words[0] == "charset" else { continue }  // Proof: there are two
            let charset = words[1].trimmingCharacters(in: ["\""])
            if ["utf-8", "utf8", "us-ascii"].contains(charset) { continue }
            return Problem(
                .unsupportedMediaType, detail: "The request has charset '\(charset.prefix(100))'; wfd takes UTF-8")
        }
        return nil
    }

    private static func transferEncoding(_ value: String) -> Problem? {
        if value.lowercased() == "chunked" { return nil }
        return Problem(
            .notImplemented,
            detail: "The request has Transfer-Encoding '\(value.prefix(100))'; wfd knows 'chunked' alone")
    }

    private static func expectation(_ value: String) -> Problem? {
        if value.lowercased() == "100-continue" { return nil }
        return Problem(
            .expectationFailed,
            detail: "The request expects '\(value.prefix(100))'; wfd knows '100-continue' alone")
    }
}

extension HTTPField.Name {
    fileprivate static let host = known("host")
    fileprivate static let secFetchSite = known("Sec-Fetch-Site")
}

/// The hosts that requests may name.
///
/// A web page reaches a daemon on loopback under any name that it makes resolve to loopback (DNS rebinding). A web page
/// also reaches a unix socket where `ssh -L` forwards it. The browser then sends the page's name for the daemon as
/// `Host`.
package struct AllowedHosts: Sendable, Equatable {
    private let names: Set<String>
    /// Names that stand for a unix socket in URLs. These names are accepted only without a port, because a browser that
    /// reaches a forwarded socket sends a port.
    private let socketNames: Set<String>

    /// True for a unix socket: requests to a socket need no host, and no page comes from there.
    let isOfSocket: Bool

    /// Creates the hosts of a TCP address: the address itself, `localhost`, and the given names.
    ///
    /// - Parameters:
    ///   - address: The host that wfd listens on, without brackets.
    ///   - others: Names that `HostName` has read.
    package init(listeningOn address: String, others: [HostName] = []) {
        let own = HostName(address.contains(":") ? "[\(address)]" : address)
        names = Set(([own, HostName("localhost")].compactMap(\.self) + others).map(\.text))
        socketNames = []
        isOfSocket = false
    }

    /// Creates the hosts of a unix socket: only this machine, and the given names.
    ///
    /// - Parameter others: Names that `HostName` has read.
    package init(ofSocketAnd others: [HostName] = []) {
        names = Set(["localhost", "127.0.0.1", "[::1]"] + others.map(\.text))
        socketNames = ["wfd", "unix"]
        isOfSocket = true
    }

    /// Returns the host of a `Host` field if it is allowed; `nil` for every other host, and for text that is not a
    /// host.
    func host(in authority: String) -> HostName? {
        if socketNames.contains(authority) { return HostName(authority) }
        guard let host = HostName(authority: authority), names.contains(host.text) else { return nil }
        return host
    }

    /// The names in alphabetical order, for messages.
    var text: String { names.union(socketNames).sorted().joined(separator: ", ") }
}

/// A host as a name or an address, in the one form in which hosts are compared.
package struct HostName: Hashable, Sendable {
    /// The host in lower case; an IPv6 address is in brackets and in its shortest form.
    package let text: String

    /// Parses a host without a port, such as `wfd.example`, `127.0.0.1` or `[::1]`; `nil` if the text is not a host.
    package init?(_ text: String) {
        if text.hasPrefix("["), text.hasSuffix("]") {
            guard let address = Self.shortest(String(text.dropFirst().dropLast())) else { return nil }
            self.text = "[\(address)]"
            return
        }
        // A dot at the end marks a complete name, and changes nothing.
        let name = text.hasSuffix(".") ? text.dropLast() : text[...]
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.text = name.lowercased()
    }

    /// Parses `HOST` or `HOST:PORT` (RFC 9110, 7.2). The port is discarded, because it is different behind a proxy or a
    /// tunnel.
    init?(authority: String) {
        var host = authority[...]
        if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
            guard authority[authority.index(after: colon)...].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
            host = authority[..<colon]
        }
        self.init(String(host))
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        let character = Character(Unicode.Scalar(byte))
        return character.isASCII && (character.isLetter || character.isNumber || "-._".contains(character))
    }

    private static func shortest(_ address: String) -> String? {
        var parsed = in6_addr()
        guard inet_pton(AF_INET6, address, &parsed) == 1 else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, &parsed, &text, socklen_t(text.count)) != nil else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    }
}
