package import WorkflowCEL

/// Executable content (SCXML 4). Lists that are named in `actions` are written out where they are used.
package indirect enum Action: Sendable {
    /// Sets values in the context, all or none of them; all are computed from the context before.
    case assign([Assignment], line: Int)
    /// Puts an event into the internal queue.
    case raise(event: String, data: Template?, line: Int)
    /// An external event to the instance itself, at once or later.
    case send(Send)
    /// Drops all delayed events that were sent with this id.
    case cancel(id: String, line: Int)
    /// Adds a value to the trace.
    case log(Expression)
    /// Runs the actions of the first branch whose guard holds.
    case choose([Branch], line: Int)
    /// Runs actions for each element of a list.
    case foreach(Loop)
    /// Asks for an effect whose end nobody waits for.
    case call(Call)

    /// The line of the definition on which the action stands.
    package var line: Int {
        switch self {
        case .assign(_, let line), .raise(_, _, let line), .cancel(_, let line), .choose(_, let line): line
        case .send(let send): send.line
        case .log(let expression): expression.line
        case .foreach(let loop): loop.line
        case .call(let call): call.line
        }
    }
}

extension Action {
    /// The calls that it is, or may come to.
    var calls: [Call] {
        switch self {
        case .call(let call): [call]
        case .choose(let branches, _): branches.flatMap { $0.actions.flatMap(\.calls) }
        case .foreach(let loop): loop.actions.flatMap(\.calls)
        case .assign, .raise, .send, .cancel, .log: []
        }
    }
}

/// One entry of an `assign`.
package struct Assignment: Sendable {
    /// One step of a path.
    package enum Step: Sendable {
        case key(String)
        /// `[…]`: gives the key of a map or the index of a list.
        case computed(Expression)
    }

    /// The path as written: `items[0].name`.
    package let text: String
    /// From the context down; the first is a key. Never empty.
    package let path: [Step]
    package let value: Template
    /// The type of the key that the path begins with; `dyn` where every value fits that the template can give.
    package let type: CELType

    package init(text: String, path: [Step], value: Template, type: CELType) {
        self.text = text
        self.path = path
        self.value = value
        self.type = type
    }
}

/// An event that the instance sends to itself.
package struct Send: Sendable {
    package let event: String
    package let data: Template?
    /// Nil for at once.
    package let delay: Delay?
    /// What `cancel` names.
    package let id: String?
    package let misfire: Misfire
    package let line: Int

    package init(event: String, data: Template?, delay: Delay?, id: String?, misfire: Misfire, line: Int) {
        self.event = event
        self.data = data
        self.delay = delay
        self.id = id
        self.misfire = misfire
        self.line = line
    }
}

/// One entry of a `choose`.
package struct Branch: Sendable {
    /// Nil for a branch that is always taken.
    package let condition: Expression?
    package let actions: [Action]

    package init(condition: Expression?, actions: [Action]) {
        self.condition = condition
        self.actions = actions
    }
}

/// A `foreach` (SCXML 4.6): goes over a copy of the list.
package struct Loop: Sendable {
    package let array: Expression
    /// The key of the context that holds the element. The loop makes it, and `index`, where the context lacks it.
    package let item: String
    /// The key of the context that holds its number, from 0.
    package let index: String?
    package let actions: [Action]
    package let line: Int

    package init(array: Expression, item: String, index: String?, actions: [Action], line: Int) {
        self.array = array
        self.item = item
        self.index = index
        self.actions = actions
        self.line = line
    }
}
