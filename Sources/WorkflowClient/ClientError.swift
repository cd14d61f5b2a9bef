public import WorkflowAPI

/// Why a request has no result.
public struct ClientError: Error, Equatable, CustomStringConvertible {
    /// What kind of error it is. More kinds may come.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        /// Takes the code as it is.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No connection came about, so nothing was sent.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The operating system does not let this user connect; nothing was sent.
        public static let notPermitted = Code(rawValue: "not-permitted")
        /// The request was sent, or partly; whether the daemon acted on it is unknown.
        public static let answerLost = Code(rawValue: "answer-lost")
        /// The daemon said no: `problem` says why.
        public static let problem = Code(rawValue: "problem")
        /// What answered is no daemon of ours, or one that this client does not understand.
        public static let protocolViolation = Code(rawValue: "protocol-violation")
    }

    public let code: Code
    /// What the daemon said; nil for every code but `problem`.
    public let problem: Problem?
    /// What happened, to whom and why.
    public let description: String

    private init(_ code: Code, _ description: String, problem: Problem? = nil) {
        self.code = code
        self.problem = problem
        self.description = description
    }

    /// Whether the same request may get an answer later without anybody changing it.
    public var isTransient: Bool {
        code == .unreachable || code == .answerLost || problem?.type.retryAfterSeconds != nil
    }

    /// The exit code of `wfctl` after this error.
    public var exitStatus: CommandExit {
        switch code {
        case .unreachable: .unreachable
        case .notPermitted: .notPermitted
        // With the same key it is carried out once.
        case .answerLost: .tryAgain
        default: problem?.type.exitStatus ?? .other
        }
    }
}

extension ClientError {
    /// Nothing was sent to the address.
    package static func unreachable(_ address: Address, reason: String) -> ClientError {
        ClientError(.unreachable, "Cannot reach wfd at '\(address)': \(reason)")
    }

    /// The operating system refuses the connection.
    package static func notPermitted(_ address: Address, reason: String) -> ClientError {
        ClientError(.notPermitted, "Not permitted to connect to wfd at '\(address)': \(reason)")
    }

    /// Nobody knows what became of the request.
    package static func answerLost(_ address: Address, reason: String) -> ClientError {
        ClientError(.answerLost, "No answer from wfd at '\(address)': \(reason)\(doubt)")
    }

    /// The same of a request that only reads: nothing of it can have been carried out.
    var ofRead: ClientError {
        guard code == .answerLost, description.hasSuffix(Self.doubt) else { return self }
        return ClientError(code, String(description.dropLast(Self.doubt.count)), problem: problem)
    }

    private static let doubt = "; it is unknown whether the request was carried out"

    /// The daemon's refusal.
    package static func problem(_ problem: Problem) -> ClientError {
        ClientError(.problem, problem.detail, problem: problem)
    }

    /// The answer cannot be understood.
    package static func protocolViolation(_ address: Address, reason: String) -> ClientError {
        ClientError(.protocolViolation, "Cannot understand the answer of '\(address)': \(reason)")
    }
}
