internal import Statechart
internal import WorkflowJSON

/// A task for a worker while the state is active: `Invoke(task: Stock.self, input: ["items": "context.items"])`.
///
/// The worker's result is the event that `OnDone` takes, with the output as `event.data`. An error comes to `OnError`.
/// Leaving the state cancels the task. It needs a host: a `StateMachine` refuses the definition.
public struct InvocationPiece<M: MachineDefinition>: Sendable {
    let part: TransitionPiece<M>

    /// A task of a type.
    ///
    /// Histories name its events after `id`, which is unique in the machine; nil for the state's path. `input` is what
    /// the worker is given, and must be as `T.Input` reads it. `priority` is 1 to 5, 1 first; nil for 3. `timeout` is
    /// for all attempts and the waiting between them; nil for as long as it takes. Without a `retry` there are 10
    /// attempts in about 9 minutes.
    public init<T: MachineTask>(
        task: T.Type, id: String? = nil, input: Template? = nil, priority: Expression? = nil,
        timeout: Duration? = nil, retry: Retry? = nil, fileID: StaticString = #fileID, line: Int = #line,
        @InvocationBuilder<M> _ ends: () -> [TransitionPiece<M>] = { [] }
    ) {
        self.init(
            InvocationContent(
                queue: T.queue, id: id, input: input, priority: priority, timeout: timeout?.definitionText,
                retry: retry, ends: ends().compactMap(\.content.transition), place: SwiftPlace(fileID, line)))
    }

    /// The same with a timeout that is computed when the state is entered: `timeout: "duration(context.patience)"`.
    public init<T: MachineTask>(
        task: T.Type, id: String? = nil, input: Template? = nil, priority: Expression? = nil, timeout: Expression,
        retry: Retry? = nil, fileID: StaticString = #fileID, line: Int = #line,
        @InvocationBuilder<M> _ ends: () -> [TransitionPiece<M>] = { [] }
    ) {
        self.init(
            InvocationContent(
                queue: T.queue, id: id, input: input, priority: priority, timeout: timeout.text,
                retry: retry, ends: ends().compactMap(\.content.transition), place: SwiftPlace(fileID, line)))
    }

    /// A task of a queue whose workers are other programs.
    public init(
        task queue: String, id: String? = nil, input: Template? = nil, priority: Expression? = nil,
        timeout: Duration? = nil, retry: Retry? = nil, fileID: StaticString = #fileID, line: Int = #line,
        @InvocationBuilder<M> _ ends: () -> [TransitionPiece<M>] = { [] }
    ) {
        self.init(
            InvocationContent(
                queue: queue, id: id, input: input, priority: priority, timeout: timeout?.definitionText,
                retry: retry, ends: ends().compactMap(\.content.transition), place: SwiftPlace(fileID, line)))
    }

    /// The same with a timeout that is computed when the state is entered.
    public init(
        task queue: String, id: String? = nil, input: Template? = nil, priority: Expression? = nil,
        timeout: Expression, retry: Retry? = nil, fileID: StaticString = #fileID, line: Int = #line,
        @InvocationBuilder<M> _ ends: () -> [TransitionPiece<M>] = { [] }
    ) {
        self.init(
            InvocationContent(
                queue: queue, id: id, input: input, priority: priority, timeout: timeout.text, retry: retry,
                ends: ends().compactMap(\.content.transition), place: SwiftPlace(fileID, line)))
    }

    private init(_ content: InvocationContent) {
        part = TransitionPiece(content: .invocation(content))
    }
}

/// A transition that is taken when the invocation has failed for good: `OnError(to: .refused)`.
///
/// `event.data` has `type`, `message`, `attempts`, and `details` of the worker.
public struct ErrorPiece<M: MachineDefinition>: Sendable {
    let transition: TransitionPiece<M>

    public init(
        to target: M.StateName, if condition: Expression? = nil, _ actions: MachineAction<M>...,
        fileID: StaticString = #fileID, line: Int = #line
    ) {
        transition = TransitionPiece(.failed, target.rawValue, condition, actions, SwiftPlace(fileID, line))
    }

    /// Without a target: the instance stays where it is.
    public init(
        if condition: Expression? = nil, _ actions: MachineAction<M>..., fileID: StaticString = #fileID,
        line: Int = #line
    ) {
        transition = TransitionPiece(.failed, nil, condition, actions, SwiftPlace(fileID, line))
    }
}

