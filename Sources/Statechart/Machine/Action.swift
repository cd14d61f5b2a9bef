package import WorkflowCEL

/// Executable content (SCXML 4). The compiler copies a list that `actions` names into every place that uses the name.
package indirect enum Action: Sendable {
    /// Sets values in the context, all or none. Every value is computed from the context before the assignment.
    case assign([Assignment], line: Int)
    /// Puts an event into the internal queue.
    case raise(event: String, data: Template?, line: Int)
    /// Sends an external event to the instance itself, at once or after a delay.
    case send(Send)
    /// Adds an event to `Macrostep.emitted`, for readers outside the machine.
    case emit(event: String, data: Template?, line: Int)
    /// Drops all delayed events that were sent with the id.
    case cancel(id: String, line: Int)
    /// Adds the expression's value to the trace.
    case log(Expression)
    /// Runs the actions of the first branch whose guard is true.
    case choose([Branch], line: Int)
    /// Runs the loop's actions for each element of a list.
    case foreach(Loop)
    /// Requests an effect without waiting for its result.
    case call(Call)

    /// The line of the definition on which the action stands.
    package var line: Int {
        switch self {
        case .assign(_, let line), .raise(_, _, let line), .emit(_, _, let line), .cancel(_, let line),
            .choose(_, let line):
            line
        case .send(let send): send.line
        case .log(let expression): expression.line
        case .foreach(let loop): loop.line
        case .call(let call): call.line
        }
    }
}

extension Action {
    /// The calls that the action contains, in its branches and loops too.
    var calls: [Call] {
        switch self {
        case .call(let call): [call]
        case .choose(let branches, _): branches.flatMap { $0.actions.flatMap(\.calls) }
        case .foreach(let loop): loop.actions.flatMap(\.calls)
        case .assign, .raise, .send, .emit, .cancel, .log: []
        }
    }
}

/// One entry of an `assign`.
package struct Assignment: Sendable {
    /// One step of a path.
    package enum Step: Sendable {
        case key(String)
        /// `[…]`: an expression that returns a map's key or a list's index.
        case computed(Expression)
    }

    /// The path as written: `items[0].name`.
    package let text: String
    /// The steps from the context down; never empty. The first step is a key.
    package let path: [Step]
    package let value: Template
    /// The type of the path's first key; `dyn` if every value that the template can produce fits.
    package let type: CELType
}

/// An event that the instance sends to itself.
package struct Send: Sendable {
    package let event: String
    package let data: Template?
    /// The time to wait; `nil` to send the event at once.
    package let delay: Delay?
    /// The id that `cancel` refers to.
    package let id: String?
    package let misfire: Misfire
    package let line: Int
}

/// One entry of a `choose`.
package struct Branch: Sendable {
    /// The guard; `nil` for a branch that is always taken.
    package let condition: Expression?
    package let actions: [Action]
}

/// A `foreach` (SCXML 4.6): iterates over a copy of the list.
package struct Loop: Sendable {
    package let array: Expression
    /// The context key that holds the element. The loop creates `item` and `index` if the context lacks them.
    package let item: String
    /// The context key that holds the element's number, from 0.
    package let index: String?
    package let actions: [Action]
    package let line: Int
}
