public import WorkflowAPI
import WorkflowJSON

/// Talks to one daemon. Safe to use from many tasks; call `shutdown()` once when done.
public struct WorkflowClient: Sendable {
    let transport: any Transport
    let limits: ClientLimits

    /// Connects on the first request.
    public init(address: Address, limits: ClientLimits = ClientLimits()) {
        transport = HTTPTransport(address: address, limits: limits)
        self.limits = limits
    }

    /// Uses another way to carry requests.
    package init(transport: any Transport, limits: ClientLimits = ClientLimits()) {
        self.transport = transport
        self.limits = limits
    }

    /// Where the daemon listens.
    public var address: Address { transport.address }

    /// Closes all connections. Requests that run end with an error.
    public func shutdown() async {
        await transport.shutdown()
    }
}

/// What applying a definition came to.
public struct AppliedMachine: Equatable, Sendable {
    public let machine: MachineSummary
    /// False when this text was the latest version already.
    public let isNew: Bool
}

extension WorkflowClient {
    /// Makes a definition the latest version of its machine, durable on return.
    public func apply(
        _ source: [UInt8], as mediaType: DefinitionMediaType, _ parameters: ApplyParameters = .init()
    ) async throws(ClientError) -> AppliedMachine {
        let body = TransportRequest.Body(mediaType: mediaType.rawValue, bytes: source)
        let answer = try await answer(
            to: TransportRequest(.applyDefinition, query: parameters.queryText, body: body))
        return AppliedMachine(machine: try read(answer), isNew: answer.status == 201)
    }

    /// The latest version of each machine, by name.
    public func machines(_ parameters: PageParameters = .init()) async throws(ClientError) -> Page<MachineSummary> {
        try await get(TransportRequest(.listMachines, query: parameters.queryText))
    }

    /// The latest version of a machine or the named one, with its source.
    public func machine(_ name: String, version: Int64? = nil) async throws(ClientError) -> MachineSummary {
        try require(name, of: "machine")
        guard let version else { return try await get(TransportRequest(.showMachine, name)) }
        return try await get(TransportRequest(.showMachineVersion, name, String(version)))
    }

    /// Says which version new instances of a machine take; durable on return.
    public func activate(_ machine: String, _ version: ActiveVersion) async throws(ClientError) -> MachineSettingsItem {
        try require(machine, of: "machine")
        return try await post(ActivateRequest(version: version), by: TransportRequest(.activateMachine, machine))
    }

    /// Lets nothing of a machine start, and its instances take nothing; durable on return.
    ///
    /// - Parameters:
    ///   - machine: Its name.
    ///   - request: Why, and whether only to tell what would happen.
    public func suspend(
        machine: String, _ request: SuspendMachineRequest
    ) async throws(ClientError) -> MachineSettingsItem {
        try require(machine, of: "machine")
        return try await post(request, by: TransportRequest(.suspendMachine, machine))
    }

    /// Ends the suspension of a machine, and begins the run that resumes those that it has suspended; durable on
    /// return. The same request again does nothing again.
    ///
    /// - Parameters:
    ///   - machine: Its name.
    ///   - request: The name of the run, and whether only to tell what would happen.
    public func resume(
        machine: String, _ request: ResumeMachineRequest
    ) async throws(ClientError) -> MachineSettingsItem {
        try require(machine, of: "machine")
        return try await post(request, by: TransportRequest(.resumeMachine, machine))
    }

    /// Says how long finished instances of a machine are kept; durable on return.
    ///
    /// - Parameters:
    ///   - machine: Its name.
    ///   - request: How long, and whether only to tell what would happen.
    public func retain(
        machine: String, _ request: RetentionRequest
    ) async throws(ClientError) -> MachineSettingsItem {
        try require(machine, of: "machine")
        return try await post(request, by: TransportRequest(.retainMachine, machine))
    }

    /// Starts an instance, durable on return.
    ///
    /// The same start with the same `key` is done once, and answered as it was the first time.
    public func start(_ request: StartRequest, key: String? = nil) async throws(ClientError) -> Instance {
        try await post(request, by: TransportRequest(.startInstance, key: key))
    }

    /// A page of instances; go on with `nextPage` until it is nil.
    public func instances(_ parameters: InstanceListParameters = .init()) async throws(ClientError) -> Page<Instance> {
        try await get(TransportRequest(.listInstances, query: parameters.queryText))
    }

    /// Why instances have failed, and how many for which reason.
    public func failures(_ parameters: FailureParameters = .init()) async throws(ClientError) -> FailureList {
        try await get(TransportRequest(.listFailures, query: parameters.queryText))
    }

    /// How many instances are in which status and configuration; go on with `nextPage` until it is nil.
    public func tally(_ parameters: TallyParameters = .init()) async throws(ClientError) -> Page<TallyItem> {
        try await get(TransportRequest(.listTally, query: parameters.queryText))
    }

    /// An instance as it is now, or as it was after one of its macrosteps.
    public func instance(_ name: String, seq: Int64? = nil) async throws(ClientError) -> Instance {
        try require(name, of: "instance")
        return try await get(TransportRequest(.showInstance, name, query: ShowParameters(seq: seq).queryText))
    }

    /// Sends an event, or asks what would happen; durable on return unless it was a dry run.
    ///
    /// A refusal is thrown as `ClientError.problem` and changed nothing. After `answerLost` the event may be applied;
    /// sent again with the same key it is applied once.
    ///
    /// When `wantsContext` is true, the answer has the instance's context, which may be large.
    public func send(
        _ request: SendRequest, to instance: String, _ parameters: SendParameters = .init(), key: String? = nil,
        wantsContext: Bool = true
    ) async throws(ClientError) -> SendAnswer {
        try require(instance, of: "instance")
        return try await post(
            request,
            by: TransportRequest(
                .sendEvent, instance, query: parameters.queryText, key: key, prefersMinimal: !wantsContext))
    }