/// What stands in an invocation: what its end leads to.
@resultBuilder public enum InvocationBuilder<M: MachineDefinition> {
    public static func buildExpression(_ piece: DonePiece<M>) -> [TransitionPiece<M>] { [piece.transition] }
    public static func buildExpression(_ piece: ErrorPiece<M>) -> [TransitionPiece<M>] { [piece.transition] }
    public static func buildBlock(_ pieces: [TransitionPiece<M>]...) -> [TransitionPiece<M>] {
        pieces.flatMap { $0 }
    }
    public static func buildArray(_ pieces: [[TransitionPiece<M>]]) -> [TransitionPiece<M>] { pieces.flatMap { $0 } }
    public static func buildOptional(_ pieces: [TransitionPiece<M>]?) -> [TransitionPiece<M>] { pieces ?? [] }
    public static func buildEither(first pieces: [TransitionPiece<M>]) -> [TransitionPiece<M>] { pieces }
    public static func buildEither(second pieces: [TransitionPiece<M>]) -> [TransitionPiece<M>] { pieces }
}

/// How often an invocation is tried, and how long it waits in between. A value that is nil is the default.
///
/// A list has several rules, and the first that fits a failure counts:
/// `[Retry(on: ["no-box"], attempts: 50), Retry(attempts: 3)]`. Each rule counts the failures that it fits. When no
/// rule fits, the invocation has failed.
public struct Retry: Sendable, Hashable, ExpressibleByArrayLiteral {
    private struct Rule: Sendable, Hashable {
        var on: [String]
        var attempts: JSONValue?
        var first: Duration?
        var factor: Double?
        var limit: Duration?
        var jitter: Double?
        var except: [String]
    }

    private var rules: [Rule]

    /// - Parameters:
    ///   - on: Types of errors that the rule fits; empty for all.
    ///   - attempts: 1 to 1,000, the first among them; nil for 10. In a list up to 100.
    ///   - first: Before the second attempt; nil for a second.
    ///   - factor: How much longer each wait is than the one before, 1 to 100; nil for 2.
    ///   - limit: The longest wait; nil for five minutes.
    ///   - jitter: By what part of itself a wait may be longer or shorter, 0 to 1; nil for 0.2.
    ///   - except: Types of errors after which nothing is tried again.
    public init(
        on: [String] = [], attempts: Int? = nil, first: Duration? = nil, factor: Double? = nil,
        limit: Duration? = nil, jitter: Double? = nil, except: [String] = []
    ) {
        rules = [
            Rule(
                on: on, attempts: attempts.map { .int(Int64($0)) }, first: first, factor: factor, limit: limit,
                jitter: jitter, except: except)
        ]
    }

    /// Joins the rules of several values, in their order.
    public init(arrayLiteral elements: Retry...) {
        rules = elements.flatMap(\.rules)
    }

    /// Tried until it is done, or until its timeout.
    public static func unlimited(
        on: [String] = [], first: Duration? = nil, factor: Double? = nil, limit: Duration? = nil,
        jitter: Double? = nil, except: [String] = []
    ) -> Retry {
        var retry = Retry(on: on, first: first, factor: factor, limit: limit, jitter: jitter, except: except)
        for place in retry.rules.indices { retry.rules[place].attempts = "unlimited" }
        return retry
    }

    /// As a definition writes it.
    var json: JSONValue {
        let written = rules.map { rule in
            var object = JSONObject()
            object["on"] = rule.on.isEmpty ? nil : .array(rule.on.map(JSONValue.string))
            object["attempts"] = rule.attempts
            object["first"] = rule.first.map { .string($0.definitionText) }
            object["factor"] = rule.factor.map(JSONValue.double)
            object["limit"] = rule.limit.map { .string($0.definitionText) }
            object["jitter"] = rule.jitter.map(JSONValue.double)
            object["except"] = rule.except.isEmpty ? nil : .array(rule.except.map(JSONValue.string))
            return JSONValue.object(object)
        }
        return written.count == 1 ? written[0] : .array(written)
    }
}

/// An invocation, by the texts of its parts.
struct InvocationContent: Sendable {
    let queue: String
    let id: String?
    let input: Template?
    let priority: Expression?
    let timeout: String?
    let retry: Retry?
    let ends: [TransitionContent]
    let place: SwiftPlace
}
