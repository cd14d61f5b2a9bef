import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An IPv4 or IPv6 address.
struct IPAddress: Hashable, CustomStringConvertible {
    /// The four or sixteen bytes of the address.
    let bytes: [UInt8]
    /// The address as text.
    let description: String

    /// Parses an address without brackets; `nil` for a name.
    init?(_ text: String) {
        guard let address = try? SocketAddress(ipAddress: text, port: 0) else { return nil }
        self.init(address)
    }

    init?(_ address: SocketAddress) {
        guard let text = address.ipAddress else { return nil }
        switch address {
        case .v4(let address):
            bytes = withUnsafeBytes(of: address.address.sin_addr) { Array($0) }
        case .v6(let address):
            bytes = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
        case .unixDomainSocket: return nil
        }
        description = text
    }
}

/// A range of addresses with a common prefix, such as `10.0.0.0/8`, for one port or all.
package struct AddressRange: Hashable, Sendable, CustomStringConvertible {
    private let bytes: [UInt8]
    private let bits: Int
    /// The only port; `nil` for all ports.
    let port: Int?
    package let description: String

    /// Parses an address, or an address and a number of bits, optionally followed by a colon and a port. With a port,
    /// an IPv6 address is in brackets. `nil` for any other text, and if a bit beyond the prefix is set.
    package init?(_ text: String) {
        guard let (range, port) = Self.split(text) else { return nil }
        let parts = range.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        // Proof: a split that keeps empty parts gives one at least.
        guard let address = IPAddress(String(parts[0])) else { return nil }
        let all = address.bytes.count * 8
        guard parts.count == 1 || parts[1].allSatisfy(\.isASCII),
            let bits = parts.count == 1 ? all : Int(parts[1]), (0...all).contains(bits)
        else { return nil }
        self.bits = bits
        self.port = port
        bytes = address.bytes
        description = text
        guard Self.prefix(bytes, bits) == bytes else { return nil }
    }

    /// Splits a text into the range and the port after it; `nil` if the port is malformed.
    private static func split(_ text: String) -> (range: Substring, port: Int?)? {
        guard let colon = text.lastIndex(of: ":") else { return (text[...], nil) }
        var range = text[..<colon]
        let isBracketed = range.hasPrefix("[") && range.hasSuffix("]")
        // An IPv6 address has colons of its own.
        guard isBracketed || !range.contains(":") else { return (text[...], nil) }
        if isBracketed { range = range.dropFirst().dropLast() }
        let digits = text[text.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits),
            (1...65_535).contains(port)
        else { return nil }
        return (range, port)
    }

    func contains(_ address: IPAddress) -> Bool {
        address.bytes.count == bytes.count && Self.prefix(address.bytes, bits) == bytes
    }

    private static func prefix(_ bytes: [UInt8], _ bits: Int) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            let kept = min(8, max(0, bits - 8 * index))
            return kept == 0 ? 0 : byte & (0xFF << (8 - kept))
        }
    }
}

/// The rules for callable addresses: those of the public internet, and those that the operator has named.
struct AddressRules {
    /// The ranges that the operator has named.
    let allowed: [AddressRange]

    func allows(_ address: IPAddress, port: Int) -> Bool {
        allowed.contains { $0.contains(address) && ($0.port ?? port) == port }
            || !Self.refused.contains { $0.contains(address) }
    }

    /// Ranges outside the public internet, and ranges that lead to them indirectly (RFC 6890 and its registries).
    private static let refused = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
        "::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23",
        "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
    ].map { text in
        // Proof: the texts stand above; the first call of any test reads them all.
        guard let range = AddressRange(text) else { preconditionFailure("\(text) is a range") }
        return range
    }

    static func isLoopback(_ address: IPAddress) -> Bool { loopback.contains { $0.contains(address) } }

    private static let loopback = ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) }

    /// Returns true if an address leads to this machine. Such addresses are loopback, the unspecified address
    /// (connect(2) takes it for loopback), and the IPv6 forms of both.
    static func isLocal(_ address: IPAddress) -> Bool { local.contains { $0.contains(address) } }

    private static let local = ["127.0.0.0/8", "0.0.0.0", "::/127", "::ffff:127.0.0.0/104", "::ffff:0.0.0.0"]
        .compactMap { AddressRange($0) }
}
