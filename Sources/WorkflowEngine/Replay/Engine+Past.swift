import Statechart
import WorkflowJSON
import WorkflowStore

// Past states of instances, with everything that a reset needs.

extension Engine {
    /// Returns an instance as it was after a seq, with the results of invocations that lived then and do not live now.
    func past(of record: InstanceRecord, after seq: Seq) async throws(Rejection) -> FoldedPast {
        guard (1...record.seq.rawValue).contains(seq.rawValue) else { throw .noSeq(seq, of: record) }
        let fold = try await self.fold(of: record, through: seq.rawValue)
        if fold.isInGap, let first = try await firstWhole(of: record, after: seq) {
            throw .redactedPast(seq, of: record, first: first)
        }
        guard let row = try await row(of: record, at: seq), let snapshot = fold.snapshot else {
            throw .inconsistent("the history of '\(record.name)' has no row at seq \(seq.rawValue)")
        }
        let loaded = try await loadedMachine(row.machineID)
        let failed = snapshot.status == .failed ? try await failing(record, at: seq) : nil
        let then = PastSnapshot(
            version: loaded.record.version.rawValue, snapshot: snapshot, at: LogicalTime(row.at),
            failure: failed?.recordedFailure,
            invocations: try await lostInvocations(of: snapshot, in: record, since: seq))
        let age = FormerAge(
            entered: try await entered(record, at: seq),
            failure: failed.flatMap { RecordedFailure(note: $0.note)?.text(seq: $0.seq, at: $0.at) })
        return FoldedPast(seq: seq, then: then, loaded: loaded, age: age, read: record.seq)
    }

    /// Returns the time since which an instance was in the configuration that it had after a seq.
    private func entered(_ record: InstanceRecord, at seq: Seq) async throws(Rejection) -> Timestamp {
        // A clock that was ahead may have been corrected since.
        var latest = Timestamp(rawValue: .max)
        let entry = try await lastStanding(of: record, through: seq) { row in
            if row.isClock { latest = min(latest, row.at) }
            return row.isEntry
        }
        return min(entry?.at ?? record.created, latest)
    }

    /// Returns the last wanted row up to a seq that neither undoes another row nor was undone; `nil` if there is none.
    private func lastStanding(
        of record: InstanceRecord, through seq: Seq, where isWanted: (JournalRecord) -> Bool
    ) async throws(Rejection) -> JournalRecord? {
        var undone: Seq?
        return try await last(of: record, through: seq) { row in
            defer { undone = row.isUndo ? Seq(rawValue: row.seq.rawValue - 1) : nil }
            return isWanted(row) && !row.isUndo && row.seq != undone
        }
    }

    /// Returns the row of an instance with a seq; `nil` if there is none.
    func row(of record: InstanceRecord, at seq: Seq) async throws(Rejection) -> JournalRecord? {
        try await rows(of: record, seq.rawValue...seq.rawValue).first
    }

    private func rows(
        of record: InstanceRecord, _ seqs: ClosedRange<Int64>, isReversed: Bool = false
    ) async throws(Rejection) -> [JournalRecord] {
        try await history(
            HistoryQuery(
                instance: record.id, head: record.head, headSeq: record.seq, seqs: seqs, isReversed: isReversed))
    }

    /// Returns the last wanted row up to a seq, reading in pages; `nil` if there is none.
    private func last(
        of record: InstanceRecord, through seq: Seq, where isWanted: (JournalRecord) -> Bool
    ) async throws(Rejection) -> JournalRecord? {
        var upper = seq.rawValue
        while upper > 0 {
            let lower = max(1, upper - limits.foldedRows + 1)
            if let found = try await rows(of: record, lower...upper, isReversed: true).first(where: isWanted) {
                return found
            }
            upper = lower - 1
        }
        return nil
    }

    /// Returns the reason why an instance was failed or suspended after a seq; `nil` if there is no reason.
    func failure(of record: InstanceRecord, at seq: Seq) async throws(Rejection) -> JSONValue? {
        try await failing(record, at: seq)?.recordedFailure
    }

    /// Returns the row with the reason why an instance was failed or suspended after a seq.
    private func failing(_ record: InstanceRecord, at seq: Seq) async throws(Rejection) -> JournalRecord? {
        try await lastStanding(of: record, through: seq) { $0.saysFailure }
    }

    /// Returns the first seq after which an instance is known completely, if its state after `seq` was erased; `nil` if
    /// nothing was erased.
    private func firstWhole(of record: InstanceRecord, after seq: Seq) async throws(Rejection) -> Seq? {
        try await last(of: record, through: record.seq) { $0.isRedacted && $0.seq <= seq } == nil
            ? nil : last(of: record, through: record.seq) { $0.kind == .redacted }?.seq
    }
}

extension JournalRecord {
    /// The reason why the instance failed with this row; `nil` if it did not.
    fileprivate var recordedFailure: JSONValue? { note.flatMap(RecordedFailure.object)?["failure"] }
}

// MARK: Invocations

extension Engine {
    private func lostInvocations(
        of then: Snapshot, in record: InstanceRecord, since seq: Seq
    ) async throws(Rejection) -> [Pending.ID: PastInvocation] {
        let now = try record.snapshot(of: try await loadedMachine(record.machineID))
        let live = Set(now.armed.filter { $0.kind == .invocation && !$0.isKept }.map(\.id))
        let lost = then.armed.filter { $0.kind == .invocation && !live.contains($0.id) }
        if lost.isEmpty { return [:] }
        var search = ResultSearch(for: lost)
        try await find(&search, in: record, since: seq)
        return try await begun(lost, in: record, search.answers)
    }

