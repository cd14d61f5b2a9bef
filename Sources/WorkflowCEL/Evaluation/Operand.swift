/// A part of an expression, as messages speak of it.
struct Operand: Sendable {
    /// As written, `…` when that is long.
    let text: String
    /// Whether it is written out as a number: `1`.
    var isInteger = false
}
