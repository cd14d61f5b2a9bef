import Drawing
import Statechart

/// A piece of HTML. Tags and attributes' names are a fixed set, everything else is escaped where it is added,
/// so no text becomes markup.
package struct Markup: Sendable {
    /// The HTML.
    package private(set) var html: String

    /// Creates an empty piece.
    init() { html = "" }

    /// Creates a text. A character that a reader would not see as itself is shown by its number.
    init(text: String) {
        html = ""
        add(text) { "<b class=\"odd\">U+\($0)</b>" }
    }

    /// Creates the text of a field, which a form sends back as it is. A line end at its beginning is lost otherwise.
    init(exactly text: String) {
        html = "\n"
        add(text, hidden: nil)
    }

    /// Creates an element. The content of a void element is left out.
    init(_ tag: Tag, _ attributes: [Attribute], _ content: Markup) {
        html = "<\(tag.rawValue)"
        for attribute in attributes {
            html += " \(attribute.name)"
            guard let value = attribute.value else { continue }
            html += "=\""
            add(value, hidden: attribute.isExact ? nil : { "\\u{\($0)}" })
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
    static func + (first: Markup, second: Markup) -> Markup { MarkupBuilder.buildBlock(first, second) }

    /// Adds a piece at the end.
    static func += (first: inout Markup, second: Markup) { first.html += second.html }

    /// Adds a text, as content or as a value in double quotes.
    ///
    /// - Parameter hidden: Returns what stands for a character that is not seen, by its number; `nil` keeps it.
    private mutating func add(_ text: String, hidden: ((String) -> String)?) {
        // Most texts are ASCII without a sign of markup.
        if text.utf8.allSatisfy({ Self.isPlain($0) }) { return html += text }
        let scalars = text.unicodeScalars
        for place in scalars.indices {
            let scalar = scalars[place]
            if let hidden, Self.isHidden(scalar), !Self.joins(scalars, at: place) {
                let digits = String(scalar.value, radix: 16, uppercase: true)
                html += hidden(String(repeating: "0", count: max(0, 4 - digits.count)) + digits)
                continue
            }
            if let escape = Self.escapes[scalar] { html += escape } else { html.unicodeScalars.append(scalar) }
        }
    }

    private static let escapes: [Unicode.Scalar: String] = [
        "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;", "\r": "&#13;",
    ]

    /// Returns true for ASCII that stands for itself.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) ? !"&<>\"'".utf8.contains(byte) : byte == 0x0A || byte == 0x09
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

    private static let blank = Set("\u{34F}\u{115F}\u{1160}\u{17B4}\u{17B5}\u{2800}\u{3164}\u{FFA0}".unicodeScalars)

    /// Returns true for a character that joins two emoji. U+FE0F only chooses how the emoji before it looks.
    private static func joins(_ scalars: String.UnicodeScalarView, at place: String.Index) -> Bool {
        // Digits are emoji too, and stand before all that this is about.
        func isEmoji(_ one: Unicode.Scalar?) -> Bool { one.map { $0.value > 0x2000 && $0.properties.isEmoji } ?? false }
        return scalars[place] == "\u{200D}" && isEmoji(scalars[place...].dropFirst().first)
            && isEmoji(scalars[..<place].last { $0 != "\u{FE0F}" })
    }
}

/// Builds a piece of HTML from texts and other pieces.
@resultBuilder
enum MarkupBuilder {
    static func buildExpression(_ text: String) -> Markup { Markup(text: text) }
    static func buildExpression(_ markup: Markup) -> Markup { markup }
    static func buildBlock(_ parts: Markup...) -> Markup { buildArray(parts) }
    static func buildArray(_ parts: [Markup]) -> Markup { parts.reduce(into: Markup(), +=) }
    static func buildOptional(_ part: Markup?) -> Markup { part ?? Markup() }
    static func buildEither(first part: Markup) -> Markup { part }
    static func buildEither(second part: Markup) -> Markup { part }
}
