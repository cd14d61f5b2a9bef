/// The value types that a parameter accepts, one bit each.
struct KindSet: OptionSet, Sendable {
    let rawValue: UInt16

    static let any = KindSet(rawValue: .max)

    init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Creates the set with the kind of a value.
    init(_ value: Value) {
        let bit =
            switch value {
            case .null: 0
            case .bool: 1
            case .int: 2
            case .uint: 3
            case .double: 4
            case .string: 5
            case .bytes: 6
            case .list: 7
            case .map: 8
            case .timestamp: 9
            case .duration: 10
            case .type: 11
            case .optional: 12
            }
        rawValue = 1 << UInt16(bit)
    }

    /// Creates the set of the kinds that values of a type have.
    init(_ type: CELType) {
        let bit: Int
        switch type {
        case .dyn:
            self = .any
            return
        case .null: bit = 0
        case .bool: bit = 1
        case .int: bit = 2
        case .uint: bit = 3
        case .double: bit = 4
        case .string: bit = 5
        case .bytes: bit = 6
        case .list: bit = 7
        case .map, .object: bit = 8
        case .timestamp: bit = 9
        case .duration: bit = 10
        case .type: bit = 11
        case .optional: bit = 12
        }
        rawValue = 1 << UInt16(bit)
    }

    /// Returns true if each value has a kind that its parameter accepts.
    static func fit(_ values: [Value], _ parameters: [KindSet]) -> Bool {
        guard values.count == parameters.count else { return false }
        for index in parameters.indices where !parameters[index].contains(KindSet(values[index])) { return false }
        return true
    }
}
