/// The knowledge about a value before evaluation.
package indirect enum CELType: Sendable, Equatable {
    /// An unknown type; every use is checked at evaluation.
    case dyn
    case null, bool, int, uint, double, string, bytes, timestamp, duration
    case list(CELType)
    case map(key: CELType, value: CELType)
    /// A map with string keys, some of them known by name.
    case object(ObjectType)
    case type
    case optional(CELType)
}

/// A map whose keys are known.
package struct ObjectType: Sendable, Equatable {
    /// The value's name in messages: `the context`, `event 'pay'`.
    package let name: String
    package let fields: [String: CELType]
    /// The names of the required fields, sorted.
    let required: [String]

    package init(name: String, fields: [String: CELType]) {
        self.name = name
        self.fields = fields
        required = fields.filter { !$0.value.isOptional }.keys.sorted()
    }
}
