public import WorkflowAPI

/// The reason why a request has no result.
public struct ClientError: Error, Equatable, CustomStringConvertible {
    /// The kind of an error. Later releases may add kinds.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        /// Creates a code of its text, unchecked.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No connection was made, so nothing was sent.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The operating system does not let this user connect; nothing was sent.
        public static let notPermitted = Code(rawValue: "not-permitted")
        /// TLS shows that the other end is not the named daemon, or cannot show that it is; no request was sent.
        public static let untrusted = Code(rawValue: "untrusted")
        /// The request was sent, completely or in part; the daemon may or may not have acted on it.
        public static let answerLost = Code(rawValue: "answer-lost")
        /// The daemon refused the request; `problem` has the reason.
        public static let problem = Code(rawValue: "problem")
        /// The other side is not wfd, or is a wfd that this client does not understand.
        public static let protocolViolation = Code(rawValue: "protocol-violation")
    }

    public let code: Code
    /// The daemon's problem; `nil` for every code but `problem`.
    public let problem: Problem?
    /// The event, the object and the reason.
    public let description: String

    private init(_ code: Code, _ description: String, problem: Problem? = nil) {
        self.code = code
        self.problem = problem
        self.description = description
    }

    /// True if the same request may get an answer later without any other change.
    public var isTransient: Bool {
        code == .unreachable || code == .answerLost || problem?.type.retryAfterSeconds != nil
    }

    /// The exit code of `wfctl` after this error.
    public var exitStatus: CommandExit {
        switch code {
        case .unreachable, .untrusted: .unreachable
        case .notPermitted: .notPermitted
        // A repeated request with the same key is carried out once.
        case .answerLost: .tryAgain
        default: problem?.type.exitStatus ?? .other
        }
    }
}

extension ClientError {
    /// Creates the error for an address to which nothing was sent.
    package static func unreachable(_ address: Address, reason: String) -> ClientError {
        ClientError(.unreachable, "Cannot reach wfd at '\(address)': \(reason)")
    }

    /// Creates the error for a connection that the operating system refuses.
    package static func notPermitted(_ address: Address, reason: String) -> ClientError {
        ClientError(.notPermitted, "Not permitted to connect to wfd at '\(address)': \(reason)")
    }

    /// Creates the error for a certificate that does not show that the other end is the daemon.
    package static func untrusted(_ address: Address, reason: String) -> ClientError {
        ClientError(.untrusted, "Cannot trust '\(address)': \(reason)")
    }

    /// Creates the error for a token that anybody on the way could read.
    static func unprotected(_ address: Address) -> ClientError {
        ClientError(
            .notPermitted,
            "Cannot send a token to '\(address)': everybody on the way could read it; use https://")
    }

    /// Creates the error for a request with an unknown outcome.
    package static func answerLost(_ address: Address, reason: String) -> ClientError {
        ClientError(.answerLost, "No answer from wfd at '\(address)': \(reason)\(doubt)")
    }

    /// The same error for a read request, which cannot have changed anything.
    var ofRead: ClientError {
        guard code == .answerLost, description.hasSuffix(Self.doubt) else { return self }
        return ClientError(code, String(description.dropLast(Self.doubt.count)), problem: problem)
    }

    private static let doubt = "; it is unknown whether the request was carried out"

    /// Creates the error for a refusal of the daemon.
    package static func problem(_ problem: Problem) -> ClientError {
        ClientError(.problem, problem.detail, problem: problem)
    }

    /// Creates the error for an answer that cannot be understood.
    package static func protocolViolation(_ address: Address, reason: String) -> ClientError {
        ClientError(.protocolViolation, "Cannot understand the answer of '\(address)': \(reason)")
    }
}
