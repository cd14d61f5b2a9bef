package import WorkflowJSON

/// What is asked of the world.
package enum EffectAction: Sendable {
    case task(TaskAction)
    case http(HTTPAction)
    case exec(ExecAction)
}

/// Work that is handed to whoever asks a queue for it.
package struct TaskAction: Sendable {
    /// The priority of tasks that say none, and of what is no task.
    package static let priority: Int64 = 3
    /// The first comes first.
    package static let priorities: ClosedRange<Int64> = 1...5

    package let queue: String
    /// What the worker is given; nil for nothing.
    package let input: Template?
    /// Gives a number of `priorities`; nil for `priority`.
    package let priority: Expression?

    package init(queue: String, input: Template?, priority: Expression?) {
        self.queue = queue
        self.input = input
        self.priority = priority
    }
}

/// A request that the daemon sends.
package struct HTTPAction: Sendable {
    /// Where it goes.
    package enum Address: Sendable {
        /// A url that stands in the definition, with an expression for each of its places.
        case literal(URLTemplate, [Expression])
        case computed(Expression)
    }

    /// What is sent beside the headers.
    package enum Payload: Sendable {
        case json(Template)
        /// Gives a map of names and values.
        case form(Template)
        /// Gives a string.
        case text(Expression)
    }

    /// In upper case.
    package let method: String
    package let address: Address
    /// Gives a map of names and values.
    package let query: Template?
    /// Gives a map of names and values.
    package let headers: Template?
    package let payload: Payload?
    /// By the header's name, a `SecretText` as written.
    package let secretHeaders: JSONObject
    /// The secret that it is signed with.
    package let signingSecret: String?
    /// In lower case.
    package let keptHeaders: [String]
    package let limits: AttemptLimits

    package init(
        method: String, address: Address, query: Template?, headers: Template?, payload: Payload?,
        secretHeaders: JSONObject, signingSecret: String?, keptHeaders: [String], limits: AttemptLimits
    ) {
        self.method = method
        self.address = address
        self.query = query
        self.headers = headers
        self.payload = payload
        self.secretHeaders = secretHeaders
        self.signingSecret = signingSecret
        self.keptHeaders = keptHeaders
        self.limits = limits
    }
}

/// A program that the daemon runs.
package struct ExecAction: Sendable {
    /// Its name on the daemon's list.
    package let program: String
    /// Each gives a string, a number or a bool.
    package let arguments: [Template]
    /// What it reads; nil for nothing.
    package let input: Template?
    package let limits: AttemptLimits

    package init(program: String, arguments: [Template], input: Template?, limits: AttemptLimits) {
        self.program = program
        self.arguments = arguments
        self.input = input
        self.limits = limits
    }
}

/// What one attempt may take; nil for what the daemon does otherwise.
package struct AttemptLimits: Sendable, Equatable {
    /// What `maxBytes` may be: what comes back becomes data of an instance.
    package static let byteRange = 1...StepLimits.valueBytes

    package var milliseconds: Int64?
    /// Of the answer, or of what the program writes.
    package var bytes: Int?

    package init(milliseconds: Int64? = nil, bytes: Int? = nil) {
        self.milliseconds = milliseconds
        self.bytes = bytes
    }
}

extension EffectAction {
    /// The key that it has in a definition.
    package var kind: String {
        switch self {
        case .task: "task"
        case .http: "http"
        case .exec: "exec"
        }
    }

    /// The expressions in it.
    package var expressions: [Expression] {
        switch self {
        case .task(let task): (task.input?.expressions ?? []) + [task.priority].compactMap(\.self)
        case .exec(let exec): exec.arguments.flatMap(\.expressions) + (exec.input?.expressions ?? [])
        case .http(let http):
            http.address.expressions + (http.query?.expressions ?? []) + (http.headers?.expressions ?? [])
                + (http.payload?.expressions ?? [])
        }
    }
}

extension HTTPAction.Address {
    fileprivate var expressions: [Expression] {
        switch self {
        case .literal(_, let expressions): expressions
        case .computed(let expression): [expression]
        }
    }
}

extension HTTPAction.Payload {
    fileprivate var expressions: [Expression] {
        switch self {
        case .json(let template), .form(let template): template.expressions
        case .text(let expression): [expression]
        }
    }
}
