import HTTPTypes
import Hummingbird
import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// The routes that start, list and show instances.
struct InstanceRoutes: Sendable {
    let engine: Engine
    let budget: AnswerBudget
    /// The budget for answers about one instance while `budget` is spent.
    private let singles = AnswerBudget(limit: AnswerLimits.singlesBytes)
    /// Each search with a condition keeps a reading thread busy.
    private let searches = WorkTurns(
        2, waiting: 32, refusal: "2 searches with 'where' run already, and many wait for them")

    init(engine: Engine, budget: AnswerBudget) {
        self.engine = engine
        self.budget = budget
    }

    func register(on routes: inout RouteHandlers) {
        routes.on(.listInstances) { request in
            let parameters = try reading { try InstanceListParameters(query: try request.queryItems) }
            guard let source = parameters.condition else {
                return try await budget.page { try await list(parameters, nil, for: request) }
            }
            let condition = try await InstanceCondition.compiled(source, "Parameter 'where'", .invalidParameter)
            return try await searches.take {
                try await budget.page { try await list(parameters, condition, for: request) }
            }
        }
        routes.on(.startInstance) { request in try await budget.page { try await start(request) } }
        routes.on(.showInstance) { request in
            let name = try request.instance
            return try await budget.single(within: singles) { try await show(request, name: name) }
        }
    }

    private func start(_ request: RoutedRequest) async throws -> Response {
        let key = try request.head.idempotencyKey()
        let body = try await request.object(as: StartRequest.self)
        let command = try StartCommand(body, key: key, by: request.caller)
        let view = try await asking { try await engine.start(command) }
        var headers: HTTPFields = [.location: Route.showInstance.path(view.record.name.rawValue)]
        headers[.eTag] = "\"\(view.record.seq.rawValue)\""
        if view.isRepeated { headers[.idempotentReplayed] = "true" }
        return Response(try Instance(view), status: .created, headers: headers)
    }

    private func show(_ request: RoutedRequest, name: InstanceName) async throws -> Response {
        let parameters = try reading { try ShowParameters(query: try request.queryItems) }
        let now = try await asking { try await engine.instance(named: name, by: request.caller) }
        let view = if let seq = parameters.seq { try await past(of: now, after: seq, by: request.caller) } else { now }
        var instance = try Instance(view)
        instance.tags = try await asking { try await engine.tags(of: view, by: request.caller) }
        if parameters.seq == nil {
            instance.enteredAt = WireTime(milliseconds: view.record.entered.rawValue)
            instance.waitsFor = try await effects(of: view, by: request.caller)
            let skip = try await asking { try await engine.lastSkip(of: view, by: request.caller) }
            instance.timerSkipped = skip.map(SkippedTimerItem.init)
        }
        let suspensions = try await suspensions(of: [view], by: request.caller)
        suspensions.tell(of: view, in: &instance, isPast: parameters.seq != nil)
        return Response(instance, headers: [.eTag: "\"\(view.record.seq.rawValue)\""])
    }

    /// Returns the first effects that an instance waits for; `nil` if there are none.
    private func effects(of view: InstanceView, by caller: Caller) async throws -> [EffectItem]? {
        guard view.record.state.armed.contains("\"invocation\"") else { return nil }
        let query = EffectQuery(limit: APILimits.shownEffects)
        let found = try await asking {
            try await engine.effects(of: view.record.name, query, withCalls: false, by: caller).effects
        }
        let now = engine.now
        let items = try found.map {
            try EffectItem($0.effect, of: view.record.name, now: now, turn: engine.turn(of: $0.effect))
        }
        return items.isEmpty ? nil : items
    }