    /// Finds how invocations began, by repeating the macrosteps that began them.
    private func begun(
        _ lost: [Pending], in record: InstanceRecord, _ answers: [Pending.ID: PastInvocation.Answer]
    ) async throws(Rejection) -> [Pending.ID: PastInvocation] {
        var found: [Pending.ID: PastInvocation] = [:]
        var rest = lost.map(\.id)[...]
        while let first = rest.first?.seq {
            // Invocations that began near the same snapshot are folded together.
            let ids = rest.prefix { $0.seq - first < limits.foldedRows }
            rest = rest.dropFirst(ids.count)
            try await fold(of: record, from: first - 1, through: ids.last?.seq ?? first) { row, _, macrostep in
                for id in ids where id.seq == row.seq.rawValue {
                    found[id] = PastInvocation(
                        id, begunBy: macrostep, at: LogicalTime(row.at), answer: answers[id])
                }
            }
        }
        guard found.count == lost.count else {
            let erased = lost.filter { found[$0.id] == nil }
            if let first = erased.map(\.id.seq).min(),
                let redaction = try await last(of: record, through: record.seq, where: { $0.kind == .redacted }),
                redaction.seq.rawValue > first
            {
                throw .erasedBeginning(of: erased, record)
            }
            throw .inconsistent("the history of '\(record.name)' does not say how its invocations began")
        }
        return found
    }

    /// Reads the rows after a seq until the end of each invocation is known.
    private func find(
        _ search: inout ResultSearch, in record: InstanceRecord, since seq: Seq
    ) async throws(Rejection) {
        var next = seq.rawValue + 1
        while !search.isOver, next <= record.seq.rawValue {
            let page = try await rows(of: record, next...min(record.seq.rawValue, next + limits.foldedRows - 1))
            guard let last = page.last else { throw .inconsistent("the history has no row at seq \(next)") }
            for row in page {
                guard let id = search.take(row) else { continue }
                // A timeout does not name its invocation: one with the same name may have begun since.
                let before = try await fold(of: record, through: row.seq.rawValue - 1).snapshot
                search.timedOut(id, by: row, isLive: before?.armed.contains { $0.id == id } ?? false)
            }
            next = last.seq.rawValue + 1
        }
    }
}

/// A search for the results of invocations.
private struct ResultSearch {
    private var wanted: [Pending.ID: String]
    private(set) var answers: [Pending.ID: PastInvocation.Answer] = [:]

    init(for lost: [Pending]) {
        wanted = Dictionary(lost.map { ($0.id, $0.invocation ?? "") }) { first, _ in first }
    }

    /// True if the ends of all invocations are known.
    var isOver: Bool { wanted.isEmpty }

    /// Takes the next row. Returns an invocation whose timeout the row may be.
    mutating func take(_ row: JournalRecord) -> Pending.ID? {
        guard let name = Pending.invocation(of: row.event), !row.isRedacted else { return nil }
        if let id = RowNote(row.note).result {
            answer(id, by: row)
            return nil
        }
        guard row.kind == .timer || row.kind == .failed else { return nil }
        return wanted.first { $0.value == name }?.key
    }

    /// Records a timeout.
    ///
    /// - Parameter isLive: True if the invocation lived before the row; otherwise it was cancelled.
    mutating func timedOut(_ id: Pending.ID, by row: JournalRecord, isLive: Bool) {
        if isLive { answer(id, by: row) } else { wanted[id] = nil }
    }

    private mutating func answer(_ id: Pending.ID, by row: JournalRecord) {
        guard wanted.removeValue(forKey: id) != nil else { return }
        let data = row.data.flatMap(Self.value)
        answers[id] = PastInvocation.Answer(Event(name: row.event, data: data, at: LogicalTime(row.at)))
    }

    /// Returns the value of a text; `nil` if no engine wrote the text.
    private static func value(_ text: String) -> JSONValue? {
        do throws(JSONError) {
            return try JSONReader.value(from: text)
        } catch {
            return nil
        }
    }
}

extension Rejection {
    fileprivate static func noSeq(_ seq: Seq, of record: InstanceRecord) -> Rejection {
        Rejection(
            .seqNotFound,
            "Instance '\(record.name)' has no seq \(seq.rawValue) (latest is \(record.seq.rawValue))",
            subject: .instance(record.name))
    }

    fileprivate static func erasedBeginning(of invocations: [Pending], _ record: InstanceRecord) -> Rejection {
        let names = invocations.prefix(5).map { "'\($0.invocation ?? "")'" }.joined(separator: ", ")
        return Rejection(
            .redacted,
            "'\(record.name)' waited then for what it waits for no more, and how that began was erased: \(names); "
                + "reset it to a later seq, or go on with 'set'", subject: .instance(record.name))
    }

    fileprivate static func redactedPast(_ seq: Seq, of record: InstanceRecord, first: Seq) -> Rejection {
        Rejection(
            .redacted,
            "What '\(record.name)' was after seq \(seq.rawValue) was erased; it can be reset to seq "
                + "\(first.rawValue) and later", subject: .instance(record.name))
    }
}
