/// An overload of a language function.
struct Overload: Sendable {
    let name: String
    /// True for the call syntax `a.name(b)`; the receiver is the first parameter.
    let isMember: Bool
    let parameters: [CELType]
    let result: CELType
    /// The body, called with one value of the right type per parameter. Its error has no range; the evaluator adds the
    /// range.
    let call: @Sendable ([Value], inout Budget) throws(EvaluationError) -> Value

    /// Creates a function called as `name(a, b)`.
    static func function(
        _ name: String, _ parameters: [CELType], _ result: CELType,
        _ call: @escaping @Sendable ([Value], inout Budget) throws(EvaluationError) -> Value
    ) -> Overload {
        Overload(name: name, isMember: false, parameters: parameters, result: result, call: call)
    }

    /// Creates a function called as `a.name(b)`; `parameters` begins with the receiver.
    static func member(
        _ name: String, _ parameters: [CELType], _ result: CELType,
        _ call: @escaping @Sendable ([Value], inout Budget) throws(EvaluationError) -> Value
    ) -> Overload {
        Overload(name: name, isMember: true, parameters: parameters, result: result, call: call)
    }
}
