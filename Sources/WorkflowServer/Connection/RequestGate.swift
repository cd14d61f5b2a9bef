import Foundation
package import HTTPTypes
package import WorkflowAPI
package import WorkflowEngine
import WorkflowStore

/// Identifies the caller of a request, and decides from the request's head whether the request is admitted.
///
/// The gate stands before the router and `SendHandler`: no route is without it.
package struct RequestGate: Sendable {
    /// Decides about a caller who is admitted: returns the caller who asks in the end, or the reason why the route is
    /// refused. The route is `nil` if no route has the path and method.
    package typealias Rule = @Sendable (_ caller: Caller, _ route: Route?) -> Result<Caller, Problem>

    /// The hosts of the address; `nil` accepts every host, and no page.
    private let hosts: AllowedHosts?
    private let access: AccessControl
    /// The last decision about each caller; `nil` for none.
    private let rule: Rule?

    package init(hosts: AllowedHosts?, access: AccessControl, rule: Rule? = nil) {
        self.hosts = hosts
        self.access = access
        self.rule = rule
    }

    /// Returns the caller with its permissions, or the problem with which the request is refused.
    package func admit(
        _ request: HTTPRequest, from peer: Peer, for route: Route?
    ) -> Result<AccessControl.Admission, Problem> {
        var credentials = AccessControl.Credentials()
        if let refusal = refusal(of: request, &credentials) { return .failure(refusal) }
        let admitted = access.admit(credentials, from: peer, for: route)
        guard let rule else { return admitted }
        return admitted.flatMap { admission in
            rule(admission.caller, route).map { caller in
                AccessControl.Admission(
                    caller: caller, identity: admission.identity, stillHolds: admission.stillHolds)
            }
        }
    }

    /// Returns the credentials of a request for a page of the console, or the problem with its head. The page decides
    /// who its caller is.
    func credentials(of request: HTTPRequest) -> Result<AccessControl.Credentials, Problem> {
        var credentials = AccessControl.Credentials()
        if let refusal = refusal(of: request, &credentials) { return .failure(refusal) }
        return .success(credentials)
    }

    /// Counts a request without valid credentials.
    func failed(from peer: Peer) { access.failed(from: peer) }

    /// Collects the caller's credentials, and returns the problem with a head, whoever the caller is; `nil` if there is
    /// none.
    private func refusal(of request: HTTPRequest, _ credentials: inout AccessControl.Credentials) -> Problem? {
        if let problem = request.unreadable { return problem }
        if Self.hasEmptySegment(request.path) {
            return Problem(.routeNotFound, detail: "There is no route \(request.route): a segment of its path is empty")
        }
        if let hosts, let refusal = Self.wrongHost(of: request, hosts) { return refusal }
        for field in request.headerFields {
            if let refusal = refusal(of: field, in: request, &credentials) { return refusal }
        }
        return nil
    }

    private func refusal(
        of field: HTTPField, in request: HTTPRequest, _ credentials: inout AccessControl.Credentials
    ) -> Problem? {
        // Nearly all fields are skipped because of the length of their name.
        switch field.name.canonicalName.utf8.count {
        case 6 where field.name == .origin: return Self.foreignOrigin(field.value, request, hosts)
        case 6 where field.name == .expect: return Self.expectation(field.value)
        case 12 where field.name == .contentType: return Self.charset(field.value)
        case 13 where field.name == .authorization: credentials.takeAuthorization(field.value)
        case 14 where field.name == .secFetchSite: return Self.foreignSite(field.value)
        case 16 where field.name == .contentEncoding: return Self.contentEncoding(field.value)
        case 16 where field.name == .onBehalfOf: credentials.takePerson(field.value)
        case 17 where field.name == .transferEncoding: return Self.transferEncoding(field.value)
        case 20 where field.name == .forwardedCaller: credentials.takeForwarded(field.value)
        default: break
        }
        return nil
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
    static let secFetchSite = known("Sec-Fetch-Site")
    fileprivate static let onBehalfOf = known("Wfd-On-Behalf-Of")
}

extension AccessControl.Credentials {
    /// Collects the fields of a request that concern its caller.
    init(of request: HTTPRequest) {
        for field in request.headerFields {
            if field.name == .authorization { takeAuthorization(field.value) }
            if field.name == .onBehalfOf { takePerson(field.value) }
            if field.name == .forwardedCaller { takeForwarded(field.value) }
        }
    }

    fileprivate mutating func takeAuthorization(_ value: String) {
        if authorization != nil { areRepeated = true }
        authorization = value
    }

    fileprivate mutating func takeForwarded(_ value: String) {
        if forwarded != nil { isForwardedRepeated = true }
        forwarded = value
    }

    fileprivate mutating func takePerson(_ value: String) {
        if person != nil { isPersonRepeated = true }
        person = value
    }
}
