import Hummingbird
import ServiceLifecycle
import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// The routes for an operator's actions on many instances.
struct BulkRoutes: Sendable {
    let engine: Engine
    let budget: AnswerBudget
    private let work = LongWork()

    init(engine: Engine, budget: AnswerBudget) {
        self.engine = engine
        self.budget = budget
    }

    func register(on routes: inout RouteHandlers) {
        routes.on(.runBulk) { try await run($0) }
        routes.on(.listRuns) { request in
            let views = try await asking { try await engine.runs(by: request.caller) }
            return Response(Page(items: try views.map { try BulkRun($0, isTold: false) }))
        }
        routes.on(.showRun) { request in
            try await answer { try await engine.run(named: try request.value("run"), by: request.caller) }
        }
        routes.on(.listLeftOut) { try await leftOut($0) }
        routes.on(.stopRun) { request in
            try await answer { try await engine.stopRun(named: try request.value("run"), by: request.caller) }
        }
        routes.on(.resumeRun) { request in
            try await answer { try await engine.resumeRun(named: try request.value("run"), by: request.caller) }
        }
    }

    private func answer(_ ask: () async throws -> BulkView) async throws -> Response {
        Response(try BulkRun(try await asking { try await ask() }))
    }

    private func leftOut(_ request: RoutedRequest) async throws -> Response {
        let parameters = try reading { try LeftOutParameters(query: try request.queryItems) }
        let name = try request.value("run")
        let view = try await asking { try await engine.run(named: name, by: request.caller) }
        if view.record.state != .done { throw Problem(Rejection.runNotDone(name)) }
        guard let kind = BulkOutcome.Kind(rawValue: parameters.outcome.rawValue) else {
            throw Problem(.invalidRequest, detail: "Parameter 'outcome' is no outcome of a run")
        }
        if kind == .changed, !view.request.action.isUndo {
            throw Problem(.invalidRequest, detail: "Parameter 'outcome': 'changed' is for an undo")
        }
        let turn = try work.begin()
        return Response(lines: engine.log, turn: turn) { [engine] lines in
            do {
                try await engine.leftOut(kind, ofRun: name, by: request.caller) { found in
                    // A shutdown does not wait for many instances.
                    if Task.isShuttingDownGracefully { throw CancellationError() }
                    for told in found { try await lines.write(BulkTold(told)) }
                }
            } catch let error as Rejection {
                throw Problem(error)
            }
        }
    }

    private func run(_ request: RoutedRequest) async throws -> Response {
        try request.head.refuseIdempotencyKey()
        let (body, names) = try await Self.read(request)
        try request.requireAdmission()
        let asked = try Self.request(body, names)
        if let source = body.select?.condition {
            _ = try await InstanceCondition.compiled(source, "Field 'select.where'", .invalidRequest)
        }
        // Errors of the request as a whole are reported before the first line.
        guard body.dryRun == true else {
            let name = body.run ?? ""
            let view = try await asking { try await engine.begin(run: name, asked, names, by: request.caller) }
            return follow(view, for: request)
        }
        let checked = try await asking { try await engine.checked(asked, names, by: request.caller) }
        let turn = try work.begin()
        return Response(lines: engine.log, turn: turn) { [engine] lines in
            do {
                let rehearsal = try await engine.rehearse(checked, by: request.caller) { done in
                    if Task.isShuttingDownGracefully { throw CancellationError() }
                    try await lines.write(BulkLine.progress(WorkProgress(done: done, total: Int64(names.count))))
                }
                try await lines.write(BulkLine.rehearsal(WorkflowAPI.BulkRehearsal(rehearsal)))
            } catch let error as Rejection {
                throw await engine.suggestingName(Problem(error), for: request.caller)
            }
        }
    }

    /// Reports the progress of a run until the run ends. A caller that disconnects leaves the run as it is.
    private func follow(_ view: BulkView, for request: RoutedRequest) -> Response {
        Response(lines: engine.log, for: .usual) { [engine, budget] lines in
            let place = try budget.lasting.poll(for: request.caller.actor)
            defer { place.end() }
            guard let changes = engine.changes(ofRun: view) else {
                throw Problem(.overloaded, detail: "Too many wait for runs; 'wfctl bulk show' tells how far one is")
            }
            while true {
                let now = try await engine.run(named: view.record.key.name, by: request.caller)
                try await lines.write(BulkLine.run(try BulkRun(now)))
                if now.record.state != .running { return }
                guard await Self.hasChanged(changes, place.claim) else { throw CancellationError() }
                try place.claim.requireHeld()
            }
        }
    }

