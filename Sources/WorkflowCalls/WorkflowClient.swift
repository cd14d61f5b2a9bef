import NIOCore
public import WorkflowAPI
import WorkflowJSON

/// A client of one daemon. Safe to use from many tasks; call `shutdown()` once when done.
public struct WorkflowClient: Sendable {
    let transport: any Transport
    let limits: ClientLimits
    /// The text for a person after status 401, instead of the daemon's, which does not know where the token came from.
    package var unauthenticated: String?

    /// Creates a client that connects on the first request.
    public init(address: Address, limits: ClientLimits = ClientLimits()) {
        transport = HTTPTransport(address: address, access: ClientAccess(), limits: limits)
        self.limits = limits
    }

    /// Creates a client that connects on the first request and sends a token. Refuses a token that would be sent in the
    /// clear to another machine.
    public init(
        address: Address, access: ClientAccess, limits: ClientLimits = ClientLimits()
    ) throws(ClientError) {
        guard access.token == nil || address.isConfidential else { throw .unprotected(address) }
        transport = HTTPTransport(address: address, access: access, limits: limits)
        self.limits = limits
    }

    /// Returns a client of the same daemon with connections of its own.
    package func another() -> WorkflowClient {
        var client = WorkflowClient(transport: transport.another(), limits: limits)
        client.unauthenticated = unauthenticated
        return client
    }

    /// Creates a client with another transport.
    package init(transport: any Transport, limits: ClientLimits = ClientLimits()) {
        self.transport = transport
        self.limits = limits
    }

    /// The address on which the daemon listens.
    public var address: Address { transport.address }

    /// Returns the time when the daemon's certificate expires; `nil` without TLS or without an answer in time.
    package func certificateEnd() async -> WireTime? {
        let end = await PeerCertificate.end(at: address, within: TimeAmount(limits.connecting))
        return end.map { WireTime(milliseconds: Int64($0) * 1_000) }
    }

    /// Closes all connections. Running requests end with an error.
    public func shutdown() async {
        await transport.shutdown()
    }
}

/// The result of applying a definition.
public struct AppliedMachine: Equatable, Sendable {
    public let machine: MachineSummary
    /// False if this text already was the latest version.
    public let isNew: Bool
}

extension WorkflowClient {
    /// Makes a definition the latest version of its machine; durable on return.
    public func apply(
        _ source: [UInt8], as mediaType: DefinitionMediaType, _ parameters: ApplyParameters = .init()
    ) async throws(ClientError) -> AppliedMachine {
        let body = TransportRequest.Body(mediaType: mediaType.rawValue, bytes: source)
        let answer = try await answer(
            to: TransportRequest(.applyDefinition, query: parameters.queryText, body: body))
        return AppliedMachine(machine: try read(answer), isNew: answer.status == 201)
    }

    /// Returns a page of the latest version of each machine, by name.
    public func machines(_ parameters: PageParameters = .init()) async throws(ClientError) -> Page<MachineSummary> {
        try await get(TransportRequest(.listMachines, query: parameters.queryText))
    }

    /// Returns the latest version of a machine, or the named version, with its source.
    public func machine(_ name: String, version: Int64? = nil) async throws(ClientError) -> MachineSummary {
        guard let version else { return try await get(TransportRequest(.showMachine, name)) }
        return try await get(TransportRequest(.showMachineVersion, name, String(version)))
    }

    /// Sets the version that new instances of a machine take; durable on return.
    public func activate(_ machine: String, _ version: ActiveVersion) async throws(ClientError) -> MachineSettingsItem {
        try await post(ActivateRequest(version: version), by: TransportRequest(.activateMachine, machine))
    }

    /// Suspends a machine: no instance starts, and its instances accept nothing. Durable on return.
    ///
    /// - Parameters:
    ///   - machine: The name of the machine.
    ///   - request: The reason, and the option of a dry run.
    public func suspend(
        machine: String, _ request: SuspendMachineRequest
    ) async throws(ClientError) -> MachineSettingsItem {
        try await post(request, by: TransportRequest(.suspendMachine, machine))
    }

