/// An attribute of an element. The type of its name says what it takes: an address is a `Link`; there is no attribute
/// with a script or a style.
struct Attribute {
    /// The name of an attribute that takes values of a type: `.rows(3)`.
    struct Name<Value: CustomStringConvertible> {
        fileprivate let text: StaticString
        fileprivate init(_ text: StaticString) { self.text = text }
        func callAsFunction(_ value: Value) -> Attribute { Attribute(text, value.description) }
    }

    let name: StaticString
    /// The value; `nil` for an attribute that is true by being there.
    let value: String?
    /// True if a browser must get the value as it is, because a form sends it back.
    let isExact: Bool

    private init(_ name: StaticString, _ value: String? = nil, isExact: Bool = false) {
        (self.name, self.value, self.isExact) = (name, value, isExact)
    }

    typealias Address = Name<Link>
    static let action = Address("action"), href = Address("href"), stream = Address("data-stream")
    static let wind = Address("data-wind")
    typealias Word = Name<StaticString>
    static let autocomplete = Word("autocomplete"), charset = Word("charset"), `class` = Word("class")
    static let content = Word("content"), lang = Word("lang"), method = Word("method"), name = Word("name")
    static let placeholder = Word("placeholder"), rel = Word("rel"), scope = Word("scope"), type = Word("type")
    typealias Text = Name<String>
    static let datetime = Text("datetime"), describedBy = Text("aria-describedby"), `for` = Text("for"), id = Text("id")
    static let label = Text("aria-label"), labelledBy = Text("aria-labelledby"), max = Text("max"), min = Text("min")
    static let value = Text("value")
    /// Names a part of a page, which the module exchanges by itself.
    static let part = Text("data-part")
    /// Names what is drawn: a drawing with the same value differs in its classes alone.
    static let drawing = Text("data-drawing")
    typealias Number = Name<Int64>
    static let newest = Number("data-newest"), rows = Number("rows"), seq = Number("data-seq")
    /// The milliseconds until a moment, which the module counts down.
    static let due = Number("data-due")

    static func active(_ paths: [String]) -> Attribute { Attribute("data-active", paths.joined(separator: " ")) }
    static func taken(_ numbers: [String]) -> Attribute { Attribute("data-taken", numbers.joined(separator: " ")) }
    /// Leads to a place on the same page: to an element, or to a line of a source.
    static func anchor(_ id: StaticString) -> Attribute { Attribute("href", "#\(id)") }
    static func line(_ number: Int) -> Attribute { Attribute("href", "#L\(number)") }
    /// The name and the value of a field that is sent back as it was typed.
    static func name(exactly text: String) -> Attribute { Attribute("name", text, isExact: true) }
    static func value(exactly text: String) -> Attribute { Attribute("value", text, isExact: true) }

    static func checked(_ isChecked: Bool) -> Attribute? { isChecked ? Attribute("checked") : nil }
    static func current(_ isCurrent: Bool) -> Attribute? { isCurrent ? Attribute("aria-current", "page") : nil }
    static func selected(_ isSelected: Bool) -> Attribute? { isSelected ? Attribute("selected") : nil }
    static let disabled = Attribute("disabled"), required = Attribute("required")
    static let invalid = Attribute("aria-invalid", "true")
    /// Makes an element a region, which has a label.
    static let role = Attribute("role", "region")
    /// Lets a reader of the screen say the element's text when it changes.
    static let status = Attribute("role", "status")
    /// Lets the keyboard reach an element that scrolls.
    static let focusable = Attribute("tabindex", "0")
}
