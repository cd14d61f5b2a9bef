internal import Statechart
internal import WorkflowJSON

/// A task for a worker while the state is active: `Invoke(task: Stock.self, input: ["items": "context.items"])`.
///
/// The worker's result is the event that `OnDone` takes, with the output as `event.data`. An error leads to `OnError`.
/// Leaving the state cancels the task. A task needs a host: a `StateMachine` refuses the definition.
public struct InvocationPiece<M: MachineDefinition>: Sendable {
    let part: TransitionPiece<M>

    /// Creates a task of a type.
    ///
    /// Histories name the task's events after `id`, which is unique in the machine; `nil` uses the state's path.
    /// `input` is the worker's input, in the form that `T.Input` reads. `priority` is 1 to 5, with 1 first; `nil` means
    /// 3. `timeout` covers all attempts and the waits between them; `nil` means no limit. Without `retry` there are 10
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

    /// Creates a task whose timeout is computed when the state is entered: `timeout: "duration(context.patience)"`.
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

    /// Creates a task of a queue whose workers are other programs.
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

    /// Creates a task of a queue, with a timeout that is computed when the state is entered.
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
/// `event.data` has `type`, `message` and `attempts`, and the worker's `details`.
public struct ErrorPiece<M: MachineDefinition>: Sendable {
    let transition: TransitionPiece<M>

    public init(
        to target: M.StateName, if condition: Expression? = nil, _ actions: MachineAction<M>...,
        fileID: StaticString = #fileID, line: Int = #line
    ) {
        transition = TransitionPiece(.failed, target.rawValue, condition, actions, SwiftPlace(fileID, line))
    }

    /// Creates a transition without a target: the instance stays in its states.
    public init(
        if condition: Expression? = nil, _ actions: MachineAction<M>..., fileID: StaticString = #fileID,
        line: Int = #line
    ) {
        transition = TransitionPiece(.failed, nil, condition, actions, SwiftPlace(fileID, line))
    }
}

/// Builds the content of an invocation: the transitions at its end.
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

/// The number of attempts at an invocation, and the waits between them. A value of `nil` means the default.
///
/// A list has several rules, and the first that fits a failure applies:
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

    /// Creates one rule.
    ///
    /// - Parameters:
    ///   - on: The types of errors that the rule fits; empty for all.
    ///   - attempts: The number of attempts including the first, 1 to 1,000; `nil` for 10. In a list up to 100.
    ///   - first: The wait before the second attempt; `nil` for a second.
    ///   - factor: The ratio of each wait to the wait before, 1 to 100; `nil` for 2.
    ///   - limit: The longest wait; `nil` for five minutes.
    ///   - jitter: The fraction by which a wait may be longer or shorter, 0 to 1; `nil` for 0.2.
    ///   - except: The types of errors that end the attempts.
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

    /// Returns a rule without a limit of attempts: until success or the timeout.
    public static func unlimited(
        on: [String] = [], first: Duration? = nil, factor: Double? = nil, limit: Duration? = nil,
        jitter: Double? = nil, except: [String] = []
    ) -> Retry {
        var retry = Retry(on: on, first: first, factor: factor, limit: limit, jitter: jitter, except: except)
        for place in retry.rules.indices { retry.rules[place].attempts = "unlimited" }
        return retry
    }

    /// The rules in the format of a definition.
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

/// The texts of an invocation's parts.
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
