import Statechart
import WorkflowJSON
package import WorkflowStore

extension Engine {
    /// Leases tasks of a queue to a worker. If none is ready, waits for the first one.
    ///
    /// - Parameter wait: The longest time to wait.
    package func lease(_ command: LeaseTasksCommand, wait: Duration) async throws(Rejection) -> [LeasedTask] {
        let end = ContinuousClock.now + wait
        let queueName = EffectRequest.tasks + command.queue
        workers.saw(command.worker, in: queueName, at: now)
        // A request waits no longer than a worker is remembered.
        defer { workers.saw(command.worker, in: queueName, at: now) }
        while true {
            // The subscription comes first, so that no task that becomes ready from here on is missed.
            guard let changes = queueWatch.changes(of: queueName) else { throw .overloaded }
            let grant = try await grant(command)
            if !grant.tasks.isEmpty || ContinuousClock.now >= end || Task.isCancelled { return grant.tasks }
            var until = end
            // A virtual clock does not reach that time by itself.
            if let next = grant.next, !isClockVirtual {
                until = min(end, .now + .milliseconds(Swift.max(1, next.rawValue - now.rawValue)))
            }
            await changes.next(until: until)
        }
    }

    /// Leases tasks of all lanes. If the queue has a limit, one request at a time counts what the lanes have leased.
    private func grant(_ command: LeaseTasksCommand) async throws(Rejection) -> LeaseTasksCommand.Grant {
        let settings = queueBoard.settings(of: EffectRequest.tasks + command.queue)
        guard let counts = queueBoard.counts, settings.concurrency != nil || StartRate(settings) != nil else {
            return try await grantInTurn(command)
        }
        await counts.turns.begin()
        defer { counts.turns.end() }
        if !counts.isWhole {
            // A lane that answers has entered the leases from before the start.
            await queue.beat()
            counts.becameWhole()
        }
        return try await grantInTurn(command)
    }

    /// Asks one lane after the other for tasks, until there are enough.
    private func grantInTurn(_ command: LeaseTasksCommand) async throws(Rejection) -> LeaseTasksCommand.Grant {
        var sum = LeaseTasksCommand.Grant()
        for queue in queue.inTurn {
            var rest = command
            rest.max -= sum.tasks.count
            do throws(Rejection) {
                let grant = try await queue.submit(rest)
                sum.tasks += grant.tasks
                sum.next = [sum.next, grant.next].compactMap(\.self).min()
            } catch {
                // Tasks that were leased are handed out.
                if sum.tasks.isEmpty { throw error }
                return sum
            }
            if sum.tasks.count >= command.max { return sum }
        }
        return sum
    }
}

extension Engine {
    /// Records a worker's report on a task; its changes are on disk on return. Returns the time until which the lease
    /// runs; `nil` if the lease has ended.
    @discardableResult
    package func report(_ command: EndTaskCommand) async throws(Rejection) -> Timestamp? {
        try Self.told(try await queue.submit(command))
    }

    /// Records workers' reports on several tasks, in their order; the answers have the same order.
    package func report(_ commands: [EndTaskCommand]) async -> [Result<Timestamp?, Rejection>] {
        let answers: [Result<EndTaskCommand.Answer, Rejection>?] = await withCheckedContinuation { caller in
            do throws(Rejection) {
                try queue.begin(commands, in: nil) { caller.resume(returning: $0) }
            } catch {
                caller.resume(returning: commands.map { _ in .failure(error) })
            }
        }
        return answers.map { answer in
            // Proof: the queue gives an answer for each command that it took.
            guard let answer else { preconditionFailure("every command is answered") }
            do throws(Rejection) {
                return .success(try Self.told(try answer.get()))
            } catch {
                return .failure(error)
            }
        }
    }

    private static func told(_ answer: EndTaskCommand.Answer) throws(Rejection) -> Timestamp? {
        switch answer {
        case .taken(let until): return until
        case .late(let reason): throw .leaseLost(reason)
        }
    }
}

