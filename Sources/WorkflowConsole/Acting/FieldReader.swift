import WorkflowAPI
import WorkflowJSON

/// Reads the fields of a form, and collects what is wrong with them.
struct FieldReader {
    let form: FormRequest
    /// The messages by the names of their fields, without a full stop.
    private(set) var mistakes: [String: String] = [:]

    init(_ form: FormRequest) { self.form = form }

    /// Throws the first mistake, for a form whose refusal is one message.
    func check(_ fields: [FormField]) throws(WireError) {
        for field in fields {
            guard let mistake = mistakes[field.name] else { continue }
            throw WireError(.invalidValue, path: field.name, message: mistake)
        }
    }

    /// Adds a mistake; the first one of a field stays.
    mutating func refuse(_ name: String, _ message: String) {
        if mistakes[name] == nil { mistakes[name] = message }
    }

    /// Returns a text; `nil` if it is missing.
    func text(_ name: String) -> String? { form.text(name) }

    /// Returns a text that must be there.
    mutating func required(_ name: String, _ what: String) -> String {
        if let text = form.text(name) { return text }
        refuse(name, "\(what) is missing")
        return ""
    }

    /// Returns the reason; the API's bound on it holds here too, so that the message stands beside the field.
    mutating func reason(isRequired: Bool) -> String? {
        guard let reason = form.text("reason") else {
            if isRequired { refuse("reason", "The reason is missing: it is recorded in the history") }
            return nil
        }
        if !APILimits.reasonBytes.contains(reason.utf8.count) {
            refuse("reason", "The reason must have 1 to \(APILimits.reasonBytes.upperBound) bytes")
        }
        return reason
    }

    /// Returns a number from 1 on; `nil` if it is missing.
    mutating func number(_ name: String) -> Int64? {
        guard let text = form.text(name) else { return nil }
        if let number = Int64(text), number > 0 { return number }
        refuse(name, "It must be a number: 1, 2, …")
        return nil
    }

    /// Returns a word; `nil` if it is missing.
    mutating func word<Word: RawRepresentable<String>>(_ name: String, as type: Word.Type) -> Word? {
        guard let text = form.text(name) else { return nil }
        if let word = Word(rawValue: text) { return word }
        refuse(name, "It must be one of the words of the list")
        return nil
    }

    /// Returns a value; `nil` if it is missing.
    mutating func json(_ name: String) -> JSONValue? {
        form.text(name).flatMap { json($0, of: name) }
    }

    private mutating func json(_ text: String, of name: String, in what: String = "It") -> JSONValue? {
        do {
            return try JSONReader.value(from: text)
        } catch {
            refuse(name, "\(what) is not JSON: \(error.description)")
            return nil
        }
    }

    /// Returns the items of a field with an item in each line; `nil` for none.
    func lines(_ name: String) -> [String]? {
        let lines = Self.lines(of: form.text(name) ?? "")
        return lines.isEmpty ? nil : lines
    }

    static func lines(of text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map { AssignmentText.trimmed($0) }.filter { !$0.isEmpty }
    }

    /// Returns pairs, each in a line of its own; `nil` for none.
    private mutating func pairs(_ name: String) -> [AssignmentText]? {
        var pairs: [AssignmentText] = []
        for line in lines(name) ?? [] {
            guard let pair = AssignmentText(line) else {
                refuse(name, "'\(line)' has no '=' with something on both sides")
                continue
            }
            if pairs.contains(where: { $0.left == pair.left }) { refuse(name, "'\(pair.left)' stands twice") }
            pairs.append(pair)
        }
        return pairs.isEmpty ? nil : pairs
    }

    /// Returns texts by texts; `nil` for none.
    mutating func map(_ name: String) -> [String: String]? {
        pairs(name).map { pairs in Dictionary(pairs.map { ($0.left, $0.right) }) { first, _ in first } }
    }

    /// Returns values by their paths; `nil` for none.
    mutating func values(_ name: String) -> JSONObject? {
        guard let pairs = pairs(name) else { return nil }
        var values = JSONObject()
        for pair in pairs {
            guard let value = json(pair.right, of: name, in: "The value of '\(pair.left)'") else { continue }
            values[pair.left] = value
        }
        return values
    }
}
