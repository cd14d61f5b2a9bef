extension CELType {
    /// Returns true if a value may have both types, as far as the types are known.
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

    /// Returns the type of a value that has one of two types.
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

    /// Returns the type of a value that has one of these types; `dyn` for none.
    package static func joined(_ types: some Sequence<CELType>) -> CELType {
        var joined: CELType?
        for type in types { joined = joined?.joined(type) ?? type }
        return joined ?? .dyn
    }

    /// True if the type is completely known, including the types of elements, entries and contents.
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
