extension CELType {
    /// Whether a value can be of both types, for all that is known.
    func isCompatible(with other: CELType) -> Bool {
        switch (self, other) {
        case (.dyn, _), (_, .dyn): true
        case (.list(let left), .list(let right)): left.isCompatible(with: right)
        case (.map(let leftKey, let left), .map(let rightKey, let right)):
            leftKey.isCompatible(with: rightKey) && left.isCompatible(with: right)
        case (.object, .object): true
        case (.object, .map(let key, _)), (.map(let key, _), .object): key.isCompatible(with: .string)
        case (.optional(let left), .optional(let right)): left.isCompatible(with: right)
        default: self == other
        }
    }

    /// What is known of a value that is of one of two types.
    func joined(_ other: CELType) -> CELType {
        if self == other { return self }
        switch (self, other) {
        case (.list(let left), .list(let right)): return .list(left.joined(right))
        case (.map(let leftKey, let left), .map(let rightKey, let right)):
            return .map(key: leftKey.joined(rightKey), value: left.joined(right))
        case (.optional(let left), .optional(let right)): return .optional(left.joined(right))
        default: return .dyn
        }
    }

    /// What is known of a value that is of one of these types; `dyn` for none.
    package static func joined(_ types: some Sequence<CELType>) -> CELType {
        var joined: CELType?
        for type in types { joined = joined?.joined(type) ?? type }
        return joined ?? .dyn
    }

    /// Whether everything is known about the value, also about what it holds.
    var isKnown: Bool {
        switch self {
        case .dyn, .object: false
        case .list(let element): element.isKnown
        case .map(let key, let value): key.isKnown && value.isKnown
        case .optional(let content): content.isKnown
        default: true
        }
    }

    var isNumber: Bool { self == .int || self == .uint || self == .double }
}
