package import WorkflowJSON

/// The types of values that are stored as JSON: the context of an instance, the data of an event.
extension CELType {
    /// The type that an expression sees for JSON of this type. Timestamps, durations and bytes are strings there. An
    /// optional is read as its content.
    package var asRead: CELType {
        switch self {
        case .timestamp, .duration, .bytes: .string
        case .uint: .int
        case .optional(let type): type.asRead
        case .list(let element): .list(element.asRead)
        case .map(_, let value): .map(key: .string, value: value.asRead)
        case .object(let type): .object(ObjectType(name: type.name, fields: type.fields.mapValues(\.asRead)))
        case .dyn, .null, .bool, .int, .double, .string, .type: self
        }
    }

    /// Creates the type of a JSON value without the types of its elements; `dyn` for null.
    package init(kindOf json: JSONValue) {
        self =
            switch json {
            case .null: .dyn
            case .bool: .bool
            case .int: .int
            case .double: .double
            case .string: .string
            case .array: .list(.dyn)
            case .object: .map(key: .string, value: .dyn)
            }
    }

    /// Creates the full type of a JSON value, including its elements.
    package init(of json: JSONValue) {
        switch json {
        case .null: self = .null
        case .array(let elements): self = .list(.joined(elements.map(CELType.init(of:))))
        case .object(let object):
            let fields = Dictionary(uniqueKeysWithValues: object.members.map { ($0.key, CELType(of: $0.value)) })
            self = .object(ObjectType(name: "the map", fields: fields))
        case .bool, .int, .double, .string: self.init(kindOf: json)
        }
    }

    /// True if values of this type can be JSON. A map in JSON has strings as keys.
    package var hasJSON: Bool {
        switch self {
        case .type: false
        case .map(let key, let value): (key == .string || key == .dyn) && value.hasJSON
        case .list(let type), .optional(let type): type.hasJSON
        case .object(let type): type.fields.values.allSatisfy(\.hasJSON)
        case .dyn, .null, .bool, .int, .uint, .double, .string, .bytes, .timestamp, .duration: true
        }
    }

    /// Returns the type below a value of this type: at a key of a map, or at an index of a list if `key` is `nil`.
    /// Returns `dyn` if the value is neither; that mistake shows when the value is read.
    ///
    /// - Parameter path: The value's name in messages.
    package func below(_ key: String?, at path: String) throws(JSONMismatch) -> CELType {
        switch (self, key) {
        case (.optional(let type), _): return try type.below(key, at: path)
        case (.list(let element), nil): return element
        case (.map(_, let value), _?): return value
        case (.object(let type), let key?):
            guard let field = type.fields[key] else { throw type.unknown(key).within(path) }
            return field
        default: return .dyn
        }
    }
}

// MARK: What is known before it runs

extension CELType {
    /// Throws if no value of the expression can be stored where this type is declared.
    ///
    /// - Parameters:
    ///   - given: The type of the expression.
    ///   - path: The value's name in messages: `context.amount`.
    package func check(_ given: CELType, at path: String) throws(JSONMismatch) {
        do {
            try check(given)
        } catch {
            throw error.within(path)
        }
    }

    /// Returns true if every value of this type can be stored unchanged where another type is declared.
    package func isExactly(_ declared: CELType) -> Bool {
        switch (self, declared) {
        case (_, .dyn), (.bool, .bool), (.int, .int), (.double, .double), (.string, .string), (.null, .null): true
        case (.null, .optional): true
        case (_, .optional(let type)): isExactly(type)
        case (.list, .list(.dyn)), (.object, .map(_, .dyn)), (.map, .map(_, .dyn)): true
        default: false
        }
    }

    private func check(_ given: CELType) throws(JSONMismatch) {
        switch (self, given) {
        case (.dyn, _), (_, .dyn), (.optional, .null): return
        case (.optional(let type), _): try type.check(given)
        case (.null, .null), (.bool, .bool), (.string, .string), (.bytes, .bytes), (.bytes, .string): return
        case (.int, .int), (.int, .uint), (.uint, .int), (.uint, .uint): return
        case (.double, .int), (.double, .uint), (.double, .double): return
        // Values without JSON become strings. The content of a string is checked when the value exists.
        case (.string, .timestamp), (.string, .duration), (.string, .bytes): return
        case (.timestamp, .string), (.timestamp, .timestamp), (.duration, .string), (.duration, .duration): return
        case (.list(let type), .list(let element)):
            do {
                try type.check(element)
            } catch {
                throw error.within("[]")
            }
        case (.map(_, let type), .map(let key, let value)) where key.isCompatible(with: .string):
            do {
                try type.check(value)
            } catch {
                throw error.within("[]")
            }
        case (.map(_, let type), .object(let object)):
            for (key, field) in object.fields.sorted(by: { $0.key < $1.key }) { try type.check(field, of: key) }
        case (.object, .map(let key, _)) where key.isCompatible(with: .string): return
        case (.object(let type), .object(let object)): try type.check(object)
        default: throw JSONMismatch("is \(given.typeName?.withArticle ?? word), not \(phrase)\(advice(given))")
        }
    }

    fileprivate func check(_ given: CELType, of field: String) throws(JSONMismatch) {
        do {
            try check(given)
        } catch {
            throw error.within(field: field)
        }
    }

    /// Returns the advice for converting a value to this type.
    private func advice(_ given: CELType) -> String {
        switch (self, given) {
        case (.int, .double), (.int, .string), (.double, .string): "; write \(word)(…)"
        case (.string, .int), (.string, .double), (.string, .bool): "; write string(…)"
        case (_, .optional): "; write .orValue(…)"
        default: ""
        }
    }
}

extension ObjectType {
    fileprivate func check(_ given: ObjectType) throws(JSONMismatch) {
        for (key, field) in given.fields.sorted(by: { $0.key < $1.key }) {
            guard let type = fields[key] else { throw unknown(key) }
            try type.check(field, of: key)
        }
        try checkPresence { given.fields[$0] != nil }
    }
}
