import Logging
import Statechart
import Synchronization
import WorkflowJSON
package import WorkflowStore

extension Engine {
    /// Erases the data that a command names. On return, the rows are emptied on disk, and so is the log beside them,
    /// unless the answer has the reason why not. Copies may remain in gaps between rows until the file is compacted.
    ///
    /// After the error `outcomeUnknown` the redaction's row may already exist. Its data is then erased automatically,
    /// as soon as the store accepts writes, also after a restart.
    package func redact(_ command: RedactCommand) async throws(Rejection) -> RedactResult {
        var (answer, id) = try await beginOrRepeat(command)
        if command.isDryRun { return answer }
        do throws(Rejection) {
            try await finishErasures(of: id)
        } catch {
            switch error.code {
            case .storageUnavailable, .overloaded, .draining, .outcomeUnknown:
                erasures?.leave()
                throw .notErasedYet(answer)
            default: throw error
            }
        }
        answer.pending = await awaitErasing(of: .redaction)
        return answer
    }

    /// Begins the redaction, or returns the first answer to a repeated key. A repeated request may use a name that the
    /// redaction has removed, and that another instance may have since.
    private func beginOrRepeat(
        _ command: RedactCommand
    ) async throws(Rejection) -> (answer: RedactResult, id: InstanceID) {
        do throws(Rejection) {
            let record = try await instance(named: command.instance, by: command.caller).record
            return (try await begin(command, of: record), record.id)
        } catch {
            guard error.code == .instanceNotFound || error.code == .instanceExists, let name = command.newName,
                command.key != nil, !command.isDryRun
            else { throw error }
            let key = InstanceKey(name, in: command.caller.namespace)
            guard let record = try await read({ () async throws(StoreError) in try await store.instance(key) }) else {
                throw error
            }
            var again = command
            again.instance = name
            do throws(Rejection) {
                // This call carries out nothing, because the new name is taken.
                return (try await begin(again, of: record), record.id)
            } catch let other {
                // A key that was used for something else is refused. All other checks do not concern the first request.
                throw other.code == .keyReused || other.code == .redacted ? other : error
            }
        }
    }

    private func begin(
        _ command: RedactCommand, of record: InstanceRecord
    ) async throws(Rejection) -> RedactResult {
        var command = command
        command.found = try await find(record)
        if let seqs = command.seqs {
            try await refuseRepeating(seqs, of: record, isWhole: command.dataPaths.isEmpty)
        }
        if command.newName != nil { command.found?.runs = try await runs(telling: record) }
        if !command.dataPaths.isEmpty, let seqs = command.seqs {
            command.found?.kept = try await positions(of: seqs, of: record)
        }
        switch try await answer(to: command) {
        case .first(let answer): return answer
        case .repeated(let position): return try await repeated(command, at: position)
        }
    }

    /// Throws if an unnamed row repeats data of the named rows. A reset may have written again the state that they led
    /// to, and an earlier redaction may have kept a part of one.
    ///
    /// - Parameter isWhole: False if parts of the rows are kept; no earlier redaction has kept a part of such rows.
    private func refuseRepeating(
        _ seqs: SeqSet, of record: InstanceRecord, isWhole: Bool
    ) async throws(Rejection) {
        guard let first = seqs.first else { return }
        var next = first + 1
        while next <= record.seq.rawValue {
            let last = min(record.seq.rawValue, next + limits.foldedRows - 1)
            let query = HistoryQuery(
                instance: record.id, head: record.head, headSeq: record.seq, seqs: next...last, isReversed: false)
            for row in try await history(query) where !row.isRedacted && !seqs.contains(row.seq.rawValue) {
                let kept = isWhole ? row.redaction?.left.keys.compactMap { Int64($0) } : nil
                if let seq = kept?.first(where: seqs.contains) {
                    throw .invalidData(
                        "Seq \(row.seq.rawValue) (\(row.event)) holds what was left of seq \(seq) of "
                            + "'\(record.name)': name it too, as in '\(seqs.text),\(row.seq.rawValue)'")
                }
                guard row.kind == .reset, let data = row.data.flatMap(RecordedFailure.object),
                    case .int(let to)? = data["to"], to >= first
                else { continue }
                throw .invalidData(
                    "Seq \(row.seq.rawValue) (\(row.event)) holds what '\(record.name)' was after seq \(to): name it "
                        + "too, as in '\(seqs.text),\(row.seq.rawValue)'")
            }
            next = last + 1
        }
    }

    /// Returns the named rows of an instance that exist.
    private func positions(of seqs: SeqSet, of record: InstanceRecord) async throws(Rejection) -> [Position] {
        var positions: [Position] = []
        for range in seqs.within(1...max(1, record.seq.rawValue)).ranges {
            guard positions.count + range.count <= limits.keptRows else {
                throw .invalidData("A part of at most \(limits.keptRows) rows is redacted at a time")
            }
            for seq in range {
                if let row = try await row(of: record, at: Seq(rawValue: seq)) { positions.append(row.position) }
            }
        }
        return positions
    }

