import Logging
import Statechart
import Synchronization
import WorkflowJSON
package import WorkflowStore

extension Engine {
    /// Erases what a command names. When this returns, the rows are emptied on disk, and so is the log beside them.
    /// Copies may stand in gaps between rows until the file is compacted.
    ///
    /// Where it throws `outcomeUnknown` the row may be there already. What it says is then erased by itself, as soon as
    /// the store takes it, also after a restart.
    package func redact(_ command: RedactCommand) async throws(Rejection) -> RedactResult {
        let record = try await instance(named: command.instance, by: command.caller).record
        let answer = try await begin(command, of: record)
        if command.isDryRun { return answer }
        do throws(Rejection) {
            try await finishErasures(of: record.id)
        } catch {
            switch error.code {
            case .storageUnavailable, .overloaded, .draining, .outcomeUnknown:
                erasures?.leave()
                throw .notErasedYet(answer)
            default: throw error
            }
        }
        return answer
    }

    private func begin(
        _ command: RedactCommand, of record: InstanceRecord
    ) async throws(Rejection) -> RedactResult {
        var command = command
        command.found = try await find(record)
        if let seqs = command.seqs { try await refuseRepeating(seqs, of: record) }
        if command.newName != nil { command.found?.runs = try await runs(telling: record) }
        switch try await queue.submit(command) {
        case .first(let answer): return answer
        case .repeated(let position): return try await repeated(command, at: position)
        }
    }

    /// Throws when a reset has written again what the named rows have led to, and its row is not named too.
    private func refuseRepeating(_ seqs: SeqSet, of record: InstanceRecord) async throws(Rejection) {
        guard let first = seqs.first else { return }
        var next = first + 1
        while next <= record.seq.rawValue {
            let last = min(record.seq.rawValue, next + limits.foldedRows - 1)
            let query = HistoryQuery(
                instance: record.id, head: record.head, headSeq: record.seq, seqs: next...last, isReversed: false)
            for row in try await history(query) where row.kind == .reset && !row.isRedacted {
                guard !seqs.contains(row.seq.rawValue), let data = row.data.flatMap(RecordedFailure.object),
                    case .int(let to)? = data["to"], to >= first
                else { continue }
                throw .invalidData(
                    "Seq \(row.seq.rawValue) (\(row.event)) holds what '\(record.name)' was after seq \(to): name it "
                        + "too, as in '\(seqs.text),\(row.seq.rawValue)'")
            }
            next = last + 1
        }
    }

    /// What a redaction must know of an instance.
    func find(_ record: InstanceRecord) async throws(Rejection) -> RedactCommand.Found {
        guard let start = try await row(of: record, at: Seq(rawValue: 1)) else {
            throw .inconsistent("the history of '\(record.name)' has no row at seq 1")
        }
        let calls = try await read { () async throws(StoreError) in try await store.calls(behind: record.head) }
        return RedactCommand.Found(seq: record.seq, start: start.position, calls: calls)
    }

    /// The runs over many instances that tell of an instance by its name, or name it. While one goes on, it may come to
    /// tell of it.
    private func runs(telling record: InstanceRecord) async throws(Rejection) -> [RedactCommand.TellingRun] {
        var telling: [RedactCommand.TellingRun] = []
        for run in try await allRuns() where run.key.namespace == record.namespace {
            let request = try BulkView(run).request
            var names: [InstanceName]?
            if case .names(let count, _) = request.targets {
                let all = try await self.names(of: run.key, count)
                if all.contains(record.name) { names = all }
            }
            if names != nil || run.state != .done || BulkOutcome(run.outcome).tells(of: record.name) {
                telling.append(RedactCommand.TellingRun(key: run.key, names: names))
            }
        }
        return telling
    }

    /// The answer that a redaction with this key got.
    private func repeated(
        _ command: RedactCommand, at position: Position
    ) async throws(Rejection) -> RedactResult {
        let row = try await row(of: command.key, at: position)
        let record = try await instance(named: command.instance, by: command.caller).record
        guard row.instanceID == record.id, let redaction = row.redaction,
            RowNote(row.note).reason == command.reason, redaction.paths == command.paths,
            redaction.isRenamed == (command.newName != nil),
            command.seqs.map({ $0 == redaction.seqs }) ?? redaction.seqs.isAllOfOnce
        else { throw .keyReused(command.key?.text ?? "") }
        return RedactResult(
            instance: record.name, seq: row.seq, status: record.status,
            configuration: SnapshotText.leafPaths(in: row.to), redaction: redaction, isRepeated: true)
    }

    /// Erases to the end what was begun of an instance, slice by slice.
    func finishErasures(of id: InstanceID) async throws(Rejection) {
        var looks = 0
        while true {
            switch try await queue.submit(EraseCommand(instance: id)) {
            case .goesOn: continue
            case .isDone:
                pastInstances.withLock { $0.remove(id) }
                return
            case .isInLog:
                // Somebody reads: the log is emptied as soon as nobody does.
                looks += 1
                if looks == limits.erasureLooks {
                    log.tell(
                        .batches, .warning, "the log still holds what was redacted: somebody reads the database",
                        ["instance": "\(id.rawValue)"])
                    return
                }
            }
        }
    }

    /// Does what was ordered by a restore, and ends what a stop has interrupted.
    package func resumeErasures() async throws(Rejection) -> ResumedErasures {
        var resumed = ResumedErasures()
        var last: Int64?
        while true {
            let page = try await read { [last] () async throws(StoreError) in
                try await store.erasures(after: last, limit: 100)
            }
            guard let end = page.last else { return resumed }
            for erasure in page where erasure.isOrdered || erasure.walk != nil {
                resumed.count += 1
                if erasure.isOrdered, let name = try await begin(erasure) { resumed.otherNames.append(name) }
                try await finishErasures(of: erasure.instanceID)
            }
            last = end.id
        }
    }

    /// - Returns: The name that the instance got where the one that is due is another's in the backup.
    private func begin(_ order: ErasureRecord) async throws(Rejection) -> ResumedErasures.OtherName? {
        guard let record = try await read({ () async throws(StoreError) in try await store.instance(order.instanceID) })
        else { return nil }
        var command = RedactCommand(order, of: record)
        do throws(Rejection) {
            _ = try await begin(command, of: record)
            return nil
        } catch {
            guard error.code == .instanceExists, let wanted = command.newName else { throw error }
            // The old name must go all the same.
            let given = InstanceName.redacted(record.uuid)
            command.newName = given
            log.tell(
                .batches, .warning, "an instance was to be renamed, and the name is another's",
                ["instance": "\(given)", "taken": "\(wanted)"])
            _ = try await begin(command, of: record)
            return ResumedErasures.OtherName(wanted: wanted, given: given)
        }
    }
}

/// Erasures that were ordered or interrupted, and are carried out.
package struct ResumedErasures: Sendable {
    package var count = 0
    package var otherNames: [OtherName] = []

    /// An instance whose new name was not free.
    package struct OtherName: Sendable {
        package let wanted: InstanceName
        package let given: InstanceName
    }
}

extension SeqSet {
    /// Whether these may have been all rows of an instance at some time: others came before the redaction's own.
    fileprivate var isAllOfOnce: Bool { first == 1 && ranges.count == 1 }
}

extension Rejection {
    /// It stands in the history, and the store does not take the rest now.
    fileprivate static func notErasedYet(_ begun: RedactResult) -> Rejection {
        Rejection(
            .outcomeUnknown,
            "The redaction of '\(begun.instance)' is recorded (seq \(begun.seq.rawValue)), and not all of it is erased "
                + "yet: wfd goes on by itself, as soon as the database takes it")
    }
}
