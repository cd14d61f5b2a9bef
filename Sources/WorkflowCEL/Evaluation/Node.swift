/// A part of a compiled expression.
///
/// The activation is passed along as a generic parameter, never copied or boxed: reading a variable costs one call.
protocol Node: AnyObject, Sendable {
    /// The part's value.
    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value
}
