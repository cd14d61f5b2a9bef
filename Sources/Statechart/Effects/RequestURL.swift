/// A url to send a request to: http or https, without user info and fragment, every character as it is sent (RFC 3986).
package struct RequestURL: Hashable, Sendable {
    /// In bytes.
    package static let longest = 8 << 10

    package let origin: HTTPOrigin
    /// The path, which begins with `/`, and the query.
    private(set) var target: String

    /// Takes parts that were checked.
    init(origin: HTTPOrigin, target: String) throws(URLMistake) {
        self.origin = origin
        self.target = target.utf8.first == UInt8(ascii: "/") ? target : "/" + target
        guard text.utf8.count <= Self.longest else { throw .length }
    }

    /// Reads a url that is whole.
    package init(_ text: String) throws(URLMistake) {
        guard text.utf8.count <= Self.longest else { throw .length }
        let (origin, rest) = try Self.split(text)
        try Self.checkCharacters(rest)
        try Self.checkSegments(Self.segments(of: rest))
        try self.init(origin: origin, target: rest)
    }

    /// Reads a url that an expression gave. A part of it that was empty may have left an empty segment.
    init(computed text: String) throws(URLMistake) {
        try self.init(text)
        // The last segment is empty where the path ends with a slash.
        let segments = Self.segments(of: target)
        guard !segments.dropFirst().dropLast().contains(where: \.isEmpty) else { throw .empty }
        guard !segments.contains(where: Self.leadsElsewhere) else { throw .dots }
    }

    /// As it is sent.
    package var text: String { origin.text + target }

    /// Adds to the query what a map says, in its order.
    mutating func append(_ words: [(name: String, value: String)]) throws(URLMistake) {
        for (name, value) in words {
            target += target.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
            target += PercentCode.text(name) + "=" + PercentCode.text(value)
            guard text.utf8.count <= Self.longest else { throw .length }
        }
    }

    /// The origin that a url begins with, and the rest.
    static func split(_ text: String) throws(URLMistake) -> (origin: HTTPOrigin, rest: String) {
        let isSecure = text.utf8.starts(with: "https://".utf8)
        guard isSecure || text.utf8.starts(with: "http://".utf8) else { throw .scheme }
        let rest = text.utf8.dropFirst(isSecure ? 8 : 7)
        let end = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        return (try HTTPOrigin(isSecure: isSecure, authority: Array(rest[..<end])), String(text[end...]))
    }

    /// What stands between the slashes of a path.
    static func segments(of target: String) -> [[UInt8]] {
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        return path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Array.init)
    }

    /// Throws where a segment leads to its parent or nowhere, however it is written.
    static func checkSegments(_ segments: [[UInt8]]) throws(URLMistake) {
        guard !segments.contains(where: isDots) else { throw .dots }
    }

    /// Whether a segment is `.` or `..`: `%2e` is a dot for many servers.
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

    /// True for a segment with a part that is `.` or `..` for a server that decodes it, be it several times. A part
    /// stands between slashes, of either kind, and before a semicolon, behind which some servers look for parameters.
    static func leadsElsewhere(_ segment: [UInt8]) -> Bool {
        let decoded = PercentCode.decoded(segment)
        return decoded.split(whereSeparator: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }).contains { part in
            let name = part.prefix { $0 != UInt8(ascii: ";") }
            return (1...2).contains(name.count) && name.allSatisfy { $0 == UInt8(ascii: ".") }
        }
    }

    /// Throws at the first character of a path or query that cannot be sent as it is.
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
    /// A text as part of one segment, or of one value of a query: nothing of it means anything there.
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

    /// The bytes that a text stands for, decoded until there is nothing left to decode.
    ///
    /// - Complexity: O(n): a code is decoded as soon as it is whole, and its byte may end another code.
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

    /// The byte of a code at the end of a text; nil where none stands.
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