    /// Waits for the next change, or for the loss of the claim; returns false when the daemon stops. A shutdown waits
    /// for all answers, and a paused run does not end.
    private static func hasChanged(_ changes: AsyncStream<Void>, _ claim: Claim) async -> Bool {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Bool.self) { group in
                group.addTask {
                    for await _ in changes { return true }
                    return false
                }
                group.addTask {
                    await claim.untilLost()
                    return !Task.isCancelled
                }
                defer { group.cancelAll() }
                return await group.next() ?? false
            }
        }
    }
}

// MARK: The body

extension BulkRoutes {
    /// Reads one object, or lines: the object, and then the names of instances.
    private static func read(
        _ request: RoutedRequest
    ) async throws -> (WorkflowAPI.BulkRequest, names: [InstanceName]) {
        guard request.head.mediaTypeName == LineStream.mediaType else {
            guard request.head.mediaTypeName == "application/json" else {
                throw request.head.unsupportedMediaType(expected: "application/json or \(LineStream.mediaType)")
            }
            return (try await request.object(as: WorkflowAPI.BulkRequest.self), [])
        }
        var lines = BodyLines(request.request.body, on: request.connection)
        var body: WorkflowAPI.BulkRequest?
        var names: [InstanceName] = []
        var seen: Set<InstanceName> = []
        while try await lines.more() {
            try lines.forEach { line, number in
                if line.isEmpty { return true }
                do {
                    guard body != nil else {
                        body = try WorkflowAPI.BulkRequest(line: line)
                        return true
                    }
                    let name = InstanceName(rawValue: try BulkName(line: line).instance)
                    // An instance that is named twice has one turn.
                    if seen.insert(try checked(name)).inserted { names.append(name) }
                } catch let error as WireError {
                    var problem = Problem(error)
                    problem.line = number
                    throw problem
                }
                guard names.count <= APILimits.runNames else {
                    throw Problem(
                        .payloadTooLarge,
                        detail: "A run names at most \(APILimits.runNames) instances; make several runs of them")
                }
                return true
            }
        }
        guard let body else { throw Problem(.invalidRequest, detail: "The body has no line that says what to do") }
        return (body, names)
    }

    private static func checked(_ name: InstanceName) throws(WireError) -> InstanceName {
        if InstanceNameRule.isAddressable(name.rawValue) { return name }
        let message = InstanceNameRule.message(for: name.rawValue) ?? "No instance has such a name"
        throw WireError(.invalidValue, path: "instance", message: message)
    }

    private static func request(
        _ body: WorkflowAPI.BulkRequest, _ names: [InstanceName]
    ) throws -> WorkflowEngine.BulkRequest {
        let targets: WorkflowEngine.BulkRequest.Targets
        switch (body.select, names.isEmpty) {
        case (let select?, true): targets = .selection(try BulkSelection(select))
        case (nil, false): targets = .names(names.count, WorkflowEngine.BulkRequest.digest(of: names))
        case (nil, true) where body.action.verb == .undo:
            // The targets are the instances of the run that is undone.
            targets = .selection(BulkSelection())
        case (nil, true):
            throw Problem(
                .invalidRequest, detail: "Field 'select' is missing: say which instances, or name them in lines")
        case (_?, false):
            throw Problem(.invalidRequest, detail: "Field 'select' goes without lines that name instances")
        }
        guard let action = WorkflowEngine.BulkAction(try JSONObject(of: body.action)) else {
            throw Problem(.invalidRequest, detail: "'\(body.action.verb.rawValue)' is no verb for many instances")
        }
        return WorkflowEngine.BulkRequest(
            action: action, targets: targets, expect: body.expect, reason: body.reason,
            isAtomic: body.allOrNothing ?? false)
    }
}

extension BulkSelection {
    fileprivate init(_ select: BulkSelect) throws {
        var json = try JSONObject(of: select)
        do throws(DelayError) {
            json["olderThan"] = try select.olderThan.map { (text) throws(DelayError) in
                .int(try DelayText.lengthWithUnit(of: text))
            }
        } catch {
            throw Problem(.invalidRequest, detail: "Field 'select.olderThan': \(error.message)")
        }
        self.init(json)
    }
}

extension JSONObject {
    /// Reads the JSON of a wire object.
    fileprivate init(of value: some WireObject) throws {
        self = try JSONReader.value(from: JSONWriter.bytes(value)).object ?? [:]
    }
}
