import WorkflowAPI
import WorkflowJSON

/// A field of a form, and the JSON that its text stands for.
struct FormField: Sendable {
    /// The kind of a field's value.
    enum Kind: Sendable {
        case text, number, json
        /// One of several words.
        case choice([String])
        /// A box: `true` if it is ticked.
        case tick
    }

    let name: StaticString
    let label: String
    let kind: Kind
    let isRequired: Bool
    /// A sentence below the field; empty for none.
    let note: String

    init(_ name: StaticString, _ label: String, _ kind: Kind = .text, isRequired: Bool = false, note: String = "") {
        (self.name, self.label, self.kind) = (name, label, kind)
        (self.isRequired, self.note) = (isRequired, note)
    }

    /// Returns the value that was typed; `nil` for none.
    func value(in form: FormRequest) throws(WireError) -> JSONValue? {
        guard let text = form.text("\(name)") else {
            guard isRequired else { return nil }
            throw WireError(.missingField, path: "\(name)", message: "Field '\(label)' is missing")
        }
        switch kind {
        case .text, .choice: return .string(text)
        case .tick: return .bool(true)
        case .number:
            if let number = Int64(text) { return .int(number) }
            throw WireError(.invalidValue, path: "\(name)", message: "Field '\(label)' must be a number, such as 7")
        case .json:
            do {
                return try JSONReader.value(from: text)
            } catch {
                throw WireError(
                    .malformed, path: "\(name)", message: "Field '\(label)' is not JSON: \(error.description)")
            }
        }
    }

    /// The label and the field.
    ///
    /// - Parameter typed: The text in it; `nil` for an empty field.
    func markup(_ typed: String? = nil) -> Markup {
        Tag.p(.class("field")) {
            switch kind {
            case .tick:
                Tag.input(.type("checkbox"), .id(id), .name(name), .value("yes"), .checked(typed != nil))
                Tag.label(.for(id)) { label }
            default:
                Tag.label(.for(id)) { isRequired ? "\(label) (required)" : label }
                input(typed)
            }
            if !note.isEmpty { Tag.span(.class("note")) { note } }
        }
    }

    private var id: String { "act-\(name)" }

    private func input(_ typed: String?) -> Markup {
        let required: Attribute? = isRequired ? .required : nil
        switch kind {
        case .choice(let words):
            return Tag.select(.id(id), .name(name), required) {
                Tag.option(.value("")) { "–" }
                for word in words { Tag.option(.value(word), .selected(word == typed)) { word } }
            }
        case .json:
            return Tag.textarea(.id(id), .name(name), required) { Markup(exactly: typed ?? "") }
        default:
            return Tag.input(
                .type("text"), .id(id), .name(name), required, .autocomplete("off"), .value(exactly: typed ?? ""))
        }
    }
}
