extension FieldName {
    /// Returns the field of a value; an optional if the value is an optional.
    @inline(__always)
    func select(from value: Value, _ budget: inout Budget) throws(EvaluationError) -> Value {
        if case .map(let map) = value, let found = self.value(in: map) { return found }
        return try selectUnusual(from: value, &budget)
    }

    @inline(never)
    private func selectUnusual(from value: Value, _ budget: inout Budget) throws(EvaluationError) -> Value {
        switch value {
        case .map(let map): throw try noSuchKey(in: map, &budget)
        case .optional(let content):
            guard let content else { return value }
            return .optional(try find(in: content, &budget))
        default: throw try noFields(in: value, &budget)
        }
    }

    /// Returns the field of a value if present. Null has no fields.
    func find(in value: Value, _ budget: inout Budget) throws(EvaluationError) -> Value? {
        switch value {
        case .map(let map): return self.value(in: map)
        case .optional(let content):
            guard let content else { return nil }
            return try find(in: content, &budget)
        case .null: return nil
        default: throw try noFields(in: value, &budget)
        }
    }

    private func noSuchKey(in map: MapValue, _ budget: inout Budget) throws(EvaluationError) -> EvaluationError {
        try budget.takeMessage(parts: MissingKey.cost(name, map))
        return EvaluationError(
            .noSuchKey, MissingKey.message("'\(name)'", name, in: map, owner),
            discreet: "no such key: '\(name)' in \(owner)", range: range)
    }

    private func noFields(in value: Value, _ budget: inout Budget) throws(EvaluationError) -> EvaluationError {
        try budget.takeMessage()
        if case .null = value {
            let advice = owner.hasPrefix("…") ? "" : "; ask \(owner) != null first"
            return EvaluationError(
                .noSuchKey, "no such key: '\(name)' in \(owner), which is null\(advice)",
                discreet: "no such key: '\(name)' in \(owner), which is null\(advice)", range: range)
        }
        return EvaluationError(
            .noOverload, "no such field: '\(name)' in \(owner), which is \(value.typeName.withArticle)", range: range)
    }
}
