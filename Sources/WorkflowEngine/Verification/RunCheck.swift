import Statechart
import WorkflowStore

/// Compares the bulk runs with the rows that they wrote, as far as these still exist.
///
/// A batch that does work for a run writes the run's progress in the same transaction. So a run's counts match the rows
/// below the store's next position when the run was read.
struct RunChecks {
    private var checks: [BulkKey: RunCheck] = [:]
    /// The next positions of the partitions.
    private let ends: [PartitionID: Position]
    private let begin: StoreInspection

    init(_ inspection: StoreInspection) {
        begin = inspection
        ends = Dictionary(inspection.numbers.map { ($0.partition, $0.nextPosition) }) { first, _ in first }
        let undos = inspection.runs.compactMap { BulkRequest($0.request)?.action }.filter(\.isUndo)
        for run in inspection.runs where run.key.namespace == .default {
            checks[run.key] = RunCheck(
                run, isUndone: undos.contains { $0.isUndo(of: run) }, isPart: inspection.numbers.count > 1)
        }
    }

    /// The runs that name their instances.
    var naming: [(run: BulkRecord, count: Int, digest: Digest)] {
        checks.values.compactMap { check in
            guard case .names(let count, let digest)? = check.request?.targets else { return nil }
            return (check.run, count, digest)
        }.sorted { $0.run.key < $1.run.key }
    }

    /// Takes rows of the journal, each once.
    mutating func take(_ rows: [JournalRecord]) {
        for row in rows where ends[row.position.partition].map({ row.position < $0 }) ?? false {
            guard !checks.isEmpty, let text = row.note, text.contains(#""run":"#) else { continue }
            let note = RowNote(text)
            guard let run = note.run else { continue }
            checks[BulkKey(run, in: .default, partition: row.position.partition)]?.take(row, note)
        }
    }

    /// Returns the inconsistencies, after all rows were taken.
    ///
    /// - Parameter now: The state of the store at the end: rows may have been removed since the beginning.
    func inconsistencies(_ now: StoreInspection) -> [Inconsistency] {
        checks.sorted { $0.key < $1.key }.compactMap { key, check in
            let floor = check.run.floor
            let isWhole = (now.lastDeletion ?? floor) <= floor && (now.lastErasure ?? floor) <= floor
            return check.mistake(begin, isWhole: isWhole).map { Inconsistency("the run '\(key.name)': \($0)") }
        }
    }
}

/// A run and the facts from its rows.
private struct RunCheck {
    let run: BulkRecord
    let request: BulkRequest?
    /// True if another run undoes this one, and may have ended it.
    private let isUndone: Bool
    /// True if the run is in several partitions, and selected more than this part.
    private let isPart: Bool
    private let outcome: BulkOutcome
    private var rows: Int64 = 0
    /// The first row that the run does not ask for.
    private var stray: String?

    init(_ run: BulkRecord, isUndone: Bool, isPart: Bool) {
        self.run = run
        self.isUndone = isUndone
        self.isPart = isPart
        request = BulkRequest(run.request)
        outcome = BulkOutcome(run.outcome)
    }

    /// Takes a row that names the run. A row before the run's floor belongs to an earlier run with that name.
    mutating func take(_ row: JournalRecord, _ note: RowNote) {
        guard row.position >= run.floor, let request else { return }
        // An instance that continues after its migration has two rows.
        if retries, row.kind != .migrated { return }
        rows += 1
        guard stray == nil else { return }
        if row.actor != run.actor {
            stray = "the row at \(row.position.rawValue) has another actor"
        } else if !request.action.verb.writes(row) {
            stray = "the row at \(row.position.rawValue) is not what it asks for"
        } else if note.reason ?? "" != request.reason ?? "" {
            stray = "the row at \(row.position.rawValue) has another reason"
        } else if !isReached(row, request) {
            stray = "it has not come to the row at \(row.position.rawValue)"
        }
    }

    /// Returns true if the instance of a row has had its turn. A migrated instance had it in another version.
    private func isReached(_ row: JournalRecord, _ request: BulkRequest) -> Bool {
        request.selection == nil || request.action.verb.traits.changesVersions
            || BulkMark(machine: row.machineID.rawValue, number: row.instanceID.rawValue) <= run.mark
    }