extension Engine {
    /// Carries out an operator's verb on an effect, durable on return; or returns the verdict that the verb would get.
    package func effect(_ command: EffectVerbCommand) async throws(Rejection) -> EffectVerdict {
        var command = command
        command.call = try await call(command.effect, of: command.instance, by: command.caller)
        command.runs = { [runners] effect in runners.contains { $0.acts(on: effect) } }
        switch try await answer(to: command) {
        case .first(let verdict): return verdict
        case .repeated(let position): return try await repeated(command, at: position)
        }
    }

    /// Returns the position of a call with the name `call.SEQ.NUMBER`, which lies behind the row that began the call.
    /// Returns `nil` for other names.
    private func call(
        _ name: String, of instance: InstanceName, by caller: Caller
    ) async throws(Rejection) -> Position? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        // Proof: there are three parts.
        guard parts.count == 3, parts[0] == "call", let seq = Int64(parts[1]), seq > 0, let number = Int64(parts[2]),
            (1...limits.callNumbers).contains(number)
        else { return nil }
        let record = try await self.instance(named: instance, by: caller).record
        guard seq <= record.seq.rawValue else { return nil }
        let query = HistoryQuery(
            instance: record.id, head: record.head, headSeq: record.seq, seqs: seq...seq, isReversed: false)
        guard let row = try await history(query).first else { return nil }
        let places = (1...number).map { Position(rawValue: row.position.rawValue + $0) }
        let found = try await read { () async throws(StoreError) in try await store.effects(places) }
        return found.first { $0.instanceID == record.id && $0.name == name }?.id
    }

    /// Rebuilds the first answer to a verb with this key.
    private func repeated(
        _ command: EffectVerbCommand, at position: Position
    ) async throws(Rejection) -> EffectVerdict {
        let row = try await row(of: command.key, by: command.caller, at: position)
        let data = row.data.flatMap(RecordedFailure.object) ?? JSONObject()
        var isSame = row.kind == .effect && row.event == command.verb.name && data["id"]?.string == command.effect
        switch command.verb {
        case .retry(let newKey): isSame = isSame && (data["newKey"] == true) == newKey
        case .skip(let result): isSame = isSame && data["result"] == result
        case .cancel: break
        }
        guard isSame else { throw .keyReused(command.key?.text ?? "") }
        let record = try await instance(named: command.instance, by: command.caller).record
        guard record.id == row.instanceID else { throw .inconsistent("the row of a key belongs to another instance") }
        let next = row.seq.rawValue + 1
        let query = HistoryQuery(
            instance: record.id, head: record.head, headSeq: record.seq, seqs: next...next, isReversed: false)
        // The row behind the verb's row has the result that was given.
        let behind = next > record.seq.rawValue ? nil : try await history(query).first
        let result = behind.flatMap { $0.isResult && command.verb.givesResult ? $0 : nil }
        return EffectVerdict(
            instance: record.name, effect: command.effect, seq: row.seq,
            from: SnapshotText.leafPaths(in: row.from), to: SnapshotText.leafPaths(in: (result ?? row).to),
            hasFailed: result?.kind == .failed, isRepeated: true)
    }
}

extension Engine {
    /// Changes the settings of a queue; durable on return. Returns the settings that apply then.
    package func set(_ command: SetQueueCommand) async throws(Rejection) -> QueueRecord {
        log.asked("set a queue", by: command.caller)
        return try await queue.submit(command)
    }
}

extension Engine {
    /// Lets effects start, or holds them; durable on return. Returns true if effects were held before.
    @discardableResult
    package func hold(_ command: HoldCommand) async throws(Rejection) -> Bool {
        log.asked(command.isHeld ? "hold effects" : "release effects", by: command.caller)
        return try await queue.submit(command)
    }
}

extension EngineLimits {
    /// The number of positions behind a row that are searched for a call.
    fileprivate var callNumbers: Int64 { 1_000 }
}