    private func list(
        _ parameters: InstanceListParameters, _ condition: InstanceCondition?, for request: RoutedRequest
    ) async throws -> Response {
        let now = engine.now
        // The index of names gives the instances in the order of names.
        let sort = parameters.sort ?? (parameters.prefix == nil ? nil : .name)
        var query = InstanceQuery(
            prefix: parameters.prefix, machines: parameters.machines.map(MachineName.init(rawValue:)),
            versions: parameters.versions.map(MachineVersion.init(rawValue:)),
            statuses: parameters.statuses.map(InstanceStatus.init), states: parameters.states,
            enteredBefore: try parameters.olderThan.map { try Self.time($0, before: now) },
            updatedAfter: parameters.ahead ? now : nil,
            failures: parameters.failures, order: sort.flatMap { InstanceOrder(rawValue: $0.rawValue) },
            limit: parameters.limit ?? APILimits.defaultPageItems)
        var mark = condition.map { ConditionMark($0, at: now) }
        if let page = parameters.page {
            guard case .instances(var before, let begun) = try await engine.pageToken(page, by: request.caller),
                begun?.digest == mark?.digest, (before.enteredBefore == nil) == (query.enteredBefore == nil),
                (before.updatedAfter == nil) == (query.updatedAfter == nil)
            else { throw PageToken.ofAnotherList }
            // The request for the first page fixed the present time.
            query.enteredBefore = before.enteredBefore
            query.updatedAfter = before.updatedAfter
            query.after = before.after
            mark = begun
            before.limit = query.limit
            guard before == query else { throw PageToken.ofAnotherList }
        }
        if let condition, let mark { query.condition = DatedCondition(condition, at: mark.now) }
        let page = try await asking { [query] in try await engine.instances(query, by: request.caller) }
        // One of several names may be misspelt while the others have instances.
        if page.views.isEmpty || query.machines.count > 1 || query.versions.count > 1 {
            for machine in query.machines {
                _ = try await asking { try await engine.machine(named: machine, by: request.caller) }
                for version in query.versions {
                    _ = try await asking {
                        try await engine.machine(named: machine, version: version, by: request.caller)
                    }
                }
            }
        }
        let next = page.next.map { position in
            var next = query
            next.after = position
            return engine.text(of: .instances(next, mark))
        }
        let suspensions = try await suspensions(of: page.views, by: request.caller)
        let items = try page.views.map { view in
            var instance = try Instance(view, now: now)
            suspensions.tell(of: view, in: &instance)
            return instance
        }
        let search = condition.map { _ in InstanceSearch(page.examination) }
        return Response(InstancePage(items: items, nextPage: next, search: search))
    }

    private func suspensions(of views: [InstanceView], by caller: Caller) async throws -> Suspensions {
        Suspensions(
            instances: try await asking { try await engine.suspensions(of: views, by: caller) },
            machines: engine.suspendedMachines(by: caller))
    }

    private static func time(_ text: String, before now: Timestamp) throws -> Timestamp {
        do throws(DelayError) {
            return Timestamp(rawValue: now.rawValue - (try DelayText.lengthWithUnit(of: text)))
        } catch {
            throw Problem(.invalidParameter, detail: "Parameter 'olderThan': \(error.message)")
        }
    }
}

extension InstanceCondition {
    /// Compiles a caller's condition, outside of the event loop.
    ///
    /// - Parameter place: The place of the condition in the request, as a message begins with it.
    static func compiled(
        _ source: String, _ place: String, _ type: ProblemType
    ) async throws(Problem) -> InstanceCondition {
        do throws(InstanceConditionError) {
            return try await offLoop(for: .compiling) { () async throws(InstanceConditionError) in
                try InstanceCondition(source)
            }
        } catch {
            throw Problem(type, detail: "\(place): \(error.message)")
        }
    }
}

extension InstanceSearch {
    /// Creates the wire form of the work for a condition.
    init(_ examination: InstanceExamination) {
        self.init(
            examined: examination.examined, failed: examination.failed > 0 ? examination.failed : nil,
            first: examination.first.map { Failed(instance: $0.instance.rawValue, message: $0.message) })
    }
}

/// The suspensions of some instances, and of machines.
private struct Suspensions {
    let instances: [InstanceID: InstanceSuspension]
    /// The settings of all machines that are suspended.
    let machines: [MachineSetting]

    /// Adds the suspensions to the wire form of an instance.
    ///
    /// - Parameter isPast: True if the instance is shown as it was; its machine's present suspension does not apply
    ///   then.
    func tell(of view: InstanceView, in instance: inout Instance, isPast: Bool = false) {
        instance.suspended = instances[view.record.id].map(InstanceSuspensionItem.init)
        instance.machineSuspended = isPast ? nil : view.suspension(among: machines)
    }
}