    /// True if the run lets failed instances go on in another version.
    private var retries: Bool { (request?.action.verb as? MigrateVerb)?.retries ?? false }

    /// Returns the run's defect; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - store: The state of the store when the run was read.
    ///   - isWhole: True if all rows of the run still exist and are unchanged.
    func mistake(_ store: StoreInspection, isWhole: Bool) -> String? {
        guard let request, request.text == run.request, outcome.text == run.outcome else { return "it cannot be read" }
        let next = numbers(store)?.nextPosition ?? run.floor
        guard run.floor.number >= 1, run.floor <= next, (1...store.generation).contains(run.generation)
        else {
            return "it began at no time of this store"
        }
        if let mistake = stateMistake { return mistake }
        if let mistake = turnMistake(request, store) { return mistake }
        if let stray { return stray }
        return countMistake(request, isWhole: isWhole)
    }

    /// Returns the numbers of the run's partition.
    private func numbers(_ store: StoreInspection) -> StoreNumbers? {
        store.numbers.first { $0.partition == run.key.partition }
    }

    private var stateMistake: String? {
        let times = [run.begun, run.updated] + (run.ended.map { [$0] } ?? [])
        guard times.allSatisfy({ Timestamp.range.contains($0.rawValue) }), run.begun <= run.updated else {
            return "its times are not in order"
        }
        guard (run.state == .done) == (run.ended != nil), run.ended == nil || run.ended == run.updated else {
            return "it does not say when it ended"
        }
        return nil
    }

    /// Compares the run's progress with the number of instances that had their turn.
    private func turnMistake(_ request: BulkRequest, _ store: StoreInspection) -> String? {
        let wrong = "it does not say how far it is"
        guard run.mark >= .start, run.selected >= 0 else { return wrong }
        let isCut = request.isAtomic || isEnded(request)
        switch request.targets {
        case .names(let count, _):
            let isWhole = run.selected == Int64(count) || request.action.isUndo || isPart
            guard isWhole else { return "it does not name so many" }
            guard run.mark.machine == 0, run.mark.number <= Int64(count) else { return wrong }
            if isPart { return nil }
            // An instance that is named twice has its turn once.
            let isSame = run.state == .done ? outcome.total == run.selected : outcome.total <= run.mark.number
            return isSame || isCut || request.action.isUndo ? nil : wrong
        case .selection:
            guard let numbers = numbers(store), let first = store.numbers.first,
                run.mark.machine < first.nextMachine.rawValue,
                run.mark.number < numbers.nextInstance.rawValue, run.mark.machine > 0 || run.mark.number == 0
            else { return wrong }
            if outcome.total > 0, run.mark == .start, run.state != .done { return wrong }
            return run.state != .done || outcome.total >= run.selected || isCut || isPart
                ? nil : "it is done, and not all had their turn"
        }
    }

    /// Returns true if the run's undo may have ended it.
    private func isEnded(_ request: BulkRequest) -> Bool {
        guard run.state == .done else { return false }
        // An undo of an earlier build may be forgotten before its run.
        return isUndone || request.action.verb is MigrateVerb
    }

    private func countMistake(_ request: BulkRequest, isWhole: Bool) -> String? {
        for kind in BulkOutcome.Kind.allCases {
            let told = Int64(outcome.told.count { $0.kind == kind })
            // A done instance needs no message, so the first few of them are always named.
            guard told <= outcome.count(of: kind), kind != .done || (told == 0) == (outcome.count(of: kind) == 0) else {
                return "it does not tell of so many"
            }
        }
        if request.action.verb is DeleteVerb { return nil }
        let most = outcome.count(of: .done) + outcome.count(of: .failed)
        var least = most
        // An instance that would fail again stays unchanged.
        if retries { least = outcome.count(of: .done) }
        // An all-or-nothing run lists the instances that would have failed, and has changed none.
        if request.isAtomic, outcome.left > 0 { least = 0 }
        guard rows <= most, !isWhole || rows >= least else {
            return "it has done it to \(most), and \(rows) have a row of it"
        }
        return nil
    }
}