    /// Ends the suspension of a machine, and begins the run that resumes the instances suspended with it. Durable on
    /// return. A repeated request changes nothing.
    ///
    /// - Parameters:
    ///   - machine: The name of the machine.
    ///   - request: The name of the run, and the option of a dry run.
    public func resume(
        machine: String, _ request: ResumeMachineRequest
    ) async throws(ClientError) -> MachineSettingsItem {
        try await post(request, by: TransportRequest(.resumeMachine, machine))
    }

    /// Sets the time for which finished instances of a machine are kept; durable on return.
    ///
    /// - Parameters:
    ///   - machine: The name of the machine.
    ///   - request: The time, and the option of a dry run.
    public func retain(
        machine: String, _ request: RetentionRequest
    ) async throws(ClientError) -> MachineSettingsItem {
        try await post(request, by: TransportRequest(.retainMachine, machine))
    }

    /// Starts an instance; durable on return.
    ///
    /// The same start with the same `key` is carried out once; a repetition gets the first answer.
    public func start(_ request: StartRequest, key: String? = nil) async throws(ClientError) -> Instance {
        try await post(request, by: TransportRequest(.startInstance, key: key))
    }

    /// Returns a page of instances; continue with `nextPage` until it is `nil`.
    public func instances(_ parameters: InstanceListParameters = .init()) async throws(ClientError) -> InstancePage {
        try await get(TransportRequest(.listInstances, query: parameters.queryText))
    }

    /// Returns the reasons of failed instances, with the number of instances for each.
    public func failures(_ parameters: FailureParameters = .init()) async throws(ClientError) -> FailureList {
        try await get(TransportRequest(.listFailures, query: parameters.queryText))
    }

    /// Returns the number of instances in each status and configuration; continue with `nextPage` until it is `nil`.
    public func tally(_ parameters: TallyParameters = .init()) async throws(ClientError) -> Page<TallyItem> {
        try await get(TransportRequest(.listTally, query: parameters.queryText))
    }

    /// Returns statistics of a machine's instances, as far as wfd has counted them; ask again until they are complete.
    public func stats(
        _ machine: String, _ parameters: StatsParameters = .init()
    ) async throws(ClientError) -> MachineStats {
        try await get(TransportRequest(.showStats, machine, query: parameters.queryText))
    }

    /// Returns an instance in its current state, or in its state after a macrostep.
    public func instance(_ name: String, seq: Int64? = nil) async throws(ClientError) -> Instance {
        try await get(TransportRequest(.showInstance, name, query: ShowParameters(seq: seq).queryText))
    }

    /// Sends an event, or predicts its effect in a dry run; durable on return unless it was a dry run.
    ///
    /// A refusal is thrown as `ClientError.problem` and changed nothing. After `answerLost` the event may be applied; a
    /// repetition with the same key is applied once.
    ///
    /// If `wantsContext` is true, the answer has the instance's context, which may be large.
    public func send(
        _ request: SendRequest, to instance: String, _ parameters: SendParameters = .init(), key: String? = nil,
        wantsContext: Bool = true
    ) async throws(ClientError) -> SendAnswer {
        try await post(
            request,
            by: TransportRequest(
                .sendEvent, instance, query: parameters.queryText, key: key, prefersMinimal: !wantsContext))
    }

    /// Returns a page of the timers of all instances, the next first; continue with `nextPage` until it is `nil`.
    public func timers(_ parameters: PageParameters = .init()) async throws(ClientError) -> Page<TimerItem> {
        try await get(TransportRequest(.listTimers, query: parameters.queryText))
    }

    /// Returns the timers of an instance, the next first.
    public func timers(ofInstance name: String) async throws(ClientError) -> Page<TimerItem> {
        try await get(TransportRequest(.listInstanceTimers, name))
    }

    /// Returns the time of the daemon's clock.
    public func clock() async throws(ClientError) -> ClockStatus {
        try await get(TransportRequest(.showClock))
    }

