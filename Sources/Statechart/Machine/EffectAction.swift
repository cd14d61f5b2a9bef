package import WorkflowJSON

/// An effect outside the machine that a definition asks for.
package enum EffectAction: Sendable {
    case task(TaskAction)
    case http(HTTPAction)
    case exec(ExecAction)
}

/// A task that a worker takes from a queue.
package struct TaskAction: Sendable {
    /// The priority of tasks without a `priority`, and of effects that are not tasks.
    package static let priority: Int64 = 3
    /// The valid priorities; 1 is the highest.
    package static let priorities: ClosedRange<Int64> = 1...5

    package let queue: String
    /// The input of the worker; `nil` for no input.
    package let input: Template?
    /// Returns a number in `priorities`; `nil` for the default `priority`.
    package let priority: Expression?
}

/// A request that the daemon sends.
package struct HTTPAction: Sendable {
    /// The destination of the request.
    package enum Address: Sendable {
        /// A URL written in the definition, with an expression for each of its placeholders.
        case literal(URLTemplate, [Expression])
        case computed(Expression)
    }

    /// The body of the request.
    package enum Payload: Sendable {
        case json(Template)
        /// Returns a map of names and values.
        case form(Template)
        /// Returns a string.
        case text(Expression)
    }

    /// The method in upper case.
    package let method: String
    package let address: Address
    /// Returns a map of names and values.
    package let query: Template?
    /// Returns a map of names and values.
    package let headers: Template?
    package let payload: Payload?
    /// The secret headers: by name, a `SecretText` as written.
    package let secretHeaders: JSONObject
    /// The name of the secret that signs the request.
    package let signingSecret: String?
    /// The names of the response headers to keep, in lower case.
    package let keptHeaders: [String]
    package let limits: AttemptLimits
}

/// A program that the daemon runs.
package struct ExecAction: Sendable {
    /// The program's name on the daemon's list.
    package let program: String
    /// The arguments; each template returns a string, a number or a bool.
    package let arguments: [Template]
    /// The program's standard input; `nil` for no input.
    package let input: Template?
    package let limits: AttemptLimits
}

/// The limits of one attempt; `nil` for the daemon's default.
package struct AttemptLimits: Sendable, Equatable {
    /// The valid values of `maxBytes`: the response becomes data of an instance, so its size is bounded.
    package static let byteRange = 1...StepLimits.valueBytes

    package var milliseconds: Int64?
    /// The largest size of the response, or of the program's output.
    package var bytes: Int?
}

extension EffectAction {
    /// The key of the action in a definition.
    package var kind: String {
        switch self {
        case .task: "task"
        case .http: "http"
        case .exec: "exec"
        }
    }

    /// The expressions in the action.
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
