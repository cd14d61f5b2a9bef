import Statechart
import WorkflowCEL
import WorkflowJSON

/// The fields for an event's data: one for each field of its declared type, or else one for JSON.
struct DataFields {
    private let event: String
    private let machine: Machine?
    /// The type of each field; `nil` if the data is written as JSON.
    private let types: [(name: String, type: CELType)]?

    init(of form: FormRequest, _ tree: StateTree?) {
        event = form.text("event") ?? ""
        machine = tree?.machine
        guard form.text(Self.mode) == nil, case .object(let type)? = machine?.eventData[event] else {
            types = nil
            return
        }
        types = type.fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The field that says that the data is written as JSON although its fields are known.
    static let mode = "as"

    /// True if the data has fields of its own.
    var areTyped: Bool { types != nil }

    var fields: [FormField] {
        guard let types else {
            let type = machine?.eventData[event].map { "JSON: \($0.phrase)." }
            return [
                FormField("data", "Data", .json, as: .elsewhere, hint: type ?? "JSON; empty for none."),
                FormField(Self.mode, "", .hidden, as: .elsewhere),
            ]
        }
        return types.map { name, type in
            let (kind, isOptional) = Self.kind(of: type)
            return FormField(
                "data.\(name)", name, kind, as: .elsewhere, isRequired: !isOptional,
                hint: "\(type)\(Self.isJSON(type) ? ", as JSON" : "")")
        }
    }

    private static func kind(of type: CELType) -> (FormField.Kind, isOptional: Bool) {
        switch type {
        case .optional(let type): (kind(of: type).0, true)
        case .bool: (.choice([("", "–"), ("true", "true"), ("false", "false")]), false)
        case .dyn, .null, .list, .map, .object, .type: (.json, false)
        case .int, .uint, .double, .string, .bytes, .timestamp, .duration: (.line, false)
        }
    }

    private static func isJSON(_ type: CELType) -> Bool {
        if case .json = kind(of: type).0 { true } else { false }
    }

    /// True for a type whose text is not JSON already.
    private static func isText(_ type: CELType) -> Bool {
        switch type {
        case .optional(let type): isText(type)
        case .string, .bytes, .timestamp, .duration: true
        default: false
        }
    }

    /// Returns the data; `nil` for none. A value that does not fit its type is a mistake.
    func value(_ reader: inout FieldReader) -> JSONValue? {
        let before = reader.mistakes
        var data = types == nil ? reader.json("data") : nil
        if let types {
            var object = JSONObject()
            for (name, type) in types {
                let field = "data.\(name)"
                if let text = reader.text(field) {
                    object[name] = Self.isText(type) ? .string(text) : reader.json(field)
                } else if !Self.kind(of: type).isOptional {
                    reader.refuse(field, "It is missing")
                }
            }
            data = .object(object)
        }
        guard let machine, reader.mistakes == before else { return data }
        do throws(JSONMismatch) {
            _ = try machine.converted(data, of: event)
        } catch {
            let field = types?.first { error.path == "data.\($0.name)" || error.path.hasPrefix("data.\($0.name)[") }
            reader.refuse(field.map { "data.\($0.name)" } ?? "data", error.message)
        }
        return data
    }
}
