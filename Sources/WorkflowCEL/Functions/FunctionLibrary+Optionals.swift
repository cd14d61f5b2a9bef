extension FunctionLibrary {
    /// The functions that create and read optionals. The evaluator itself has `or` and `orValue`, which may skip their
    /// argument.
    static let optionalFunctions: [Overload] = [
        .function("optional.of", [.dyn], .optional(.dyn)) { values, _ throws(EvaluationError) in .optional(values[0]) },
        .function("optional.none", [], .optional(.dyn)) { _, _ throws(EvaluationError) in .optional(nil) },
        .function("optional.ofNonZeroValue", [.dyn], .optional(.dyn)) { values, _ throws(EvaluationError) in
            .optional(isZero(values[0]) ? nil : values[0])
        },
        .member("hasValue", [.optional(.dyn)], .bool) { values, _ throws(EvaluationError) in
            .bool(content(values[0]) != nil)
        },
        .member("value", [.optional(.dyn)], .dyn) { values, _ throws(EvaluationError) in
            guard let content = content(values[0]) else {
                throw EvaluationError(
                    .invalidArgument, "the optional has no value; write .orValue(…), or ask .hasValue() first")
            }
            return content
        },
    ]

    private static func content(_ value: Value) -> Value? {
        if case .optional(let content) = value { content } else { nil }
    }

    /// Returns true if a value is the zero value of its type.
    private static func isZero(_ value: Value) -> Bool {
        switch value {
        case .null: true
        case .bool(let bool): !bool
        case .int(let int): int == 0
        case .uint(let uint): uint == 0
        case .double(let double): double == 0
        case .string(let string): string.isEmpty
        case .bytes(let bytes): bytes.isEmpty
        case .list(let list): list.count == 0
        case .map(let map): map.count == 0
        case .timestamp(let moment): moment == .earliest
        case .duration(let duration): duration == .zero
        case .type: false
        case .optional(let content): content == nil
        }
    }
}
