import Statechart
package import WorkflowStore

/// A request to delete finished instances.
package struct PurgeRequest: Sendable {
    /// The machine; `nil` for all machines.
    package var machine: MachineName?
    /// The milliseconds for which an instance must have been unchanged.
    package var age: Int64
    package var reason: String?
    /// True to count the instances and change nothing.
    package var isDryRun: Bool
    package var caller: Caller

    package init(machine: MachineName? = nil, age: Int64, reason: String?, isDryRun: Bool = false, by caller: Caller) {
        self.machine = machine
        self.age = age
        self.reason = reason
        self.isDryRun = isDryRun
        self.caller = caller
    }
}

/// The counts of one purge request.
package struct PurgeResult: Sendable, Equatable {
    /// The number of deleted instances.
    package var deleted = 0
    /// The number of journal rows of the deleted instances.
    package var rows: Int64 = 0
    /// The number of instances that stay because their calls have not ended.
    package var kept = 0
    /// False if there may be more to delete: ask again.
    package var isDone = false
    /// The reason why some erased data is still in the files. `nil` when the data is gone, for a dry run, and before
    /// the purge is done.
    package var pending: String?

    package init(deleted: Int = 0, rows: Int64 = 0, kept: Int = 0, isDone: Bool = false) {
        self.deleted = deleted
        self.rows = rows
        self.kept = kept
        self.isDone = isDone
    }
}

extension Engine {
    /// Deletes finished instances, a bounded number in one request; the caller asks again for the rest. Failed, running
    /// and suspended instances stay, and those with calls that have not ended.
    package func purge(_ request: PurgeRequest) async throws(Rejection) -> PurgeResult {
        log.asked("purge", by: request.caller)
        if let machine = request.machine { _ = try await self.machine(named: machine, by: request.caller) }
        var result = PurgeResult()
        // This also logs what was deleted before a failure.
        defer {
            if !request.isDryRun, result.deleted > 0 {
                tell(result, of: request.machine, reason: request.reason, by: request.caller)
            }
        }
        try await deleteFinished(request, &result)
        if !request.isDryRun, result.isDone { result.pending = await awaitErasing(of: .deletion) }
        return result
    }

    /// Deletes finished instances without a log line, and adds the counts to `result`.
    func deleteFinished(_ request: PurgeRequest, _ result: inout PurgeResult) async throws(Rejection) {
        let oldest = Timestamp(rawValue: now.rawValue - request.age)
        let before = result.deleted
        (result.kept, result.isDone) = (0, false)
        for status in [InstanceStatus.done, .cancelled] {
            var query = InstanceQuery(
                machines: request.machine.map { [$0] } ?? [], statuses: [status], enteredBefore: oldest,
                limit: limits.purgedPage)
            repeat {
                let page = try await read { [query] () async throws(StoreError) in
                    try await store.instances(query, in: request.caller.namespace)
                }
                let old = page.instances.filter { $0.updated <= oldest }
                let looked = request.isDryRun ? try await countWithoutCalls(old, &result) : old
                try await delete(looked, request, &result)
                if !request.isDryRun, result.deleted - before >= limits.purgedAtOnce { return }
                query.after = page.next
            } while query.after != nil
        }
        result.isDone = true
    }

    /// Counts the instances whose machines make no calls, and returns the others.
    private func countWithoutCalls(
        _ records: [InstanceRecord], _ result: inout PurgeResult
    ) async throws(Rejection) -> [InstanceRecord] {
        var others: [InstanceRecord] = []
        for record in records {
            if try await loadedMachine(record.machineID).machine.hasCalls {
                others.append(record)
            } else {
                result.deleted += 1
                result.rows += record.seq.rawValue
            }
        }
        return others
    }

    /// Deletes instances in groups that leave room for other commands in a batch.
    private func delete(
        _ records: [InstanceRecord], _ request: PurgeRequest, _ result: inout PurgeResult
    ) async throws(Rejection) {
        var rest = records[...]
        while !rest.isEmpty {
            let some = rest.prefix(max(1, limits.batchRows / 4))
            rest = rest.dropFirst(some.count)
            let outcomes = await withTaskGroup(of: Result<Deletion, Rejection>.self) { group in
                for record in some {
                    var command = DeleteCommand(
                        instance: record.name, reason: request.reason, expectedSeq: record.seq,
                        isDryRun: request.isDryRun, by: request.caller)
                    command.isTold = false
                    group.addTask { [command] in await self.outcome(of: command) }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            for outcome in outcomes {
                switch outcome {
                case .success(let deletion):
                    result.deleted += 1
                    result.rows += deletion.rows
                case .failure(let rejection):
                    switch rejection.code {
                    case .effectsOpen: result.kept += 1
                    // Another caller has deleted or changed the instance meanwhile.
                    case .instanceNotFound, .preconditionFailed, .notFinished: break
                    default: throw rejection
                    }
                }
            }
        }
    }

    private func outcome(of command: DeleteCommand) async -> Result<Deletion, Rejection> {
        do throws(Rejection) {
            return .success(try await carryOut(command))
        } catch {
            return .failure(error)
        }
    }
}
