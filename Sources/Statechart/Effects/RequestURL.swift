/// A URL of a request: http or https, without user info and fragment, with every character as it is sent (RFC 3986).
package struct RequestURL: Hashable, Sendable {
    /// The most bytes of a URL.
    package static let longest = 8 << 10

    package let origin: HTTPOrigin
    /// The path, which begins with `/`, and the query.
    private(set) var target: String

    /// Creates a URL from checked parts.
    init(origin: HTTPOrigin, target: String) throws(URLMistake) {
        self.origin = origin
        self.target = target.utf8.first == UInt8(ascii: "/") ? target : "/" + target
        guard text.utf8.count <= Self.longest else { throw .length }
    }

    /// Reads a complete URL.
    package init(_ text: String) throws(URLMistake) {
        guard text.utf8.count <= Self.longest else { throw .length }
        let (origin, rest) = try Self.split(text)
        try Self.checkCharacters(rest)
        try Self.checkSegments(Self.segments(of: rest))
        try self.init(origin: origin, target: rest)
    }

    /// Reads a URL that an expression returned. An empty part of the expression may have left an empty segment.
    init(computed text: String) throws(URLMistake) {
        try self.init(text)
        // The last segment is empty if the path ends with a slash.
        let segments = Self.segments(of: target)
        guard !segments.dropFirst().dropLast().contains(where: \.isEmpty) else { throw .empty }
        guard !segments.contains(where: Self.leadsElsewhere) else { throw .dots }
    }

    /// The URL as it is sent.
    package var text: String { origin.text + target }

    /// Appends names and values to the query, in their order.
    mutating func append(_ words: [(name: String, value: String)]) throws(URLMistake) {
        for (name, value) in words {
            target += target.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
            target += PercentCode.text(name) + "=" + PercentCode.text(value)
            guard text.utf8.count <= Self.longest else { throw .length }
        }
    }

    /// Returns the origin at the beginning of a URL, and the rest.
    static func split(_ text: String) throws(URLMistake) -> (origin: HTTPOrigin, rest: String) {
        let isSecure = text.utf8.starts(with: "https://".utf8)
        guard isSecure || text.utf8.starts(with: "http://".utf8) else { throw .scheme }
        let rest = text.utf8.dropFirst(isSecure ? 8 : 7)
        let end = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        return (try HTTPOrigin(isSecure: isSecure, authority: Array(rest[..<end])), String(text[end...]))
    }

    /// Returns the parts of a path between its slashes.
    static func segments(of target: String) -> [[UInt8]] {
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        return path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Array.init)
    }

    /// Throws if a segment is `.` or `..`, in any encoding.
    static func checkSegments(_ segments: [[UInt8]]) throws(URLMistake) {
        guard !segments.contains(where: isDots) else { throw .dots }
    }

    /// Returns true if a segment is `.` or `..`: many servers read `%2e` as a dot.
    static func isDots(_ segment: [UInt8]) -> Bool {
        guard segment.count <= 6 else { return false }
        var rest = segment[...]
        var dots = 0
        while let first = rest.first {
            if first == UInt8(ascii: ".") {
                rest = rest.dropFirst()
            } else if rest.starts(with: "%2e".utf8) || rest.starts(with: "%2E".utf8) {
                rest = rest.dropFirst(3)
            } else {
                return false
            }
            dots += 1
        }
        return dots == 1 || dots == 2
    }

    /// Returns true for a segment with a part that a server may decode, even repeatedly, to `.` or `..`. Slashes of
    /// either kind separate parts. A semicolon ends a part, because some servers expect parameters after it.
    static func leadsElsewhere(_ segment: [UInt8]) -> Bool {
        let decoded = PercentCode.decoded(segment)
        return decoded.split(whereSeparator: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }).contains { part in
            let name = part.prefix { $0 != UInt8(ascii: ";") }
            return (1...2).contains(name.count) && name.allSatisfy { $0 == UInt8(ascii: ".") }
        }
    }

    /// Throws at the first character of a path or query that cannot be sent unencoded.
    static func checkCharacters(_ text: String) throws(URLMistake) {
        var bytes = Array(text.utf8)[...]
        while let first = bytes.popFirst() {
            switch first {
            case UInt8(ascii: "#"): throw .fragment
            case UInt8(ascii: "%"):
                guard bytes.prefix(2).count == 2, bytes.prefix(2).allSatisfy(\.isHexDigit) else { throw .percent }
            default:
                guard PercentCode.isUnreserved(first) || "!$&'()*+,;=:@/?".utf8.contains(first) else {
                    throw .character
                }
            }
        }
    }
}

/// Percent encoding (RFC 3986, section 2).
enum PercentCode {
    /// Returns a text encoded as part of one segment, or of one query value, without any special characters.
    static func text(_ text: String) -> String {
        if text.utf8.allSatisfy(isUnreserved) { return text }
        var code: [UInt8] = []
        code.reserveCapacity(3 * text.utf8.count)
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            if isUnreserved(byte) {
                code.append(byte)
            } else {
                code += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: code, as: UTF8.self)
    }

    /// Returns the bytes of a text, decoded until no code remains.
    ///
    /// - Complexity: O(n): a code is decoded as soon as it is complete, and its byte may complete another code.
    static func decoded(_ text: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        for byte in text {
            decoded.append(byte)
            while let code = code(endOf: decoded) {
                decoded.removeLast(3)
                decoded.append(code)
            }
        }
        return decoded
    }

    /// Returns the byte of a code at the end of a text; `nil` if the text does not end with a code.
    private static func code(endOf text: [UInt8]) -> UInt8? {
        let last = text.suffix(3)
        guard last.count == 3, last.first == UInt8(ascii: "%"), last.dropFirst().allSatisfy(\.isHexDigit) else {
            return nil
        }
        return UInt8(String(decoding: last.dropFirst(), as: UTF8.self), radix: 16)
    }

    static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || "-._~".utf8.contains(byte)
    }
}
