import WorkflowTerminal

/// How a part of a text looks on a terminal that has colours (ECMA-48, SGR).
package enum Style: String, Sendable {
    case state = "36"
    case good = "32"
    case warning = "33"
    case bad = "31"
    case error = "1;31"
    case faint = "2"
}

/// Text for people: what is interpolated is made safe for a terminal, and parts of it may have a style.
///
/// Only literals can have line ends; those of a value are escaped, unless it is interpolated with `lines:`.
package struct StyledText: ExpressibleByStringInterpolation {
    private var parts: [(text: String, style: Style?)]

    private init(parts: [(text: String, style: Style?)]) {
        self.parts = parts
    }

    package init(stringLiteral text: String) {
        parts = text.isEmpty ? [] : [(text, nil)]
    }

    package init(stringInterpolation: Interpolation) {
        parts = stringInterpolation.parts
    }

    /// Text from elsewhere, on one line.
    package init(_ text: String, _ style: Style? = nil) {
        parts = [(Printable.text(text), style)]
    }

    /// Text from elsewhere, with its lines.
    package init(lines: String) {
        parts = [(Printable.lines(lines), nil)]
    }

    /// The text, with codes of colours when they are wanted.
    package func text(isColoured: Bool) -> String {
        parts.map { part in
            guard isColoured, let style = part.style, !part.text.isEmpty else { return part.text }
            return "\u{1B}[\(style.rawValue)m\(part.text)\u{1B}[0m"
        }.joined()
    }

    /// One text after the other.
    package static func + (left: StyledText, right: StyledText) -> StyledText {
        StyledText(parts: left.parts + right.parts)
    }

    /// What a literal with interpolations is made of.
    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var parts: [(text: String, style: Style?)] = []

        package init(literalCapacity: Int, interpolationCount: Int) {}

        /// Takes a literal as it is.
        package mutating func appendLiteral(_ literal: String) {
            if !literal.isEmpty { parts.append((literal, nil)) }
        }

        /// Takes a value on one line, made safe.
        package mutating func appendInterpolation(_ value: some CustomStringConvertible, _ style: Style? = nil) {
            parts.append((Printable.text(value.description), style))
        }

        /// Takes text with its lines, made safe.
        package mutating func appendInterpolation(lines: String) {
            parts.append((Printable.lines(lines), nil))
        }

        /// Takes text that is safe already, with its styles.
        package mutating func appendInterpolation(_ text: StyledText) {
            parts += text.parts
        }
    }
}

extension Sequence<StyledText> {
    /// One after the other, with nothing or some text in between.
    func joined(separator: StyledText = "") -> StyledText {
        var all: StyledText = ""
        for (index, text) in enumerated() { all = index == 0 ? text : all + separator + text }
        return all
    }
}
