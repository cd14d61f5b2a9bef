import Hummingbird
import ServiceLifecycle
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// The route that lists the history of an instance.
struct HistoryRoutes: Sendable {
    let engine: Engine
    let budget: AnswerBudget

    func register(on routes: inout RouteHandlers) {
        routes.on(.listHistory) { try await list($0, name: try $0.instance) }
    }

    private func list(_ request: RoutedRequest, name: InstanceName) async throws -> Response {
        let caller = request.caller
        var parameters = try reading {
            try HistoryParameters(query: try request.queryItems)
        }
        // Read before the instance is looked up: a restore may have removed the instance.
        var token: PageToken?
        if let page = parameters.page { token = try await engine.pageToken(page, by: caller, instance: name) }
        var position: Position?
        if let cursor = parameters.cursor {
            position = try await engine.position(
                ofCursor: cursor, in: "Parameter 'cursor' must be", instance: name, isOfRow: true, by: caller)
        }
        let first = try await asking { try await engine.instance(named: name, by: caller) }.record
        if let position {
            parameters.after = try await asking { try await engine.seq(of: first, upTo: position, by: caller) }?
                .rawValue
        }
        guard let seconds = parameters.wait, seconds > 0 else {
            return try await page(token, parameters, of: first, by: caller)
        }
        let place = try budget.lasting.poll(for: caller.actor)
        defer { place.end() }
        guard let changes = try await asking({ try engine.bell(of: first, by: caller) })?.rings else {
            throw Problem(.overloaded, detail: "Too many requests wait for history")
        }
        let record = try await asking { try await engine.instance(named: name, by: caller) }.record
        if record.seq.rawValue > parameters.after ?? 0 || hasEnded(record) {
            return try await page(token, parameters, of: record, by: caller)
        }
        await waitForChange(changes, atMost: .seconds(seconds), place.claim)
        try place.claim.requireHeld()
        let changed = try await asking { try await engine.instance(named: name, by: caller) }.record
        return try await page(token, parameters, of: changed, by: caller)
    }

    /// Returns true if no further row can be written, so that nobody needs to wait for one.
    private func hasEnded(_ record: InstanceRecord) -> Bool {
        switch record.status {
        case .done, .cancelled, .purging: true
        case .running, .failed, .suspended: false
        }
    }

    /// Returns after a commit that changed the instance, after the given time, when the daemon stops, or when the claim
    /// is lost.
    private func waitForChange(_ changes: AsyncStream<Void>, atMost time: Duration, _ claim: Claim) async {
        await cancelWhenGracefulShutdown {
            await withTaskGroup { group in
                group.addTask { for await _ in changes { return } }
                // Cancelled as soon as there is a change; then the time no longer matters.
                group.addTask { try? await Task.sleep(for: time) }
                group.addTask { await claim.untilLost() }
                await group.next()
                group.cancelAll()
            }
        }
    }

    private func page(
        _ token: PageToken?, _ parameters: HistoryParameters, of record: InstanceRecord, by caller: Caller
    ) async throws -> Response {
        try await budget.page { try await rows(token, parameters, of: record, by: caller) }
    }

    private func rows(
        _ token: PageToken?, _ parameters: HistoryParameters, of record: InstanceRecord, by caller: Caller
    ) async throws -> Response {
        let limit = Int64(parameters.limit ?? APILimits.defaultPageItems)
        var lowest = (parameters.after ?? 0).addingReportingOverflow(1).partialValue
        var highest = record.seq.rawValue
        if let token {
            guard case .history(record.id, parameters.reverse, let next) = token else {
                throw PageToken.ofAnotherList
            }
            if parameters.reverse { highest = min(highest, next) } else { lowest = max(lowest, next) }
        }
        guard lowest > 0, lowest <= highest else { return Response(HistoryPage(items: [])) }
        let seqs =
            parameters.reverse
            ? max(lowest, highest - limit + 1)...highest : lowest...min(highest, lowest + limit - 1)
        let query = HistoryQuery(
            instance: record.id, head: record.head, headSeq: record.seq, seqs: seqs, isReversed: parameters.reverse)
        let rows = try await asking { try await engine.history(query, of: record, by: caller) }
        let moves =
            parameters.detail
            ? try await offLoop(for: .longWork) {
                try await asking { try await engine.moves(of: rows, in: record, query: query, by: caller) }
            } : nil
        var items: [HistoryRow] = []
        for (offset, row) in rows.enumerated() {
            let neighbour = offset + (parameters.reverse ? 1 : -1)
            let before = rows.indices.contains(neighbour) ? rows[neighbour] : nil
            let isRetry = try await asking { try await engine.isRetry(row, of: record, behind: before, by: caller) }
            items.append(
                HistoryRow(row, generation: engine.generation, moves: moves?[offset], isRetry: isRetry))
        }
        return Response(HistoryPage(items: items, nextPage: next(after: rows, lowest, highest, parameters, record)))
    }

    private func next(
        after rows: [JournalRecord], _ lowest: Int64, _ highest: Int64, _ parameters: HistoryParameters,
        _ record: InstanceRecord
    ) -> String? {
        guard let last = rows.last?.seq.rawValue else { return nil }
        let next = parameters.reverse ? last - 1 : last + 1
        guard (lowest...highest).contains(next) else { return nil }
        return engine.text(of: .history(instance: record.id, isReversed: parameters.reverse, next: next))
    }
}
