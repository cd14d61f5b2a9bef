package import WorkflowJSON

/// A list, created by an expression or part of a JSON document.
package enum ListValue: Sendable {
    case values([Value])
    case json([JSONValue])

    package var count: Int {
        switch self {
        case .values(let values): values.count
        case .json(let elements): elements.count
        }
    }

    /// Returns the element at an index.
    ///
    /// - Precondition: `0 <= index && index < count`.
    package subscript(index: Int) -> Value {
        switch self {
        case .values(let values): values[index]
        case .json(let elements): Value(elements[index])
        }
    }
}
