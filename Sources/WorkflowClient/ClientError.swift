public import WorkflowAPI

/// Why a request has no result.
public enum ClientError: Error, Equatable, CustomStringConvertible {
    /// No connection came about, so nothing was sent.
    case unreachable(Address, reason: String)
    /// The operating system does not let this user connect; nothing was sent.
    case notPermitted(Address, reason: String)
    /// The request was sent, or partly; whether the daemon acted on it is unknown.
    case answerLost(Address, reason: String)
    /// The daemon said no.
    case problem(Problem)
    /// What answered is no daemon of ours, or one that this client does not understand.
    case protocolViolation(Address, reason: String)

    public var description: String {
        switch self {
        case .unreachable(let address, let reason): "Cannot reach wfd at '\(address)': \(reason)"
        case .notPermitted(let address, let reason): "Not permitted to connect to wfd at '\(address)': \(reason)"
        case .answerLost(let address, let reason):
            "No answer from wfd at '\(address)': \(reason); it is unknown whether the request was carried out"
        case .problem(let problem): problem.detail
        case .protocolViolation(let address, let reason): "Cannot understand the answer of '\(address)': \(reason)"
        }
    }

    /// Whether the same request may get an answer later without anybody changing it.
    public var isTransient: Bool {
        switch self {
        case .unreachable, .answerLost: true
        case .problem(let problem): problem.type.retryAfterSeconds != nil
        case .notPermitted, .protocolViolation: false
        }
    }

    /// The exit code of `wfctl` after this error.
    public var exitStatus: CommandExit {
        switch self {
        case .unreachable: .unreachable
        case .notPermitted: .notPermitted
        // With the same key it is carried out once.
        case .answerLost: .tryAgain
        case .problem(let problem): problem.type.exitStatus
        case .protocolViolation: .other
        }
    }
}