    /// Reads the data that a redaction needs of an instance.
    func find(_ record: InstanceRecord) async throws(Rejection) -> RedactCommand.Found {
        guard let start = try await row(of: record, at: Seq(rawValue: 1)) else {
            throw .inconsistent("the history of '\(record.name)' has no row at seq 1")
        }
        let calls = try await read { () async throws(StoreError) in try await store.calls(behind: record.head) }
        return RedactCommand.Found(seq: record.seq, start: start.position, calls: calls)
    }

    /// Returns the bulk runs that name an instance or report it by its name. An unfinished run counts, because it may
    /// come to report the instance.
    private func runs(telling record: InstanceRecord) async throws(Rejection) -> [RedactCommand.TellingRun] {
        var telling: [RedactCommand.TellingRun] = []
        let partition = record.id.partition
        for run in try await allRuns() where run.key.namespace == record.namespace && run.key.partition == partition {
            let request = try BulkView(run).request
            var names: [InstanceName]?
            if case .names(let count, _) = request.targets {
                let all = try await self.names(in: run.key, atMost: count)
                if all.contains(record.name) { names = all }
            }
            if names != nil || run.state != .done || BulkOutcome(run.outcome).tells(of: record.name) {
                telling.append(RedactCommand.TellingRun(key: run.key, names: names))
            }
        }
        return telling
    }

    /// Returns the answer that a redaction with this key got.
    private func repeated(
        _ command: RedactCommand, at position: Position
    ) async throws(Rejection) -> RedactResult {
        let row = try await row(of: command.key, by: command.caller, at: position)
        let record = try await instance(named: command.instance, by: command.caller).record
        guard row.instanceID == record.id, let redaction = row.redaction,
            RowNote(row.note).reason == command.reason, redaction.paths == command.paths,
            redaction.dataPaths == command.dataPaths, redaction.isRenamed == (command.newName != nil),
            command.seqs.map({ $0 == redaction.seqs }) ?? redaction.seqs.isAllOfOnce
        else { throw .keyReused(command.key?.text ?? "") }
        return RedactResult(
            instance: record.name, seq: row.seq, status: record.status,
            configuration: SnapshotText.leafPaths(in: row.to), redaction: redaction, isRepeated: true)
    }

    /// Completes the erasures that a bulk run has begun for instances.
    func finishErasures(ofEach ids: [InstanceID]) async throws(Rejection) {
        do throws(Rejection) {
            for id in ids { try await finishErasures(of: id) }
        } catch {
            erasures?.leave()
            throw error
        }
    }

    /// Completes the erasures of an instance, slice by slice.
    func finishErasures(of id: InstanceID) async throws(Rejection) {
        while try await queue.submit(EraseCommand(instance: id)) == .goesOn {}
        pastInstances.withLock { $0.remove(id) }
    }

    /// Carries out the erasures that a restore ordered, and completes those that a stop interrupted.
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

    /// - Returns: The name that the instance got, if another instance in the backup has the wanted name; else `nil`.
    private func begin(_ order: ErasureRecord) async throws(Rejection) -> ResumedErasures.OtherName? {
        guard let record = try await read({ () async throws(StoreError) in try await store.instance(order.instanceID) })
        else { return nil }
        var command = RedactCommand(order, of: record)
        do throws(Rejection) {
            _ = try await begin(command, of: record)
            return nil
        } catch {
            guard let wanted = command.newName else { throw error }
            let key = InstanceKey(wanted, in: record.namespace)
            guard error.code == .instanceExists || placement.partition(of: key) != record.id.partition else {
                throw error
            }
            // The old name must be erased all the same.
            let own = InstanceName.redacted(record.uuid)
            let given = placement.name(like: own, in: record.id.partition, of: record.namespace) ?? own
            command.newName = given
            log.tell(
                .batches, .warning, "an instance was to be renamed, and the name is another's",
                ["instance": "\(given)", "taken": "\(wanted)"])
            _ = try await begin(command, of: record)
            return ResumedErasures.OtherName(wanted: wanted, given: given)
        }
    }
}

/// The result of carrying out ordered and interrupted erasures.
package struct ResumedErasures: Sendable {
    package var count = 0
    package var otherNames: [OtherName] = []

    /// An instance whose wanted name was not free.
    package struct OtherName: Sendable {
        package let wanted: InstanceName
        package let given: InstanceName
    }
}

extension SeqSet {
    /// True if the seqs may once have been all rows of an instance, before the redaction's own row.
    fileprivate var isAllOfOnce: Bool { first == 1 && ranges.count == 1 }
}

extension Rejection {
    /// Returns the rejection for a redaction that is recorded, if the store does not accept the rest now.
    fileprivate static func notErasedYet(_ begun: RedactResult) -> Rejection {
        Rejection(
            .outcomeUnknown,
            "The redaction of '\(begun.instance)' is recorded (seq \(begun.seq.rawValue)), and not all of it is erased "
                + "yet: wfd goes on by itself, as soon as the database takes it")
    }
}
