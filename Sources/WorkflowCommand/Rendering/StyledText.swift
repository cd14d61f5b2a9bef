import WorkflowTerminal

/// The appearance of a part of a text on a terminal with colours (ECMA-48, SGR).
package enum Style: String, Sendable {
    case state = "36"
    case good = "32"
    case warning = "33"
    case bad = "31"
    case error = "1;31"
    case faint = "2"
}

/// Text for people: interpolated values are made safe for a terminal, and parts may have a style.
///
/// Only literals can have line ends. The line ends of a value are escaped, unless the value is interpolated with
/// `lines:`.
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

    /// Creates a text from other sources, on one line.
    package init(_ text: String, _ style: Style? = nil) {
        parts = [(Printable.text(text), style)]
    }

    /// Creates a text from other sources, with its line ends.
    package init(lines: String) {
        parts = [(Printable.lines(lines), nil)]
    }

    /// Returns the text, with colour codes if requested.
    package func text(isColoured: Bool) -> String {
        parts.map { part in
            guard isColoured, let style = part.style, !part.text.isEmpty else { return part.text }
            return "\u{1B}[\(style.rawValue)m\(part.text)\u{1B}[0m"
        }.joined()
    }

    /// Concatenates two texts.
    package static func + (left: StyledText, right: StyledText) -> StyledText {
        StyledText(parts: left.parts + right.parts)
    }

    /// The parts of a literal with interpolations.
    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var parts: [(text: String, style: Style?)] = []

        package init(literalCapacity: Int, interpolationCount: Int) {}

        /// Appends a literal unchanged.
        package mutating func appendLiteral(_ literal: String) {
            if !literal.isEmpty { parts.append((literal, nil)) }
        }

        /// Appends a value on one line, made safe.
        package mutating func appendInterpolation(_ value: some CustomStringConvertible, _ style: Style? = nil) {
            parts.append((Printable.text(value.description), style))
        }

        /// Appends text with its line ends, made safe.
        package mutating func appendInterpolation(lines: String) {
            parts.append((Printable.lines(lines), nil))
        }

        /// Appends text that is already safe, with its styles.
        package mutating func appendInterpolation(_ text: StyledText) {
            parts += text.parts
        }
    }
}

extension Sequence<StyledText> {
    /// Concatenates the texts, with a separator between them.
    func joined(separator: StyledText = "") -> StyledText {
        var all: StyledText = ""
        for (index, text) in enumerated() { all = index == 0 ? text : all + separator + text }
        return all
    }
}
