/// A place where instances run: memory, a file of this process, or a daemon. A test uses memory and production another
/// host; nothing else changes.
public protocol MachineHost: Sendable {
    /// Makes the definition the latest version of its machine. `start` applies a version that the host lacks.
    @discardableResult
    func apply<M: MachineDefinition>(_ machine: M.Type) async throws(HostError) -> MachineVersion

    /// Starts an instance of the version that has the definition of `M`.
    ///
    /// The instance begins with `context`; `nil` means the context of the definition. A start repeated with the same
    /// `key` runs once.
    func start<M: MachineDefinition>(
        _ machine: M.Type, _ name: String, context: M.Context?, key: String?
    ) async throws(HostError) -> Instance<M>

    /// Returns an instance that was started before. Throws `machine-mismatch` if the instance's version has states or
    /// events that `M` lacks, or a context that does not fit.
    func instance<M: MachineDefinition>(_ machine: M.Type, _ name: String) async throws(HostError) -> Instance<M>

    /// Sends an event, and returns when the resulting move is durable. Throws `Refusal<M>` or `HostError`.
    func send<M: MachineDefinition>(
        _ event: M.Event, to instance: Instance<M>, _ options: SendOptions
    ) async throws -> Transition<M>

    /// Returns an instance as it is now.
    func read<M: MachineDefinition>(_ instance: Instance<M>) async throws(HostError) -> InstanceView<M>

    /// Returns the moves of an instance after a seq: first the past moves, then new ones until the instance is done.
    /// The first move is the instance's start.
    func transitions<M: MachineDefinition>(
        of instance: Instance<M>, after seq: Int64
    ) -> AsyncThrowingStream<Transition<M>, any Error>

    /// Works on tasks of `T.queue` until the caller is cancelled.
    ///
    /// Each task is one call of `body`, whose output completes the task. An error of `body` is reported as a
    /// `TaskFailure`: the host retries the task, or the task ends in an error. Each task runs at least once. The body
    /// is cancelled when its result is no longer needed: the instance moved on, or another worker has the task.
    ///
    /// A cancelled worker takes no more tasks. Its running tasks have `options.grace` to end. Then they are cancelled,
    /// and other workers get them. In a daemon a cancelled run counts as an attempt.
    func work<T: MachineTask>(
        _ task: T.Type, _ options: WorkOptions,
        _ body: @escaping @Sendable (TaskAttempt<T>) async throws -> T.Output
    ) async throws(HostError)
}

extension MachineHost {
    /// Works on up to `concurrency` tasks of `T.queue` at a time, until the caller is cancelled.
    public func work<T: MachineTask>(
        _ task: T.Type, concurrency: Int = 1,
        _ body: @escaping @Sendable (TaskAttempt<T>) async throws -> T.Output
    ) async throws(HostError) {
        try await work(task, try WorkOptions(concurrency: concurrency), body)
    }

    /// Starts an instance without a key; a `context` of `nil` means the context of the definition.
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
    /// The number of the version: 1, 2, …
    public let version: Int64
    /// False if this text already was the latest version.
    public let isNew: Bool
    /// The host's warnings about the definition: probable mistakes, and effects that the host cannot carry out. Line
    /// numbers refer to the text.
    public let warnings: [String]

    package init(machine: String, version: Int64, isNew: Bool, warnings: [String] = []) {
        self.machine = machine
        self.version = version
        self.isNew = isNew
        self.warnings = warnings
    }
}

/// The options of a sent event.
public struct SendOptions: Sendable, Hashable {
    /// The idempotency key. An event repeated with the same key is applied once, and the first answer is returned
    /// again.
    public var key: String?
    /// The seq that the instance must have; `nil` for any.
    public var expectedSeq: Int64?

    public init(key: String? = nil, expectedSeq: Int64? = nil) {
        self.key = key
        self.expectedSeq = expectedSeq
    }
}

/// The reason that a host did not carry out a call. Nothing changed unless the message says otherwise.
public struct HostError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The type of the API's problem: `instance-not-found`, `outcome-unknown`, `machine-mismatch`, …
    public let code: String
    public let message: String
    /// The key for a retry: an event sent again with this key is applied once.
    public var key: String?

    public init(code: String, message: String, key: String? = nil) {
        self.code = code
        self.message = message
        self.key = key
    }

    public var description: String { message }
}

/// An instance in any host.
public struct Instance<M: MachineDefinition>: Sendable {
    public let name: String
    public let host: any MachineHost
    /// The version that the instance runs, with the names of `M`.
    package let typed: TypedMachine<M>

    package init(name: String, host: any MachineHost, typed: TypedMachine<M>) {
        self.name = name
        self.host = host
        self.typed = typed
    }

    /// Sends an event, and returns when the resulting move is durable. Throws `Refusal<M>` or `HostError`.
    @discardableResult
    public func send(_ event: M.Event, _ options: SendOptions = SendOptions()) async throws -> Transition<M> {
        try await host.send(event, to: self, options)
    }

    /// Returns the instance as it is now.
    public func read() async throws(HostError) -> InstanceView<M> { try await host.read(self) }

    /// Returns the moves after a seq: first the past moves, then new ones until the instance is done. The first move is
    /// the start.
    public func transitions(after seq: Int64 = 0) -> AsyncThrowingStream<Transition<M>, any Error> {
        host.transitions(of: self, after: seq)
    }
}

/// An instance at the time of a read.
public struct InstanceView<M: MachineDefinition>: Sendable {
    public let state: M.State
    /// The active states, outermost first, with regions in document order.
    public let active: [M.StateName]
    public let context: M.Context
    /// The events that the instance takes now, or could take with suitable data.
    public let accepted: [M.EventName]
    public let seq: Int64
    public let status: MachineValue<M>.Status
    /// The failure; `nil` if the instance has not failed.
    public let failure: String?
}
