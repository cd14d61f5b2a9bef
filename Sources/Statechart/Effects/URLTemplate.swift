/// A URL of a definition: literal, with expressions in braces in its path and query. The value of an expression is
/// always one segment, or part of one, whatever characters it contains.
package struct URLTemplate: Sendable, Equatable {
    /// An expression and its offset from the beginning of the URL, in Unicode scalars.
    package struct Place: Sendable, Equatable {
        package let expression: String
        package let offset: Int
    }

    private enum Piece: Sendable, Equatable {
        case text(String)
        case place(Int)
    }

    package let origin: HTTPOrigin
    package let places: [Place]
    /// The parts after the origin.
    private let pieces: [Piece]

    /// Returns true if a text is a literal URL; any other text is an expression.
    package static func isLiteral(_ text: String) -> Bool {
        text.hasPrefix("http://") || text.hasPrefix("https://")
    }

    /// Returns true if a text that is not a literal URL was probably meant as one: no expression begins in this way.
    static func isMistaken(_ text: String) -> Bool {
        text.hasPrefix("/") || text.drop { $0.isLetter }.hasPrefix("://")
    }

    /// Returns the reason why a text that begins with an expression in braces is no URL; `nil` for any other text.
    static func mistake(inBraced text: String) -> URLMistake? {
        guard text.hasPrefix("{"), text.utf8.count <= 200, let close = text.firstIndex(of: "}") else { return nil }
        let expression = text[..<close].dropFirst()
        // A whole expression in braces is a map, which has a colon or is empty.
        guard expression.contains(where: { !$0.isWhitespace }), !expression.contains(where: { ":'\"\n".contains($0) })
        else { return nil }
        let rest = text[text.index(after: close)...]
        let isPlain = !rest.contains { "'\\{}".contains($0) }
        let end = rest.isEmpty ? "" : isPlain ? " + '\(rest)'" : " + …"
        return URLMistake("\(URLMistake.scheme.message); one that is computed is an expression: \(expression)\(end)")
    }

    /// Reads a URL of a definition; throws for a mistake in the definition.
    package init(_ text: String) throws(URLMistake) {
        guard text.utf8.count <= RequestURL.longest else { throw .length }
        let scalars = Array(text.unicodeScalars)
        var pieces: [Piece] = []
        var places: [Place] = []
        var literal = String.UnicodeScalarView()
        var offset = 0
        var origin: HTTPOrigin?
        while offset < scalars.count {
            let scalar = scalars[offset]
            if scalar == "{" {
                guard let close = BracedText.closing(scalars, from: offset) else {
                    throw URLMistake(BracedText.notClosed(scalars, from: offset), at: offset)
                }
                if origin == nil { origin = try Self.origin(&literal) }
                if !literal.isEmpty { pieces.append(.text(String(literal))) }
                literal = String.UnicodeScalarView()
                pieces.append(.place(places.count))
                let expression = String(String.UnicodeScalarView(scalars[(offset + 1)..<close]))
                places.append(Place(expression: expression, offset: offset + 1))
                offset = close + 1
            } else {
                if scalar == "}" { throw URLMistake(URLMistake.brace.message, at: offset) }
                literal.append(scalar)
                offset += 1
            }
        }
        if origin == nil {
            let (found, rest) = try RequestURL.split(String(literal))
            origin = found
            literal = rest.unicodeScalars
        }
        guard let origin else { throw .scheme }
        if !literal.isEmpty { pieces.append(.text(String(literal))) }
        self.origin = origin
        self.pieces = pieces
        self.places = places
        for case .text(let text) in pieces { try RequestURL.checkCharacters(text) }
        try RequestURL.checkSegments(segments(with: places.map { _ in "" }).filter { $0.places.isEmpty }.map(\.bytes))
    }

    /// Returns the origin in the text before the first expression, and removes it from the text.
    private static func origin(_ literal: inout String.UnicodeScalarView) throws(URLMistake) -> HTTPOrigin {
        let authority = String(literal).drop { $0 != ":" }.dropFirst(3)
        // Without a slash or a question mark the host may continue.
        guard authority.contains(where: { "/?#".contains($0) }) else { throw .place }
        let (origin, rest) = try RequestURL.split(String(literal))
        literal = rest.unicodeScalars
        return origin
    }

    /// Returns the URL with values for its expressions.
    ///
    /// - Precondition: There is a value for each of `places`.
    /// - Throws: An error if a value makes a segment that leads to another path.
    package func filled(with values: [String]) throws(URLMistake) -> RequestURL {
        precondition(values.count == places.count, "each expression of a url has a value")
        let codes = values.map(PercentCode.text)
        for segment in segments(with: codes) where !segment.places.isEmpty {
            let source = segment.places.map { "'{\(places[$0].expression)}'" }.joined(separator: " and ")
            let verb = segment.places.count == 1 ? "makes" : "make"
            if segment.bytes.isEmpty { throw URLMistake("\(source) \(verb) an empty segment of the url") }
            if RequestURL.isDots(segment.bytes) {
                throw URLMistake("\(source) \(verb) the segment '.' or '..' of the url")
            }
            if RequestURL.leadsElsewhere(segment.bytes) {
                throw URLMistake("\(source) \(verb) a segment of the url that has '.' or '..' when it is decoded")
            }
        }
        var target = ""
        for piece in pieces {
            switch piece {
            case .text(let text): target += text
            case .place(let place): target += codes[place]
            }
        }
        return try RequestURL(origin: origin, target: target)
    }

    /// Returns the segments of the path, with the expressions in them.
    private func segments(with codes: [String]) -> [(bytes: [UInt8], places: [Int])] {
        var segments: [(bytes: [UInt8], places: [Int])] = [([], [])]
        for piece in pieces {
            switch piece {
            case .place(let place):
                segments[segments.count - 1].bytes += Array(codes[place].utf8)
                segments[segments.count - 1].places.append(place)
            case .text(let text):
                for byte in text.utf8 {
                    if byte == UInt8(ascii: "?") { return segments }
                    if byte == UInt8(ascii: "/") {
                        segments.append(([], []))
                    } else {
                        segments[segments.count - 1].bytes.append(byte)
                    }
                }
            }
        }
        return segments
    }
}
