package import WorkflowJSON
import WorkflowSpelling

extension CELType {
    /// Returns the JSON value to store where this type is declared.
    ///
    /// Integers become doubles where a double is declared. Timestamps, durations and bytes must be valid strings, which
    /// stay unchanged. An object must have its fields, unless their type is optional, and no others. Values that need
    /// no change are not copied.
    ///
    /// - Parameter path: The value's name in messages: `data`.
    package func converted(
        _ json: JSONValue, at path: String, in version: LanguageVersion = .current
    ) throws(JSONMismatch) -> JSONValue {
        do {
            return try changed(json, version) ?? json
        } catch {
            throw error.within(path)
        }
    }

    /// Returns the value to store; `nil` if the value needs no change.
    private func changed(_ json: JSONValue, _ version: LanguageVersion) throws(JSONMismatch) -> JSONValue? {
        switch (self, json) {
        case (.dyn, _), (.optional, .null): return nil
        case (.null, .null), (.bool, .bool), (.int, .int), (.double, .double), (.string, .string): return nil
        case (.optional(let type), _): return try type.changed(json, version)
        case (.uint, .int(let int)):
            if int < 0 { throw JSONMismatch("is negative, not a uint") }
            return nil
        case (.double, .int(let int)):
            guard let double = Double(exactly: int) else { throw JSONMismatch("is an int that no double equals") }
            return .double(double)
        case (.timestamp, .string), (.duration, .string), (.bytes, .string):
            if !isText(json, version) { throw JSONMismatch("is a string, but not \(phrase)") }
            return nil
        case (.list(let type), .array(let elements)): return try type.changed(elements, version)
        case (.map(.string, let type), .object(let object)), (.map(.dyn, let type), .object(let object)):
            return try type.changed(object, version)
        case (.object(let type), .object(let object)): return try type.changed(object, version)
        default: throw JSONMismatch("is \(json.phrase), not \(phrase)")
        }
    }

    /// Returns true if a string can be read as a value of this type.
    private func isText(_ json: JSONValue, _ version: LanguageVersion) -> Bool {
        guard case .string(let text) = json else { return false }
        switch self {
        // The reading error is dropped, because the message says what the string should be.
        case .timestamp: return (try? Timestamp(text: text)) != nil
        case .duration: return (try? TimeSpan.read(text, in: version)) != nil
        case .bytes: return Base64.bytes(text) != nil
        default: return false
        }
    }

    /// Returns the list to store for elements of this type; `nil` if the list needs no change.
    private func changed(_ elements: [JSONValue], _ version: LanguageVersion) throws(JSONMismatch) -> JSONValue? {
        if self == .dyn { return nil }
        var changedElements: [JSONValue]?
        for (index, element) in elements.enumerated() {
            do {
                guard let element = try changed(element, version) else { continue }
                changedElements = changedElements ?? elements
                changedElements?[index] = element
            } catch {
                throw error.within("[\(index)]")
            }
        }
        return changedElements.map { .array($0) }
    }

    /// Returns the map to store for values of this type; `nil` if the map needs no change.
    private func changed(_ object: JSONObject, _ version: LanguageVersion) throws(JSONMismatch) -> JSONValue? {
        if self == .dyn { return nil }
        var changedObject: JSONObject?
        for member in object.members {
            guard let value = try changed(member, version) else { continue }
            changedObject = changedObject ?? object
            changedObject?[member.key] = value
        }
        return changedObject.map { .object($0) }
    }

    fileprivate func changed(
        _ member: JSONObject.Member, _ version: LanguageVersion
    ) throws(JSONMismatch) -> JSONValue? {
        do {
            return try changed(member.value, version)
        } catch {
            throw error.within(field: member.key)
        }
    }
}

extension ObjectType {
    fileprivate func changed(_ object: JSONObject, _ version: LanguageVersion) throws(JSONMismatch) -> JSONValue? {
        var changedObject: JSONObject?
        for member in object.members {
            guard let type = fields[member.key] else { throw unknown(member.key) }
            guard let value = try type.changed(member, version) else { continue }
            changedObject = changedObject ?? object
            changedObject?[member.key] = value
        }
        try checkPresence { object[$0] != nil }
        return changedObject.map { .object($0) }
    }

    /// Throws if a required field is absent.
    func checkPresence(_ isPresent: (String) -> Bool) throws(JSONMismatch) {
        guard let field = required.first(where: { !isPresent($0) }) else { return }
        throw JSONMismatch("is missing").within(field: field)
    }

    /// The largest number of fields among which an intended name is searched.
    private static let mostSuggested = 100

    /// Returns the mismatch of a field that the type lacks.
    func unknown(_ field: String) -> JSONMismatch {
        // Every mismatched value gets here, so large types are not searched.
        let known = fields.count > Self.mostSuggested ? [] : fields.keys.sorted()
        let closest = Spelling.closest(to: field, among: known)
        let hint = closest.map { "; did you mean '\($0)'?" } ?? ""
        return JSONMismatch("is no field of \(name)\(hint)").within(field: field)
    }
}

extension CELType {
    /// True if null and a missing value fit.
    var isOptional: Bool {
        if case .optional = self { true } else { false }
    }

    /// The type with its article, as in messages about JSON: `a double`, `an int`.
    package var phrase: String {
        switch self {
        case .dyn: "any value"
        case .null: "null"
        case .bool: "a bool"
        case .int: "an int"
        case .uint: "a uint"
        case .double: "a double"
        case .string: "a string"
        case .bytes: "bytes in base64"
        case .timestamp: "a timestamp such as '2026-01-31T12:00:00Z'"
        case .duration: "a duration such as '1h30m'"
        case .list: "a list"
        case .map(.string, _), .map(.dyn, _), .object: "a map"
        case .map: "a map with other keys than strings"
        case .type: "a type"
        case .optional(let type): type.phrase
        }
    }
}

extension JSONValue {
    /// The kind with its article: `an int`, `null`.
    fileprivate var phrase: String {
        switch self {
        case .null: "null"
        case .int: "an int"
        default: "a \(kind)"
        }
    }
}
