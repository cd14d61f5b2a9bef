/// Where instances live: in memory, in a file of this process, in a daemon. What a test does in memory, production does
/// elsewhere, and nothing else changes.
public protocol MachineHost: Sendable {
    /// Makes the definition the latest version of its machine. `start` does it for a version that the host lacks.
    @discardableResult
    func apply<M: MachineDefinition>(_ machine: M.Type) async throws(HostError) -> MachineVersion

    /// Starts an instance of the version that has the definition of `M`.
    ///
    /// It begins with `context`; nil for what the definition says. The same start with the same `key` is done once.
    func start<M: MachineDefinition>(
        _ machine: M.Type, _ name: String, context: M.Context?, key: String?
    ) async throws(HostError) -> Instance<M>

    /// An instance that was started before. Refused (`machine-mismatch`) when the version that it runs has states or
    /// events that `M` lacks, or a context that does not fit.
    func instance<M: MachineDefinition>(_ machine: M.Type, _ name: String) async throws(HostError) -> Instance<M>

    /// Sends an event, and returns when its move is durable. Throws `Refusal<M>` or `HostError`.
    func send<M: MachineDefinition>(
        _ event: M.Event, to instance: Instance<M>, _ options: SendOptions
    ) async throws -> Transition<M>

    /// An instance as it is now.
    func read<M: MachineDefinition>(_ instance: Instance<M>) async throws(HostError) -> InstanceView<M>

    /// The moves of an instance behind a seq, those of the past first, until it is done. The first is its start.
    func transitions<M: MachineDefinition>(
        of instance: Instance<M>, after seq: Int64
    ) -> AsyncThrowingStream<Transition<M>, any Error>

    /// Works on tasks of `T.queue` until the caller is cancelled.
    ///
    /// Each task is one call of `body`, whose output completes it. What `body` throws is told as a `TaskFailure`: the
    /// task is tried again, or ends in an error. A task is done at least once. Its body is cancelled when nobody wants
    /// the result any more: the instance went on without it, or others have the task.
    ///
    /// A cancelled worker takes no more tasks. Those that run have `options.grace` to end, then they are cancelled too,
    /// and others get them. In a daemon that counts as an attempt.
    func work<T: MachineTask>(
        _ task: T.Type, _ options: WorkOptions,
        _ body: @escaping @Sendable (TaskAttempt<T>) async throws -> T.Output
    ) async throws(HostError)
}

extension MachineHost {
    /// Works on tasks of `T.queue`, so many at a time, until the caller is cancelled.
    public func work<T: MachineTask>(
        _ task: T.Type, concurrency: Int = 1,
        _ body: @escaping @Sendable (TaskAttempt<T>) async throws -> T.Output
    ) async throws(HostError) {
        try await work(task, WorkOptions(concurrency: concurrency), body)
    }

    /// Starts an instance with what the definition says.
    public func start<M: MachineDefinition>(
        _ machine: M.Type, _ name: String, context: M.Context? = nil
    ) async throws(HostError) -> Instance<M> {
        try await start(machine, name, context: context, key: nil)
    }
}

/// A version of a machine in a host.
public struct MachineVersion: Sendable, Hashable {
    /// The machine's name.
    public let machine: String
    /// 1, 2, …
    public let version: Int64
    /// False when this text was the latest version already.
    public let isNew: Bool
    /// What the host says of the definition: what is probably not meant, and what it cannot do of what the machine asks
    /// of the world. Lines are those of the text.
    public let warnings: [String]

    package init(machine: String, version: Int64, isNew: Bool, warnings: [String] = []) {
        self.machine = machine
        self.version = version
        self.isNew = isNew
        self.warnings = warnings
    }
}

/// What goes with an event.
public struct SendOptions: Sendable, Hashable {
    /// The same event with the same key is applied once, and answered as it was the first time.
    public var key: String?
    /// The seq that the instance must have; nil for any.
    public var expectedSeq: Int64?

    public init(key: String? = nil, expectedSeq: Int64? = nil) {
        self.key = key
        self.expectedSeq = expectedSeq
    }
}

/// Why a host did not do something; nothing changed where the message does not say otherwise.
public struct HostError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The type of the API's problem: `instance-not-found`, `outcome-unknown`, `machine-mismatch`, …
    public let code: String
    public let message: String
    /// Sent again with this key the event is applied once.
    public var key: String?

    public init(code: String, message: String, key: String? = nil) {
        self.code = code
        self.message = message
        self.key = key
    }

    public var description: String { message }
}

/// One instance, wherever it lives.
public struct Instance<M: MachineDefinition>: Sendable {
    public let name: String
    public let host: any MachineHost
    /// The version that it runs, with the names of `M`.
    package let typed: TypedMachine<M>

    package init(name: String, host: any MachineHost, typed: TypedMachine<M>) {
        self.name = name
        self.host = host
        self.typed = typed
    }

    /// Sends an event, and returns when its move is durable. Throws `Refusal<M>` or `HostError`.
    @discardableResult
    public func send(_ event: M.Event, _ options: SendOptions = SendOptions()) async throws -> Transition<M> {
        try await host.send(event, to: self, options)
    }

    /// The instance as it is now.
    public func read() async throws(HostError) -> InstanceView<M> { try await host.read(self) }

    /// The moves behind a seq, those of the past first, until it is done. The first is its start.
    public func transitions(after seq: Int64 = 0) -> AsyncThrowingStream<Transition<M>, any Error> {
        host.transitions(of: self, after: seq)
    }
}

/// An instance as it was when it was read.
public struct InstanceView<M: MachineDefinition>: Sendable {
    public let state: M.State
    /// The active states, outermost first, regions in their order.
    public let active: [M.StateName]
    public let context: M.Context
    /// What it takes now, or could take with the right data.
    public let accepted: [M.EventName]
    public let seq: Int64
    public let status: MachineValue<M>.Status
    /// Why it has failed; nil when it has not.
    public let failure: String?
}
