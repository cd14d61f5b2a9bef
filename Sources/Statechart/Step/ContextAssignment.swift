import WorkflowCEL
package import WorkflowJSON

/// A computed value to set at a path of the context.
struct ContextAssignment {
    /// One step of a path, with its key or index computed.
    enum Step: Equatable {
        case key(String)
        case index(Int64)
    }

    /// The steps from the context down; the first step is a key.
    let path: [Step]
    /// The path as written, for messages.
    let text: String
    let value: JSONValue
    /// The type of the path's first key; `dyn` if the value is known to fit.
    let type: CELType

    /// The reason why a value cannot be set.
    struct Failure: Error {
        let message: String
        /// The message without data. All failures share this message, because a path may contain keys of the data.
        var discreet = "the context has no place for it"
    }

    /// Sets the value. All steps but the last must exist. The last step may be a new key of a map, or the index just
    /// past a list's end. A new key of the context is an error.
    ///
    /// A key whose initial value is a double keeps doubles, with or without a declared type.
    func apply(to context: inout JSONObject, of machine: Machine) throws(Failure) {
        guard case .key(let key)? = path.first else { throw .noKey("") }
        if path.count == 1 { return try context.set(value, forKey: key, type: type, of: machine) }
        guard let old = context[key] else { throw .noKey(key) }
        context[key] = try old.setting(
            value, at: path.dropFirst(), below: key, type, machine.semantics.language)
    }
}

extension ContextAssignment.Step {
    /// Returns the type of the value at this step, below a value of a type.
    fileprivate func type(below type: CELType, at parent: String) throws(ContextAssignment.Failure) -> CELType {
        if case .dyn = type { return .dyn }
        do throws(JSONMismatch) {
            return switch self {
            case .key(let key): try type.below(key, at: parent)
            case .index: try type.below(nil, at: parent)
            }
        } catch {
            throw ContextAssignment.Failure(error)
        }
    }
}

extension ContextAssignment.Failure {
    fileprivate static func noKey(_ key: String) -> Self { Self(message: "the context has no key '\(key)'") }

    fileprivate init(_ mismatch: JSONMismatch) {
        self.init(message: mismatch.message, discreet: "the value does not fit the type of its key")
    }
}

extension JSONObject {
    /// Sets a key of the context.
    ///
    /// - Parameters:
    ///   - type: The type that the value must fit; `dyn` if the value is known to fit.
    mutating func set(
        _ value: JSONValue, forKey key: String, type: CELType, of machine: Machine
    ) throws(ContextAssignment.Failure) {
        guard case .dyn = type else {
            guard self[key] != nil else { throw .noKey(key) }
            self[key] = try value.kept(as: type, at: key, machine.semantics.language)
            return
        }
        var fitting = value
        // A key that `foreach` created has no initial value, and accepts every value.
        if case .int = value { fitting = value.converted(toMatch: machine.context[key] ?? .null) }
        guard replace(fitting, forKey: key) else { throw .noKey(key) }
    }
}

extension JSONValue {
    /// Returns the value converted to a type, or throws if the value does not fit.
    fileprivate func kept(
        as type: CELType, at path: String, _ language: LanguageVersion
    ) throws(ContextAssignment.Failure) -> JSONValue {
        do throws(JSONMismatch) {
            return try type.converted(self, at: path, in: language)
        } catch {
            throw ContextAssignment.Failure(error)
        }
    }

    /// Returns a copy with a value set at a path. Only the type at the end of the path is checked.
    fileprivate func setting(
        _ value: JSONValue, at path: ArraySlice<ContextAssignment.Step>, below parent: String, _ type: CELType,
        _ language: LanguageVersion
    ) throws(ContextAssignment.Failure) -> JSONValue {
        guard let step = path.first else {
            if case .dyn = type { return value }
            return try value.kept(as: type, at: parent, language)
        }
        let inner = try step.type(below: type, at: parent)
        switch (step, self) {
        case (.key(let key), .object(var object)):
            guard path.count == 1 || object[key] != nil else {
                throw ContextAssignment.Failure(message: "'\(parent)' has no key '\(key)'")
            }
            object[key] = try (object[key] ?? .null).setting(
                value, at: path.dropFirst(), below: "\(parent).\(key)", inner, language)
            return .object(object)
        case (.index(let index), .array(var array)):
            // A list grows by an assignment to the index just past its last element.
            guard let offset = Int(exactly: index), offset >= 0, offset < array.count + (path.count == 1 ? 1 : 0)
            else {
                throw ContextAssignment.Failure(
                    message: "'\(parent)' has no element \(index); it has \(array.count)")
            }
            if offset == array.count { array.append(.null) }
            array[offset] = try array[offset].setting(
                value, at: path.dropFirst(), below: "\(parent)[\(index)]", inner, language)
            return .array(array)
        case (.key, _): throw ContextAssignment.Failure(message: "'\(parent)' is \(described), not a map")
        case (.index, _): throw ContextAssignment.Failure(message: "'\(parent)' is \(described), not a list")
        }
    }

    /// Returns a description for messages: `a string`, `an int`, `null`.
    var described: String {
        switch self {
        case .null: "null"
        case .int: "an int"
        default: "a \(kind)"
        }
    }
}

extension JSONValue {
    /// Converts an integer to a double if the initial value is a double; returns every other value unchanged.
    package func converted(toMatch initial: JSONValue) -> JSONValue {
        if case (.int(let int), .double) = (self, initial) { .double(Double(int)) } else { self }
    }
}