extension InstanceView {
    /// Returns the suspension of the instance's machine; `nil` if there is none, or if the instance has ended.
    ///
    /// - Parameter machines: The settings of all machines that are suspended.
    func suspension(among machines: [MachineSetting]) -> MachineSuspensionItem? {
        switch record.status {
        case .running, .failed, .suspended:
            machines.first { $0.key.name == machine.name }.flatMap(MachineSuspensionItem.init)
        case .done, .cancelled, .purging: nil
        }
    }
}

extension SkippedTimerItem {
    /// Creates the wire form of the skipped timer that was an instance's last.
    fileprivate init(_ skip: LastSkip) {
        self.init(
            event: skip.event, at: WireTime(milliseconds: skip.at.rawValue), lateMilliseconds: skip.lateMilliseconds,
            accepted: skip.accepted)
    }
}

extension InstanceSuspensionItem {
    /// Creates the wire form of an instance's suspension.
    fileprivate init(_ suspension: InstanceSuspension) {
        self.init(
            at: WireTime(milliseconds: suspension.at.rawValue), actor: suspension.actor?.rawValue,
            reason: suspension.reason)
    }
}

extension StartCommand {
    /// Creates a command from a caller's request; refuses an invalid name.
    init(_ request: StartRequest, key: RequestKey?, by caller: Caller) throws(Problem) {
        if let name = request.instance, let message = InstanceNameRule.message(for: name) {
            throw Problem(.invalidName, detail: message)
        }
        self.init(
            machine: MachineName(rawValue: request.machine),
            version: request.version.map(MachineVersion.init(rawValue:)),
            instance: request.instance.map(InstanceName.init(rawValue:)), data: request.data ?? JSONObject(), key: key,
            by: caller)
    }
}

extension InstanceStatus {
    init(_ status: Instance.Status) {
        self =
            switch status {
            case .running: .running
            case .done: .done
            case .failed: .failed
            case .suspended: .suspended
            case .cancelled: .cancelled
            }
    }
}

extension Instance.Status {
    /// Creates the wire form of a status. An instance that is being purged is shown as cancelled until it is gone.
    init(_ status: InstanceStatus) {
        self =
            switch status {
            case .running: .running
            case .done: .done
            case .failed: .failed
            case .suspended: .suspended
            case .cancelled, .purging: .cancelled
            }
    }
}

extension Instance.Failure {
    /// Creates the wire form of an instance's failure.
    init(_ failure: InstanceFailure) {
        let reason = failure.reason
        self.init(
            event: reason.event, data: failure.data, type: ProblemType(reason.kind),
            detail: reason.detail(machine: failure.machine), seq: failure.seq.rawValue,
            at: WireTime(milliseconds: failure.at.rawValue), state: reason.state, line: reason.line,
            expression: reason.expression, message: reason.reason)
    }
}

extension ProblemType {
    init(_ kind: RecordedFailure.Kind) {
        self =
            switch kind {
            case .expressionFailed: .expressionFailed
            case .invocationFailed: .invocationFailed
            case .livelock: .livelock
            }
    }
}

extension Instance {
    /// Creates the wire form of a stored instance.
    init(_ view: InstanceView) throws {
        let record = view.record
        self.init(
            instance: record.name.rawValue, machine: view.machine.name.rawValue,
            version: view.machine.version.rawValue,
            status: Status(record.status), configuration: record.leafPaths,
            context: try JSONValue.stored(
                record.state.context, in: "instance.context", of: record.name.rawValue
            ).object ?? JSONObject(),
            output: try record.state.output.map { try .stored($0, in: "instance.output", of: record.name.rawValue) },
            failure: view.failure.map(Failure.init), redacted: record.saltFrom.rawValue > 1 ? true : nil,
            seq: record.seq.rawValue,
            createdAt: WireTime(milliseconds: record.created.rawValue),
            updatedAt: WireTime(milliseconds: record.updated.rawValue))
    }

    /// Creates the wire form of a stored instance, with the time it has been in its configuration.
    fileprivate init(_ view: InstanceView, now: Timestamp) throws {
        try self.init(view)
        enteredAt = WireTime(milliseconds: view.record.entered.rawValue)
        inState = max(0, now.rawValue - view.record.entered.rawValue)
    }
}
