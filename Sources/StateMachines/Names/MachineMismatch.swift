/// A type that does not match its machine: a state without a name, or a value that does not fit.
public struct MachineMismatch: Error, Hashable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }

    /// Prefixes coding errors with the thing that was read or written.
    static func told<Value>(_ what: @autoclosure () -> String, _ body: () throws -> Value) throws(MachineMismatch)
        -> Value
    {
        do {
            return try body()
        } catch let error as MachineMismatch {
            throw MachineMismatch("\(what()): \(error.description)")
        } catch let error as DecodingError {
            throw MachineMismatch("\(what()): \(error.reason)")
        } catch {
            throw MachineMismatch("\(what()): \(error)")
        }
    }
}

extension DecodingError {
    /// The cause of the error, in one sentence.
    fileprivate var reason: String {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context.debugDescription
        @unknown default: "\(self)"
        }
    }
}
