/// What is known about a value before it is there.
package indirect enum CELType: Sendable, Equatable {
    /// Nothing is known; everything is checked when it runs.
    case dyn
    case null, bool, int, uint, double, string, bytes, timestamp, duration
    case list(CELType)
    case map(key: CELType, value: CELType)
    /// A map with string keys, some of them known by name.
    case object(ObjectType)
    case type
    case optional(CELType)
}

/// A map of which the keys are known.
package struct ObjectType: Sendable, Equatable {
    /// What the value is called in messages: `the context`, `event 'pay'`.
    package let name: String
    package let fields: [String: CELType]
    /// Those that must be there, sorted.
    let required: [String]

    package init(name: String, fields: [String: CELType]) {
        self.name = name
        self.fields = fields
        required = fields.filter { !$0.value.isOptional }.keys.sorted()
    }
}
