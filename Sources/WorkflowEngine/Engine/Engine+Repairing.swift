import Statechart
package import WorkflowStore

extension Engine {
    /// Carries out an operator's repair of an instance; its changes are on disk on return.
    package func repair(_ command: RepairCommand) async throws(Rejection) -> SendResult {
        try await answer(to: command) { (position) async throws(Rejection) in
            try await repeated(command, at: position)
        }
    }
}

extension Engine {
    /// Resets an instance to an earlier state; the changes are on disk on return.
    package func reset(_ command: ResetCommand) async throws(Rejection) -> SendResult {
        // Folding history takes too long for an executor that serves sockets.
        try await withTaskExecutorPreference(globalConcurrentExecutor) { () async throws(Rejection) in
            for _ in 0..<limits.resetAttempts {
                var command = command
                command.past = try await past(for: command)
                switch try await answer(to: command) {
                case .first(let answer): return answer
                case .repeated(let position): return try await repeated(command, at: position)
                case .moved: continue
                }
            }
            throw .movedDuringReset(command.instance)
        }
    }

    /// Returns the past that a command needs from the instance's history. A failure is a value, because the command's
    /// key is looked up first.
    private func past(for command: ResetCommand) async throws(Rejection) -> Result<FoldedPast, Rejection> {
        let record = try await instance(named: command.instance, by: command.caller).record
        return await past(of: record, for: command.goal)
    }

    /// Returns the past that a goal needs, for an instance that was read already.
    func past(of record: InstanceRecord, for goal: ResetCommand.Goal) async -> Result<FoldedPast, Rejection> {
        do throws(Rejection) {
            let seq: Seq
            switch goal {
            case .seq(let wanted): seq = wanted
            case .beforeLast: seq = try await seqBeforeMigration(of: record)
            }
            return .success(try await past(of: record, after: seq))
        } catch {
            return .failure(error)
        }
    }

    private func seqBeforeMigration(of record: InstanceRecord) async throws(Rejection) -> Seq {
        guard let last = try await row(of: record, at: record.seq) else {
            throw .inconsistent("the history has no row at seq \(record.seq.rawValue)")
        }
        guard last.kind == .migrated else { throw .notUndoable(record, last) }
        return Seq(rawValue: record.seq.rawValue - 1)
    }
}

extension Engine {
    /// Migrates an instance to another version; the changes are on disk on return.
    package func migrate(_ command: MigrateCommand) async throws(Rejection) -> SendResult {
        try await answer(to: command) { (position) async throws(Rejection) in
            try await repeated(command, at: position)
        }
    }
}

extension Engine {
    /// Deletes an instance. On return, nobody finds the instance and its name is free. Its data is in no file of the
    /// store, unless the answer has the reason why it still is. Copies may remain in gaps between rows until the store
    /// is compacted.
    package func delete(_ command: DeleteCommand) async throws(Rejection) -> Deletion {
        var deletion = try await carryOut(command)
        if !deletion.isDryRun { deletion.pending = await awaitErasing(of: .deletion) }
        return deletion
    }

    /// Deletes an instance without waiting until its rows are removed.
    func carryOut(_ command: DeleteCommand) async throws(Rejection) -> Deletion {
        var command = command
        for _ in 0..<limits.deletionLooks {
            if let deletion = try await answer(to: command) { return deletion }
            command.look = try await look(at: command.target)
        }
        throw .movedDuringDelete(command.instance)
    }

    /// Returns the calls of an instance; `nil` if there is no such instance.
    private func look(at key: InstanceKey) async throws(Rejection) -> DeleteCommand.Look? {
        let record = try await read { () async throws(StoreError) in try await store.instance(key) }
        guard let record else { return nil }
        return try await look(at: record)
    }

    func look(at record: InstanceRecord) async throws(Rejection) -> DeleteCommand.Look {
        let calls = try await read { () async throws(StoreError) in try await store.calls(behind: record.head) }
        return DeleteCommand.Look(id: record.id, seq: record.seq, calls: calls)
    }

    /// The remains of deleted instances.
    package var purgeBacklog: PurgeBacklog { purging.backlog }
}
