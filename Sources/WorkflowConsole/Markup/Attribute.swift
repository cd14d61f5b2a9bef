/// An attribute of an element. Addresses are `Link`s; there is no attribute with a script or a style.
struct Attribute {
    /// The names of attributes that have no address.
    enum Name: String {
        case action, autocomplete, charset, checked, `class`, content, datetime, disabled, `for`, href, id, lang, max
        case maxlength, method, min, name, placeholder, rel, required, role, rows, scope, selected, tabindex, type
        case value
        case current = "aria-current"
        case label = "aria-label"
        case part = "data-part"
        case drawing = "data-drawing"
        case active = "data-active"
        case taken = "data-taken"
        case stream = "data-stream"
        case due = "data-due"
        case wind = "data-wind"
        case newest = "data-newest"
        case seq = "data-seq"
        case labelledBy = "aria-labelledby"
        case describedBy = "aria-describedby"
        case invalid = "aria-invalid"
    }

    let name: Name
    /// The value; `nil` for an attribute that is true by being there.
    let value: String?
    /// True if a browser must get the value as it is, because a form sends it back.
    let isExact: Bool

    private init(_ name: Name, _ value: String?, isExact: Bool = false) {
        (self.name, self.value, self.isExact) = (name, value, isExact)
    }

    static func action(_ link: Link) -> Attribute { Attribute(.action, link.text) }
    static func href(_ link: Link) -> Attribute { Attribute(.href, link.text) }
    /// Leads to a line of a source on the same page.
    static func line(_ number: Int) -> Attribute { Attribute(.href, "#L\(number)") }
    static func anchor(_ id: StaticString) -> Attribute { Attribute(.href, "#\(id)") }
    static func `class`(_ name: StaticString) -> Attribute { Attribute(.class, "\(name)") }
    static func method(_ method: StaticString) -> Attribute { Attribute(.method, "\(method)") }
    static func rel(_ relation: StaticString) -> Attribute { Attribute(.rel, "\(relation)") }
    static func type(_ type: StaticString) -> Attribute { Attribute(.type, "\(type)") }
    static func charset(_ name: StaticString) -> Attribute { Attribute(.charset, "\(name)") }
    static func lang(_ name: StaticString) -> Attribute { Attribute(.lang, "\(name)") }
    static func scope(_ scope: StaticString) -> Attribute { Attribute(.scope, "\(scope)") }
    static func autocomplete(_ value: StaticString) -> Attribute { Attribute(.autocomplete, "\(value)") }
    static func content(_ value: StaticString) -> Attribute { Attribute(.content, "\(value)") }
    static func placeholder(_ value: StaticString) -> Attribute { Attribute(.placeholder, "\(value)") }
    static func name(_ value: StaticString) -> Attribute { Attribute(.name, "\(value)") }
    static func datetime(_ value: String) -> Attribute { Attribute(.datetime, value) }
    static func `for`(_ id: String) -> Attribute { Attribute(.for, id) }
    static func id(_ id: String) -> Attribute { Attribute(.id, id) }
    static func label(_ value: String) -> Attribute { Attribute(.label, value) }
    static func labelledBy(_ id: String) -> Attribute { Attribute(.labelledBy, id) }
    static func value(_ value: String) -> Attribute { Attribute(.value, value) }
    static func selected(_ isSelected: Bool) -> Attribute? { isSelected ? Attribute(.selected, nil) : nil }
    static func current(_ isCurrent: Bool) -> Attribute? { isCurrent ? Attribute(.current, "page") : nil }
    /// Names a part of a page, which the module exchanges by itself.
    static func part(_ name: String) -> Attribute { Attribute(.part, name) }
    /// Names what is drawn: a drawing with the same value differs in its classes alone.
    static func drawing(_ key: String) -> Attribute { Attribute(.drawing, key) }
    static func active(_ paths: [String]) -> Attribute { Attribute(.active, paths.joined(separator: " ")) }
    static func taken(_ numbers: [Int]) -> Attribute {
        Attribute(.taken, numbers.map { String($0) }.joined(separator: " "))
    }
    static func stream(_ link: Link) -> Attribute { Attribute(.stream, link.text) }
    /// The milliseconds until a moment, which the module counts down.
    static func due(_ milliseconds: Int64) -> Attribute { Attribute(.due, "\(milliseconds)") }
    static func wind(_ link: Link) -> Attribute { Attribute(.wind, link.text) }
    static func newest(_ seq: Int64) -> Attribute { Attribute(.newest, "\(seq)") }
    static func seq(_ seq: Int64) -> Attribute { Attribute(.seq, "\(seq)") }
    static func min(_ value: String) -> Attribute { Attribute(.min, value) }
    static func max(_ value: String) -> Attribute { Attribute(.max, value) }
    static let required = Attribute(.required, nil)
    static let disabled = Attribute(.disabled, nil)
    /// Makes an element a region, which has a label.
    static let role = Attribute(.role, "region")
    /// Lets a reader of the screen say the element's text when it changes.
    static let status = Attribute(.role, "status")
    /// Lets the keyboard reach an element that scrolls.
    static let focusable = Attribute(.tabindex, "0")
}

// MARK: Fields

extension Attribute {
    static func checked(_ isChecked: Bool) -> Attribute? { isChecked ? Attribute(.checked, nil) : nil }
    static func rows(_ number: Int) -> Attribute { Attribute(.rows, "\(number)") }
    static func describedBy(_ ids: String) -> Attribute { Attribute(.describedBy, ids) }
    /// The name and the value of a field that is sent back as it was typed.
    static func name(exactly value: String) -> Attribute { Attribute(.name, value, isExact: true) }
    static func value(exactly value: String) -> Attribute { Attribute(.value, value, isExact: true) }
    static let invalid = Attribute(.invalid, "true")
}
