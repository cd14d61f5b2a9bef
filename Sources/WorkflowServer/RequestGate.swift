package import HTTPTypes
package import WorkflowAPI

/// Decides from a request's head whether anything else looks at it.
///
/// It stands in front of the router and of `SendHandler`: no route is without it.
package struct RequestGate: Sendable {
    /// Of TCP; nil on a unix socket, which no web page reaches.
    private let hosts: AllowedHosts?

    package init(hosts: AllowedHosts?) {
        self.hosts = hosts
    }

    /// Why a request is refused; nil when it may go on.
    package func refusal(of request: HTTPRequest) -> Problem? {
        guard let hosts else { return nil }
        return Self.wrongHost(of: request, hosts) ?? Self.crossSite(request, hosts)
    }

    private static func wrongHost(of request: HTTPRequest, _ hosts: AllowedHosts) -> Problem? {
        let cause: String
        switch request.authority {
        case nil: cause = "The request has no Host"
        // The first of several is the authority, the others stay fields.
        case _ where request.headerFields.contains { $0.name == .host }: cause = "The request has more than one Host"
        case let host? where hosts.host(in: host) == nil: cause = "The request is for host '\(host.prefix(100))'"
        default: return nil
        }
        return Problem(
            .wrongHost,
            detail: "\(cause); this address answers for \(hosts.text), and for what 'wfd --allow-host NAME' adds")
    }

    private static func crossSite(_ request: HTTPRequest, _ hosts: AllowedHosts) -> Problem? {
        for field in request.headerFields {
            // Most fields are told apart by the length of their name.
            switch field.name.canonicalName.utf8.count {
            case 6 where field.name == .origin:
                guard let host = request.authority.flatMap({ hosts.host(in: $0) }), isFrom(host, field.value) else {
                    return Problem(
                        .crossSite, detail: "A page of another origin, '\(field.value.prefix(100))', may not use wfd")
                }
            case 14 where field.name == .secFetchSite:
                let sites = field.value.lowercased().split { ", \t".contains($0) }
                if let site = sites.first(where: { $0 == "cross-site" || $0 == "same-site" }) {
                    return Problem(
                        .crossSite, detail: "A page of another origin may not use wfd (Sec-Fetch-Site: \(site))")
                }
            default: break
            }
        }
        return nil
    }

    /// Whether an `Origin` (RFC 6454, 7) is that of pages from the host; the port is not compared.
    private static func isFrom(_ host: HostName, _ origin: String) -> Bool {
        let origin = origin.lowercased()
        for scheme in ["http://", "https://"] where origin.hasPrefix(scheme) {
            return HostName(authority: String(origin.dropFirst(scheme.count))) == host
        }
        return false
    }
}

extension HTTPField.Name {
    fileprivate static let host = known("host")
    fileprivate static let secFetchSite = known("Sec-Fetch-Site")
}
