/// One way to call a function of the language.
struct Overload: Sendable {
    let name: String
    /// Whether it is called as `a.name(b)`; the receiver is the first parameter.
    let isMember: Bool
    let parameters: [CELType]
    let result: CELType
    /// Gets as many values as there are parameters, each of its parameter's type. Fails without a range: the evaluator
    /// adds where.
    let call: @Sendable ([Value], inout Budget) throws(EvaluationError) -> Value

    /// A function called as `name(a, b)`.
    static func function(
        _ name: String, _ parameters: [CELType], _ result: CELType,
        _ call: @escaping @Sendable ([Value], inout Budget) throws(EvaluationError) -> Value
    ) -> Overload {
        Overload(name: name, isMember: false, parameters: parameters, result: result, call: call)
    }

    /// A function called as `a.name(b)`; `parameters` begins with the receiver.
    static func member(
        _ name: String, _ parameters: [CELType], _ result: CELType,
        _ call: @escaping @Sendable ([Value], inout Budget) throws(EvaluationError) -> Value
    ) -> Overload {
        Overload(name: name, isMember: true, parameters: parameters, result: result, call: call)
    }
}
