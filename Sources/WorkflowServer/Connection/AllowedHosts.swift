import Foundation

/// The hosts that requests may name.
///
/// A web page reaches a daemon on loopback under any name that it makes resolve to loopback (DNS rebinding). A web page
/// also reaches a unix socket where `ssh -L` forwards it. The browser then sends the page's name for the daemon as
/// `Host`.
package struct AllowedHosts: Sendable {
    private let names: Set<String>
    private let others: FurtherHosts
    /// Names that stand for a unix socket in URLs. These names are accepted only without a port, because a browser that
    /// reaches a forwarded socket sends a port.
    private let socketNames: Set<String>

    /// True for a unix socket: requests to a socket need no host, and no page comes from there.
    let isOfSocket: Bool

    /// Creates the hosts of a TCP address: the address itself, `localhost`, and the given names.
    ///
    /// - Parameters:
    ///   - address: The host that wfd listens on, without brackets.
    ///   - others: The hosts beside those.
    package init(listeningOn address: String, others: FurtherHosts = FurtherHosts()) {
        let own = HostName(address.contains(":") ? "[\(address)]" : address)
        names = Set([own, HostName("localhost")].compactMap(\.self).map(\.text))
        self.others = others
        socketNames = []
        isOfSocket = false
    }

    /// Creates the hosts of a unix socket: only this machine, and the given names.
    ///
    /// - Parameter others: The hosts beside those.
    package init(ofSocketAnd others: FurtherHosts = FurtherHosts()) {
        names = ["localhost", "127.0.0.1", "[::1]"]
        self.others = others
        socketNames = ["wfd", "unix"]
        isOfSocket = true
    }

    /// Returns the host of a `Host` field if it is allowed; `nil` for every other host, and for text that is not a
    /// host.
    func host(in authority: String) -> HostName? {
        if socketNames.contains(authority) { return HostName(authority) }
        guard let host = HostName(authority: authority) else { return nil }
        return names.contains(host.text) || others.texts.contains(host.text) ? host : nil
    }

    /// The names in alphabetical order, for messages.
    var text: String { names.union(socketNames).union(others.texts).sorted().joined(separator: ", ") }
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
