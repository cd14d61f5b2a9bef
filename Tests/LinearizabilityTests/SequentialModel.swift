import WorkflowClient

/// A thing as a reader of its manual would write it: the answer to each request, and the change that it makes.
protocol SequentialModel: Hashable {
    associatedtype Action: Hashable, Sendable
    associatedtype Answer: Hashable, Sendable
    /// A value that differs after each change that affects answers.
    associatedtype Place: Hashable, CustomStringConvertible

    /// Creates the model in its initial state.
    init()

    var place: Place { get }

    /// The number of macrosteps.
    var seq: Int64 { get }

    /// Carries out a request.
    mutating func answer(to action: Action) -> Answer

    /// Returns the seq that an answer gives to its own request; `nil` if it gives none.
    static func seq(of answer: Answer) -> Int64?

    /// Returns the key of a request, which other requests may have too.
    static func key(of action: Action) -> String?
}

/// A request with its time and its answer.
struct Operation<Model: SequentialModel>: CustomStringConvertible, Sendable {
    let action: Model.Action
    /// The points between which the request took effect, if it did. All clients share the clock.
    let call: Int
    /// The end; `nil` if the request may take effect at any later time.
    var end: Int?
    /// The answer; `nil` if there was none, so that the request took effect once or never.
    var answer: Model.Answer?

    var description: String {
        "\(action) from \(call) to \(end.map(String.init) ?? "…") was told \(answer.map { "\($0)" } ?? "nothing")"
    }
}

/// A client that records its operations, by the thing that they concern.
protocol RecordingClient: Sendable {
    associatedtype Model: SequentialModel

    var number: Int { get }
    var history: [String: [Operation<Model>]] { get set }

    /// Continues until the daemon dies, or until a number of requests are answered. Reports each step: a written
    /// request, a read answer.
    mutating func run(_ address: Address, requests: Int, step: () -> Void) throws
}

extension RecordingClient {
    /// Ends the requests without an answer: they took effect before this moment, or never.
    mutating func daemonDied(at time: Int) {
        for name in history.keys {
            history[name] = history[name]?.map { operation in
                var operation = operation
                if operation.end == nil { operation.end = time }
                return operation
            }
        }
    }
}