    /// What comes by itself to all instances, the next first; go on with `nextPage` until it is nil.
    public func timers(_ parameters: PageParameters = .init()) async throws(ClientError) -> Page<TimerItem> {
        try await get(TransportRequest(.listTimers, query: parameters.queryText))
    }

    /// What comes to an instance by itself, the next first.
    public func timers(ofInstance name: String) async throws(ClientError) -> Page<TimerItem> {
        try require(name, of: "instance")
        return try await get(TransportRequest(.listInstanceTimers, name))
    }

    /// What the daemon's clock shows.
    public func clock() async throws(ClientError) -> ClockStatus {
        try await get(TransportRequest(.showClock))
    }

    /// Moves a virtual clock forward and fires the timers on the way, or a part of them: ask again until it is `done`.
    ///
    /// - Parameters:
    ///   - time: The time to move the clock to; a time that has passed is refused.
    ///   - stoppingAtTasks: True to stop the clock while a task is ready or leased. The answer then names the queues,
    ///     and the clock stands until workers have ended these tasks.
    public func moveClock(
        to time: WireTime, stoppingAtTasks: Bool = false
    ) async throws(ClientError) -> ClockStatus {
        try await post(
            ClockRequest(to: time, stopAtTasks: stoppingAtTasks ? true : nil), by: TransportRequest(.moveClock))
    }

    /// What the instance takes now.
    public func events(ofInstance name: String) async throws(ClientError) -> AcceptedEvents {
        try require(name, of: "instance")
        return try await get(TransportRequest(.listEvents, name))
    }

    /// A page of an instance's history. With `wait` the answer may take that long.
    public func history(
        ofInstance name: String, _ parameters: HistoryParameters = .init()
    ) async throws(ClientError) -> Page<HistoryItem> {
        try require(name, of: "instance")
        return try await get(
            TransportRequest(
                .listHistory, name, query: parameters.queryText, extraTime: .seconds(parameters.wait ?? 0)))
    }

    /// Whether the daemon's process answers.
    public func live() async throws(ClientError) -> Health {
        try await get(TransportRequest(.live))
    }

    /// Whether the daemon takes requests; a problem says why not.
    public func ready() async throws(ClientError) -> Health {
        try await get(TransportRequest(.ready))
    }

    /// What an operator looks at first; also while the daemon takes no events.
    public func status() async throws(ClientError) -> DaemonStatus {
        try await get(TransportRequest(.status))
    }
}

extension WorkflowClient {
    /// An empty name would make the path of another resource.
    func require(_ name: String, of kind: String) throws(ClientError) {
        if name.isEmpty { throw .problem(Problem(.invalidName, detail: "The name of the \(kind) is empty")) }
    }

    func get<Answer: WireObject>(_ request: TransportRequest) async throws(ClientError) -> Answer {
        try read(try await answer(to: request))
    }

    /// Sends a request with a JSON body.
    func post<Answer: WireObject>(
        _ body: some WireObject, by request: TransportRequest
    ) async throws(ClientError) -> Answer {
        var request = request
        request.body = TransportRequest.Body(mediaType: "application/json", bytes: JSONWriter.bytes(body))
        return try read(try await answer(to: request))
    }

    /// The answer, when it is a success; a problem is thrown.
    func answer(to request: TransportRequest) async throws(ClientError) -> TransportAnswer {
        let answer = try await transport.execute(request)
        if (200..<300).contains(answer.status) { return answer }
        throw failure(answer)
    }

    /// What an answer says that is no success.
    func failure(_ answer: TransportAnswer) -> ClientError {
        guard answer.mediaType == Problem.mediaType else {
            return .protocolViolation(address, reason: "status \(answer.status) without a problem; is it wfd?")
        }
        do {
            return .problem(try Problem(body: answer.body, unknownFields: .ignored))
        } catch {
            return .protocolViolation(address, reason: Self.description(ofUnknownProblem: answer))
        }
    }

    /// What can be told of a problem that this client does not know: that of a newer daemon, or of something else.
    private static func description(ofUnknownProblem answer: TransportAnswer) -> String {
        // What is no JSON at all has neither a type nor a detail.
        let fields = (try? JSONReader.value(from: answer.body))?.object
        let type = fields?["type"]?.string.map { " '\($0)'" } ?? ""
        let detail = fields?["detail"]?.string.map { ": \($0)" } ?? ""
        return "status \(answer.status) with an unknown problem\(type)\(detail)"
    }

    func read<Answer: WireObject>(_ answer: TransportAnswer) throws(ClientError) -> Answer {
        do {
            return try Answer(body: answer.body, unknownFields: .ignored)
        } catch {
            throw .protocolViolation(address, reason: error.message)
        }
    }
}

extension WorkflowClient {
    /// Lets the daemon make a backup while it serves. The lines tell how far it is; the last one has its name, with
    /// which it can be fetched for a while. Who stops reading before it ends the backup.
    public func makeBackup() async throws(ClientError) -> AnswerLines<BackupLine> {
        try await lines(TransportRequest(.makeBackup))
    }

    /// The bytes of a backup. When they were read to their end, the daemon removes it.
    public func backup(_ name: String) async throws(ClientError) -> AnswerBytes {
        try await bytes(TransportRequest(.fetchBackup, name, accepted: Backup.mediaType), as: Backup.mediaType)
    }
}
