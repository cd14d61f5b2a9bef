extension Overload {
    /// The call syntax: `name(a, b)`, `a.name(b)`, or both.
    enum Style {
        case function, member

        static let both: [Style] = [.function, .member]
    }

    /// Creates a function of one parameter. The closure's types are the default; `takes` and `gives` can be more
    /// precise.
    static func native<First: NativeValue, Result: NativeValue>(
        _ style: Style, _ name: String, takes: [CELType] = [First.celType], gives: CELType = Result.celType,
        _ body: @escaping @Sendable (First, inout Budget) throws(EvaluationError) -> Result
    ) -> Overload {
        Overload(name: name, isMember: style == .member, parameters: takes, result: gives) {
            arguments, budget throws(EvaluationError) in
            guard let first = First.native(arguments[0]) else { throw mismatch(name, arguments) }
            return try body(first, &budget).celValue
        }
    }

    /// Creates a function of two parameters.
    static func native<First: NativeValue, Second: NativeValue, Result: NativeValue>(
        _ style: Style, _ name: String,
        takes: [CELType] = [First.celType, Second.celType], gives: CELType = Result.celType,
        _ body: @escaping @Sendable (First, Second, inout Budget) throws(EvaluationError) -> Result
    ) -> Overload {
        Overload(name: name, isMember: style == .member, parameters: takes, result: gives) {
            arguments, budget throws(EvaluationError) in
            guard let first = First.native(arguments[0]), let second = Second.native(arguments[1]) else {
                throw mismatch(name, arguments)
            }
            return try body(first, second, &budget).celValue
        }
    }

    /// Creates a function of three parameters.
    static func native<First: NativeValue, Second: NativeValue, Third: NativeValue, Result: NativeValue>(
        _ style: Style, _ name: String,
        takes: [CELType] = [First.celType, Second.celType, Third.celType], gives: CELType = Result.celType,
        _ body: @escaping @Sendable (First, Second, Third, inout Budget) throws(EvaluationError) -> Result
    ) -> Overload {
        Overload(name: name, isMember: style == .member, parameters: takes, result: gives) {
            arguments, budget throws(EvaluationError) in
            guard let first = First.native(arguments[0]), let second = Second.native(arguments[1]),
                let third = Third.native(arguments[2])
            else { throw mismatch(name, arguments) }
            return try body(first, second, third, &budget).celValue
        }
    }

    /// Returns the error of a call whose values do not have the parameters' types.
    static func mismatch(_ name: String, _ arguments: [Value]) -> EvaluationError {
        let types = arguments.map(\.typeName.word).joined(separator: ", ")
        return EvaluationError(.noOverload, "no such overload: \(name)(\(types))")
    }
}