    /// Moves a virtual clock forward and fires the timers on the way, or a part of them; call again until it is `done`.
    ///
    /// - Parameters:
    ///   - time: The time to move the clock to; a past time is refused.
    ///   - stoppingAtTasks: True to stop the clock while a task is ready or leased. The answer then names the queues,
    ///     and the clock stands until workers have ended these tasks.
    public func moveClock(
        to time: WireTime, stoppingAtTasks: Bool = false
    ) async throws(ClientError) -> ClockStatus {
        try await post(
            ClockRequest(to: time, stopAtTasks: stoppingAtTasks ? true : nil), by: TransportRequest(.moveClock))
    }

    /// Returns the events that the instance accepts now.
    public func events(ofInstance name: String) async throws(ClientError) -> AcceptedEvents {
        try await get(TransportRequest(.listEvents, name))
    }

    /// Returns a page of an instance's history. With `wait` the answer may take that long.
    public func history(
        ofInstance name: String, _ parameters: HistoryParameters = .init()
    ) async throws(ClientError) -> Page<HistoryItem> {
        try await get(
            TransportRequest(
                .listHistory, name, query: parameters.queryText, extraTime: .seconds(parameters.wait ?? 0)))
    }

    /// Checks that the daemon's process answers.
    public func live() async throws(ClientError) -> Health {
        try await get(TransportRequest(.live))
    }

    /// Checks that the daemon accepts requests; a problem has the reason if it does not.
    public func ready() async throws(ClientError) -> Health {
        try await get(TransportRequest(.ready))
    }

    /// Returns the daemons of the store, in the order of their ids.
    public func daemons() async throws(ClientError) -> Page<DaemonItem> {
        try await get(TransportRequest(.listDaemons))
    }

    /// Returns the daemon's status for an operator; available also while the daemon accepts no events.
    public func status() async throws(ClientError) -> DaemonStatus {
        try await get(TransportRequest(.status))
    }
}

extension WorkflowClient {
    func get<Answer: WireObject>(_ request: TransportRequest) async throws(ClientError) -> Answer {
        try read(try await answer(to: request))
    }

    /// Sends a request with a JSON body.
    func post<Answer: WireObject>(
        _ body: some WireObject, by request: TransportRequest
    ) async throws(ClientError) -> Answer {
        try read(try await answer(to: request, with: JSONWriter.bytes(body)))
    }

    /// Sends a request with a body. Returns a successful answer; throws a problem.
    // Not inlined: each of some sixty calls would have a copy.
    @inline(never)
    private func answer(
        to request: TransportRequest, with json: [UInt8]
    ) async throws(ClientError) -> TransportAnswer {
        var request = request
        request.body = TransportRequest.Body(mediaType: "application/json", bytes: json)
        return try await answer(to: request)
    }

    /// Returns a successful answer; throws a problem.
    @inline(never)
    func answer(to request: TransportRequest) async throws(ClientError) -> TransportAnswer {
        let answer = try await transport.execute(request)
        if (200..<300).contains(answer.status) { return answer }
        throw failure(answer)
    }

    /// Converts an answer without success to an error.
    func failure(_ answer: TransportAnswer) -> ClientError {
        guard answer.mediaType == Problem.mediaType else {
            return .protocolViolation(address, reason: "status \(answer.status) without a problem; is it wfd?")
        }
        do {
            var problem = try Problem(body: answer.body, unknownFields: .ignored)
            if problem.type == .unauthenticated, let unauthenticated { problem.detail = unauthenticated }
            return .problem(problem)
        } catch {
            return .protocolViolation(address, reason: Self.description(ofUnknownProblem: answer))
        }
    }

    /// Describes a problem that this client does not know, from a newer daemon or another program.
    private static func description(ofUnknownProblem answer: TransportAnswer) -> String {
        // A body that is not JSON has neither a type nor a detail.
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
    /// Requests a backup while the daemon serves. The lines report the progress. The last line has the backup's name,
    /// under which the backup can be fetched for a while. A reader that stops earlier cancels the backup.
    public func makeBackup() async throws(ClientError) -> AnswerLines<BackupLine> {
        try await lines(TransportRequest(.makeBackup))
    }

    /// Returns the bytes of a backup. The daemon removes the backup after the last byte was read.
    public func backup(_ name: String) async throws(ClientError) -> AnswerBytes {
        try await bytes(TransportRequest(.fetchBackup, name, accepted: Backup.mediaType), as: Backup.mediaType)
    }
}
