/// A field of a form that acts.
struct FormField: Sendable {
    enum Kind: Sendable {
        /// A text in one line.
        case line
        /// JSON in several lines.
        case json
        /// A text with an item in each line.
        case lines
        /// A box that is ticked or not.
        case box
        /// One of some words; the first one unless another is chosen.
        case choice([(word: String, label: String)])
        /// A value that another page gave.
        case hidden
    }

    /// The place of the value on the command line.
    enum Place: Sendable, ExpressibleByStringLiteral {
        case option(String)
        /// Behind the instance's name.
        case argument
        /// The verb says it in another way.
        case elsewhere

        init(stringLiteral option: String) { self = .option(option) }
    }

    let name: String
    let label: String
    let kind: Kind
    let place: Place
    var isRequired = false
    var hint = ""

    init(
        _ name: String, _ label: String, _ kind: Kind = .line, as place: Place = .elsewhere, isRequired: Bool = false,
        hint: String = ""
    ) {
        (self.name, self.label, self.kind, self.place) = (name, label, kind, place)
        (self.isRequired, self.hint) = (isRequired, hint)
    }

    /// Returns a field with a value that is not shown.
    static func hidden(_ name: String, _ value: String) -> Markup {
        Tag.input(.type("hidden"), .name(exactly: name), .value(exactly: value))
    }

    /// True if the field is not shown.
    var isHidden: Bool { if case .hidden = kind { true } else { false } }

    /// Returns the field with its label, with what was typed, and with what is wrong with it.
    func markup(id: String, typed text: String?, mistake: String?) -> Markup {
        if isHidden { return Self.hidden(name, text ?? "") }
        let described = (mistake == nil ? [] : ["\(id)-wrong"]) + (hint.isEmpty ? [] : ["\(id)-hint"])
        let attributes: [Attribute?] = [
            .id(id), .name(exactly: name), isRequired ? .required : nil, mistake == nil ? nil : .invalid,
            described.isEmpty ? nil : .describedBy(described.joined(separator: " ")),
        ]
        let heading = Tag.label(.for(id)) { label + (isRequired ? " (required)" : "") }
        let control = control(attributes.compactMap(\.self), text ?? "")
        return Tag.div(.class("field")) {
            if case .box = kind { control + heading } else { heading + control }
            if let mistake { Tag.p(.id("\(id)-wrong"), .class("bad")) { mistake + "." } }
            if !hint.isEmpty { Tag.p(.id("\(id)-hint"), .class("note")) { hint } }
        }
    }

    private func control(_ attributes: [Attribute], _ text: String) -> Markup {
        switch kind {
        case .line, .hidden:
            Markup(.input, attributes + [.type("text"), .autocomplete("off"), .value(exactly: text)], Markup())
        case .json: Markup(.textarea, attributes + [.rows(6)], Markup(exactly: text))
        case .lines: Markup(.textarea, attributes + [.rows(3)], Markup(exactly: text))
        case .box:
            Markup(
                .input, attributes + [.type("checkbox"), .value("yes"), .checked(!text.isEmpty)].compactMap(\.self),
                Markup())
        case .choice(let choices):
            Markup(
                .select, attributes,
                choices.reduce(Markup()) { all, choice in
                    all + Tag.option(.value(choice.word), .selected(choice.word == text)) { choice.label }
                })
        }
    }

    /// Returns the words of wfctl for what was typed: options, and what stands behind the instance's name.
    func words(for text: String?) -> (options: [String], arguments: [String]) {
        guard let text else { return ([], []) }
        var values = [text]
        if case .lines = kind { values = FieldReader.lines(of: text) }
        switch place {
        case .elsewhere: return ([], [])
        case .argument: return ([], values)
        case .option(let option):
            if case .box = kind { return ([option], []) }
            return (values.flatMap { $0.hasPrefix("-") ? ["\(option)=\($0)"] : [option, $0] }, [])
        }
    }
}

extension [FormField] {
    /// Returns the fields with what was typed, and with the mistakes in it by the names of the fields.
    ///
    /// - Parameter form: The beginning of their ids. Forms of one page have different ones.
    func markup(_ typed: FormRequest?, _ mistakes: [String: String] = [:], in form: StaticString = "f") -> Markup {
        enumerated().reduce(into: Markup()) { all, field in
            let (number, field) = field
            all += field.markup(
                id: "\(form)\(number)", typed: typed?.text(field.name), mistake: mistakes[field.name])
        }
    }

    /// Returns what was typed, as fields that are not shown.
    func hidden(_ typed: FormRequest) -> Markup {
        reduce(into: Markup()) { all, field in
            if let text = typed.text(field.name) { all += FormField.hidden(field.name, text) }
        }
    }
}
