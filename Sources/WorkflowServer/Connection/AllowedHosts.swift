import Foundation

/// The hosts that requests over TCP may be for.
///
/// A web page reaches a daemon on loopback under any name that it makes resolve to it (DNS rebinding); the browser then
/// says that name as `Host`.
package struct AllowedHosts: Sendable, Equatable {
    private let names: Set<String>

    /// - Parameters:
    ///   - address: The host that is listened on, without brackets.
    ///   - others: Names that `HostName` has read.
    package init(listeningOn address: String, others: [HostName] = []) {
        let own = HostName(address.contains(":") ? "[\(address)]" : address)
        names = Set(([own, HostName("localhost")].compactMap(\.self) + others).map(\.text))
    }

    /// The host of a `Host` field when it is one of them; nil for every other, and for what is no host.
    func host(in authority: String) -> HostName? {
        guard let host = HostName(authority: authority), names.contains(host.text) else { return nil }
        return host
    }

    /// For messages, in alphabetical order.
    var text: String { names.sorted().joined(separator: ", ") }
}

/// A host as a name or an address, in the one form in which it is compared.
package struct HostName: Hashable, Sendable {
    /// In lower case; an IPv6 address in brackets and in its shortest form.
    package let text: String

    /// Reads a host without a port, such as `wfd.example`, `127.0.0.1` or `[::1]`; nil for what is none.
    package init?(_ text: String) {
        if text.hasPrefix("["), text.hasSuffix("]") {
            guard let address = Self.shortest(String(text.dropFirst().dropLast())) else { return nil }
            self.text = "[\(address)]"
            return
        }
        // A dot at the end says that the name is whole, and changes nothing.
        let name = text.hasSuffix(".") ? text.dropLast() : text[...]
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.text = name.lowercased()
    }

    /// Reads `HOST` or `HOST:PORT` (RFC 9110, 7.2). The port is not kept: behind a proxy or a tunnel it is another one.
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
