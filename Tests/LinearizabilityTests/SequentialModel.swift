import WorkflowClient

/// A thing as a reader of its manual would write it: what is told about each request, and what that changes.
protocol SequentialModel: Hashable {
    associatedtype Action: Hashable, Sendable
    associatedtype Answer: Hashable, Sendable
    /// What differs after each change of what answers depend on.
    associatedtype Place: Hashable, CustomStringConvertible

    /// As it is at the start.
    init()

    var place: Place { get }

    /// How many macrosteps there were.
    var seq: Int64 { get }

    /// Carries a request out.
    mutating func answer(to action: Action) -> Answer

    /// The seq that an answer gives to its own request; nil for an answer that gives none.
    static func seq(of answer: Answer) -> Int64?

    /// The key of a request, which others may have too.
    static func key(of action: Action) -> String?
}

/// A request, when it was under way, and what was told.
struct Operation<Model: SequentialModel>: CustomStringConvertible, Sendable {
    let action: Model.Action
    /// Points of one clock that all clients share: the request took effect between them, if it did.
    let call: Int
    /// Nil when it may take effect at any later time.
    var end: Int?
    /// Nil when nothing was told: it took effect once or never.
    var answer: Model.Answer?

    var description: String {
        "\(action) from \(call) to \(end.map(String.init) ?? "…") was told \(answer.map { "\($0)" } ?? "nothing")"
    }
}

/// A client that remembers all that it did, by the thing that it did it to.
protocol RecordingClient: Sendable {
    associatedtype Model: SequentialModel

    var number: Int { get }
    var history: [String: [Operation<Model>]] { get set }

    /// Goes on until the daemon dies, or until a number of requests are answered; tells of each step: a request
    /// written, an answer read.
    mutating func run(_ address: Address, requests: Int, step: () -> Void) throws
}

extension RecordingClient {
    /// What got no answer took effect before this moment, or never.
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
