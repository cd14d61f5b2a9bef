import Drawing
import Statechart

/// A piece of HTML. Tags and attributes' names come from enumerations, everything else is escaped where it is added,
/// so no text becomes markup.
package struct Markup: Sendable {
    /// The HTML.
    package private(set) var html: String

    /// Creates an empty piece.
    init() { html = "" }

    /// Creates a text. A character that a reader would not see as itself is shown by its number.
    init(text: String) {
        html = ""
        Self.forEachScalar(of: text) { scalar, isHidden in
            if isHidden {
                html += "<b class=\"odd\">U+\(Self.digits(of: scalar))</b>"
            } else {
                Self.append(scalar, to: &html)
            }
        }
    }

    /// Creates the text of a field, which a form sends back as it is. A line end at its beginning is lost otherwise.
    init(exactly text: String) {
        html = "\n"
        for scalar in text.unicodeScalars { Self.append(scalar, to: &html) }
    }

    /// Creates an element. The content of a void element is left out.
    init(_ tag: Tag, _ attributes: [Attribute], _ content: Markup) {
        html = "<\(tag.rawValue)"
        for attribute in attributes {
            html += " \(attribute.name.rawValue)"
            guard let value = attribute.value else { continue }
            html += "=\""
            Self.forEachScalar(of: value) { scalar, isHidden in
                if isHidden, !attribute.isExact {
                    html += "\\u{\(Self.digits(of: scalar))}"
                } else {
                    Self.append(scalar, to: &html)
                }
            }
            html += "\""
        }
        html += ">"
        if !tag.isVoid { html += "\(content.html)</\(tag.rawValue)>" }
    }

    /// Creates a picture of a machine, which escapes its own texts.
    init(
        drawing scene: Scene, active: Set<StateIndex>, taken: Set<TransitionIndex>, notes: [StateIndex: SceneNote],
        counting: (([TransitionIndex]) -> SceneCount)?, opening: @escaping (Scene.Box) -> Link
    ) {
        html = scene.svg(
            active: active, taken: taken, notes: notes, counting: counting, opening: { opening($0).text },
            style: .none)
    }

    /// Creates the element that runs a script: a file of the console, never a text.
    init(module asset: Asset) { html = "<script type=\"module\" src=\"\(asset.link.text)\"></script>" }

    /// Returns a whole page.
    static func page(_ head: Markup, _ body: Markup) -> Markup {
        var page = Markup(.html, [.lang("en")], Markup(.head, [], head) + Markup(.body, [], body))
        page.html = "<!DOCTYPE html>\n\(page.html)\n"
        return page
    }

    /// Returns both pieces, one after the other.
    static func + (first: Markup, second: Markup) -> Markup {
        var both = first
        both.html += second.html
        return both
    }

    /// Adds a piece at the end.
    static func += (first: inout Markup, second: Markup) { first.html += second.html }

    /// The same escapes serve a text and a value in double quotes.
    private static func append(_ scalar: Unicode.Scalar, to html: inout String) {
        switch scalar {
        case "&": html += "&amp;"
        case "<": html += "&lt;"
        case ">": html += "&gt;"
        case "\"": html += "&quot;"
        case "'": html += "&#39;"
        case "\r": html += "&#13;"
        default: html.unicodeScalars.append(scalar)
        }
    }

    /// Hands over each scalar of a text, with true for one that a reader would not see as itself. What joins two emoji
    /// to one is not hidden.
    private static func forEachScalar(of text: String, _ take: (Unicode.Scalar, Bool) -> Void) {
        let scalars = text.unicodeScalars
        var previous: Unicode.Scalar?
        for place in scalars.indices {
            let scalar = scalars[place]
            let next = scalars.index(after: place)
            let joins = scalar == "\u{200D}" && isEmoji(previous) && next < scalars.endIndex && isEmoji(scalars[next])
            take(scalar, isHidden(scalar) && !joins)
            // This one only chooses how the emoji before it looks.
            if scalar != "\u{FE0F}" { previous = scalar }
        }
    }

    private static func isEmoji(_ scalar: Unicode.Scalar?) -> Bool {
        // Digits are emoji too, and stand before all that this is about.
        scalar.map { $0.value > 0x2000 && $0.properties.isEmoji } ?? false
    }

    /// Returns true for a character that is not seen, or that changes how others are seen: controls, what turns the
    /// direction of text, what has no width, and letters that are blank.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        if (0x20..<0x7F).contains(scalar.value) || scalar == "\n" || scalar == "\t" { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: return true
        default: return blank.contains(scalar)
        }
    }

    private static let blank: Set<Unicode.Scalar> = [
        "\u{34F}", "\u{115F}", "\u{1160}", "\u{17B4}", "\u{17B5}", "\u{2800}", "\u{3164}", "\u{FFA0}",
    ]

    private static func digits(of scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

/// Builds a piece of HTML from texts and other pieces.
@resultBuilder
enum MarkupBuilder {
    static func buildExpression(_ text: String) -> Markup { Markup(text: text) }

    static func buildExpression(_ markup: Markup) -> Markup { markup }

    static func buildBlock(_ parts: Markup...) -> Markup { parts.reduce(into: Markup(), +=) }

    static func buildOptional(_ part: Markup?) -> Markup { part ?? Markup() }

    static func buildEither(first part: Markup) -> Markup { part }

    static func buildEither(second part: Markup) -> Markup { part }

    static func buildArray(_ parts: [Markup]) -> Markup { parts.reduce(into: Markup(), +=) }
}
