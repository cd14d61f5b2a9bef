/// The destination of an HTTP request: scheme, host and port.
package struct HTTPOrigin: Hashable, Sendable {
    /// True for https.
    package let isSecure: Bool
    /// The host in lower case; an IPv6 address is in brackets.
    package let host: String
    package let port: Int

    /// Reads the part of a URL between `://` and the path.
    ///
    /// - Complexity: O(n).
    init(isSecure: Bool, authority bytes: [UInt8]) throws(URLMistake) {
        guard !bytes.contains(UInt8(ascii: "@")) else { throw .user }
        let colon = bytes.lastIndex(of: UInt8(ascii: ":"))
        let isBracketed = bytes.first == UInt8(ascii: "[")
        // The last colon in brackets is part of the address.
        let end = isBracketed ? bytes.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 } : colon
        let name = bytes[..<(end ?? bytes.count)]
        let rest = bytes[name.endIndex...]
        guard isBracketed ? Self.isAddress(name) : Self.isName(name) else { throw name.isEmpty ? .noHost : .host }
        self.isSecure = isSecure
        host = String(decoding: name, as: UTF8.self).lowercased()
        guard let first = rest.first else {
            port = isSecure ? 443 : 80
            return
        }
        let digits = rest.dropFirst()
        guard first == UInt8(ascii: ":"), (1...5).contains(digits.count), digits.allSatisfy(\.isDigit),
            let port = Int(String(decoding: digits, as: UTF8.self)), (1...65_535).contains(port)
        else { throw .port }
        self.port = port
    }

    /// The queue of the requests to this origin.
    package var queue: String { "http:\(host):\(port)" }

    /// The origin as written in a URL, without a default port.
    package var text: String {
        let usual = isSecure ? 443 : 80
        return (isSecure ? "https://" : "http://") + host + (port == usual ? "" : ":\(port)")
    }

    /// Returns true for labels of letters, digits, `-` and `_`, none of them empty.
    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard (1...253).contains(bytes.count) else { return false }
        return bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty
                && label.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        }
    }

    /// Returns true for an IPv6 address in brackets without a zone. The address is parsed again when wfd connects.
    private static func isAddress(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.last == UInt8(ascii: "]"), (4...47).contains(bytes.count) else { return false }
        let inner = bytes.dropFirst().dropLast()
        return inner.allSatisfy { $0.isHexDigit || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
            && inner.count { $0 == UInt8(ascii: ":") } >= 2
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
    var isHexDigit: Bool { isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20) }
}
