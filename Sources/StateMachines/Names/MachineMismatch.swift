/// A type and its machine do not say the same: a state without a name, a value that does not fit.
public struct MachineMismatch: Error, Hashable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }

    /// Says of errors of reading and writing what they were about.
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
    /// What is wrong, in one sentence.
    fileprivate var reason: String {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context.debugDescription
        @unknown default: "\(self)"
        }
    }
}
