/// Why a body, a query or an answer is not what its wire type asks for.
public struct WireError: Error, Equatable, CustomStringConvertible {
    /// What kind of mistake it is.
    public enum Code: String, Sendable {
        /// Not JSON, or JSON with a number that cannot be kept.
        case malformed
        /// A field that the type does not have.
        case unknownField = "unknown-field"
        /// A field that must be there is not.
        case missingField = "missing-field"
        /// A value of the wrong kind or outside of its range.
        case invalidValue = "invalid-value"
        /// A query parameter that is unknown, repeated, or has a value that it cannot have.
        case invalidParameter = "invalid-parameter"
    }

    public let code: Code
    /// Where it is, from the body down: `expect.seq`, `items[3].from`; a parameter's name; empty for the body itself.
    public let path: String
    /// What is wrong, on which thing, and what to do; no full stop at its end.
    public let message: String

    /// Takes the parts as they are.
    public init(_ code: Code, path: String, message: String) {
        self.code = code
        self.path = path
        self.message = message
    }

    public var description: String { message }

    /// The problem with which a server answers this mistake.
    public var problemType: ProblemType {
        code == .invalidParameter ? .invalidParameter : .invalidRequest
    }
}
