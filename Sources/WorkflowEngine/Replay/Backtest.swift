package import Statechart
package import WorkflowStore

/// The counts of a backtest with another definition.
package struct TrialCounts: Sendable, Equatable {
    package var same = 0
    package var differs = 0
    package var refused = 0
    /// The number of journal rows that were replayed.
    package var events = 0
    /// The numbers of instances that differ or are refused, by event; at most `EngineLimits.toldInconsistencies`
    /// events.
    package var byEvent: [String: (differs: Int, refused: Int)] = [:]

    package init() {}

    package static func == (lhs: TrialCounts, rhs: TrialCounts) -> Bool {
        (lhs.same, lhs.differs, lhs.refused, lhs.events) == (rhs.same, rhs.differs, rhs.refused, rhs.events)
            && lhs.byEvent.mapValues { [$0.differs, $0.refused] } == rhs.byEvent.mapValues { [$0.differs, $0.refused] }
    }

    /// Counts the verdict of one instance.
    mutating func note(_ verdict: TrialVerdict, atMost bound: Int) {
        switch verdict {
        case .same: same += 1
        case .differs(let difference):
            differs += 1
            note(difference.event, bound) { $0.differs += 1 }
        case .refused(_, let event, _):
            refused += 1
            note(event, bound) { $0.refused += 1 }
        }
    }

    private mutating func note(_ event: String, _ bound: Int, _ change: (inout (differs: Int, refused: Int)) -> Void) {
        guard byEvent[event] != nil || byEvent.count < bound else { return }
        change(&byEvent[event, default: (0, 0)])
    }
}

/// A report from a running backtest.
package enum BacktestEvent: Sendable, Equatable {
    case progress(VerificationProgress)
    /// An instance that departs from its history.
    case parts(instance: InstanceName, verdict: TrialVerdict)
}

/// Replays instances of one machine with another definition. A backtest reads as `Verification` does, and writes
/// nothing.
package struct Backtest: Sendable {
    /// Receives the events in order; an error that it throws ends the backtest.
    package typealias Report = @concurrent (BacktestEvent) async throws -> Void

    private let store: any StoreReader
    private let limits: EngineLimits
    private let machine: Machine
    private let past: HistoryFolder

    package init(of store: any StoreReader, with machine: Machine, limits: EngineLimits = EngineLimits()) {
        self.store = store
        self.limits = limits
        self.machine = machine
        past = HistoryFolder(store: store, library: MachineLibrary(limits: limits), limits: limits)
    }

    /// Replays one instance.
    @concurrent package func run(instance record: InstanceRecord, _ report: Report) async throws -> TrialVerdict {
        guard let version = try await store.machine(record.machineID)?.version else { return .missing(record) }
        var trial = BacktestRun(of: record, with: machine, version: version)
        var next: Int64 = 1
        var clock = ReportClock(limits)
        // The loop continues behind a difference, because the backtest counts only from the last row that restates the
        // instance.
        while next <= record.seq.rawValue {
            let seqs = next...min(record.seq.rawValue, next + limits.foldedRows - 1)
            let rows = try await store.history(
                HistoryQuery(
                    instance: record.id, head: record.head, headSeq: record.seq, seqs: seqs, isReversed: false))
            guard let last = rows.last else { return .missing(record) }
            for row in rows {
                if row.kind.saysInstanceAnew {
                    try await trial.begin(behind: row, of: record, past)
                } else {
                    trial.take(row, of: record)
                }
            }
            next = last.seq.rawValue + 1
            if clock.isDue() {
                try await report(
                    .progress(VerificationProgress(done: Int(next - 1), total: Int(record.seq.rawValue))))
            }
        }
        return trial.verdict ?? .same
    }

    /// Replays every instance of a machine, or those of some of its versions, in passes.
    ///
    /// - Parameter wanted: The versions; empty for all.
    /// - Throws: `unsupported` if the store cannot be read in the order of its journal.
    @concurrent package func run(
        machine key: MachineKey, versions wanted: [MachineVersion], _ report: Report
    ) async throws -> TrialCounts {
        var run = BacktestScan(
            store: store, audit: try store.requireAudit(), limits: limits, machine: machine, past: past)
        for range in try await run.begin(key, wanted) {
            run.start = range.start
            var next: Int64? = range.lowerInstance
            while let lower = next { next = try await run.pass(range, from: lower, report) }
            run.passed += range.rows
        }
        return run.counts
    }
}

extension TrialVerdict {
    /// Returns the verdict for a history that cannot be read to its end.
    static func missing(_ record: InstanceRecord) -> TrialVerdict {
        .refused(seq: record.seq, event: "", reason: "its history cannot be read; 'wfctl verify' tells more")
    }
}

extension BacktestRun {
    /// Continues behind a row that restates the instance; the rows before it do not count.
    mutating func begin(
        behind row: JournalRecord, of record: InstanceRecord, _ past: HistoryFolder
    ) async throws(Rejection) {
        let fold = try await past.fold(of: record, from: row.seq.rawValue, through: row.seq.rawValue)
        guard let snapshot = fold.snapshot, let machine = fold.machine?.machine else { return }
        begin(behind: row, machine.text(of: snapshot), snapshot.status)
    }

    /// Takes the next row of an instance that is as in `record` after the last row.
    mutating func take(_ row: JournalRecord, of record: InstanceRecord) {
        let isLast = row.position == record.head
        take(row, status: isLast ? record.status : row.statusBehind)
        if isLast { end(after: row) }
    }
}

extension JournalRecord {
    /// The instance's status behind the row, if other rows follow; `nil` if the row does not determine it.
    var statusBehind: InstanceStatus? {
        switch kind {
        case .failed: .failed
        case .suspended: .suspended
        case .cancelled: .cancelled
        case .set, .effect, .reset, .migrated, .redacted: nil
        case .started, .event, .sent, .timer, .result, .retried, .skipped, .resumed:
            .running
        }
    }
}

/// Decides when a progress report is due.
struct ReportClock {
    private let interval: Duration
    private var last = ContinuousClock.now

    init(_ limits: EngineLimits) {
        interval = limits.progressInterval
    }

    mutating func isDue() -> Bool {
        let now = ContinuousClock.now
        guard now - last >= interval else { return false }
        last = now
        return true
    }
}

/// The state of one running backtest.
private struct BacktestScan {
    let store: any StoreReader
    let audit: any StoreAudit
    let limits: EngineLimits
    let machine: Machine
    let past: HistoryFolder
    private(set) var counts = TrialCounts()

    private var versions: [MachineID: MachineVersion] = [:]
    /// The position in the journal where the next pass begins.
    var start: Int64 = 1
    /// The number of rows in the finished partitions.
    var passed = 0
    private var total = 0
    private var told = 0
    private var clock: ReportClock

    init(
        store: any StoreReader, audit: any StoreAudit, limits: EngineLimits, machine: Machine, past: HistoryFolder
    ) {
        self.past = past
        self.store = store
        self.audit = audit
        self.limits = limits
        self.machine = machine
        clock = ReportClock(limits)
    }

    /// Selects the versions and partitions to replay.
    @concurrent mutating func begin(_ key: MachineKey, _ wanted: [MachineVersion]) async throws -> [PartitionRange] {
        let ranges = PartitionRange.all(try await audit.inspectStore().numbers)
        total = ranges.reduce(0) { $0 + $1.rows }
        for version in wanted {
            if let record = try await store.machine(key, version: version) { versions[record.id] = version }
        }
        if wanted.isEmpty, let latest = try await store.machine(key, version: nil) {
            versions[latest.id] = latest.version
            for number in 1..<max(1, latest.version.rawValue) {
                let earlier = MachineVersion(rawValue: number)
                guard let record = try await store.machine(key, version: earlier) else { continue }
                versions[record.id] = earlier
            }
        }
        return versions.isEmpty ? [] : ranges
    }

    /// Replays the next instances from an id on. Returns the id where the next pass begins; `nil` after the last one.
    @concurrent mutating func pass(
        _ range: PartitionRange, from lower: Int64, _ report: Backtest.Report
    ) async throws -> Int64? {
        guard lower <= range.lastInstance else { return nil }
        var trials: [(record: InstanceRecord, trial: BacktestRun)] = []
        var places: [InstanceID: Int] = [:]
        var upper = lower
        var next = lower
        var bytes = 0
        repeat {
            let slice = try await audit.inspectInstances(in: next...range.lastInstance)
            for instance in slice.instances where instance.record.status != .purging {
                guard let version = versions[instance.record.machineID] else { continue }
                places[instance.record.id] = trials.count
                bytes += instance.record.size
                // Only the instance's head is needed, not its current data.
                var record = instance.record
                record.state = SnapshotText(configuration: "", context: "", memory: "")
                trials.append((record, BacktestRun(of: record, with: machine, version: version)))
            }
            upper = slice.through
            next = upper + 1
        } while upper < range.lastInstance && trials.count < limits.verifiedInstances && bytes < limits.verifiedBytes
        if !trials.isEmpty { try await replay(&trials, places, lower...upper, range, report) }
        return upper < range.lastInstance ? upper + 1 : nil
    }

    @concurrent private mutating func replay(
        _ trials: inout [(record: InstanceRecord, trial: BacktestRun)], _ places: [InstanceID: Int],
        _ ids: ClosedRange<Int64>, _ range: PartitionRange, _ report: Backtest.Report
    ) async throws {
        let last = trials.reduce(range.end - 1) { max($0, $1.record.head.rawValue) }
        var isDone = Array(repeating: false, count: trials.count)
        var firstAbove: Int64?
        var next = start
        while next <= last {
            let slice = try await audit.inspectJournal(next...last, of: ids)
            if firstAbove == nil { firstAbove = slice.firstAbove?.rawValue }
            for row in slice.rows {
                guard let place = places[row.instanceID], !isDone[place] else { continue }
                // Rows that only lead to the next row that restates the instance are not counted.
                if trials[place].trial.verdict == nil { counts.events += 1 }
                if row.kind.saysInstanceAnew {
                    try await trials[place].trial.begin(behind: row, of: trials[place].record, past)
                } else {
                    trials[place].trial.take(row, of: trials[place].record)
                }
                guard row.position == trials[place].record.head else { continue }
                isDone[place] = true
                try await tell(trials[place].record, trials[place].trial.verdict ?? .same, report)
            }
            await Task.yield()
            if clock.isDue() {
                let done = passed + Int(Position(rawValue: slice.through).number)
                try await report(.progress(VerificationProgress(done: min(done, total), total: total)))
            }
            if slice.isLast { break }
            next = slice.through + 1
        }
        for (place, entry) in trials.enumerated() where !isDone[place] {
            try await tell(entry.record, .missing(entry.record), report)
        }
        start = firstAbove ?? range.end
    }

    @concurrent private mutating func tell(
        _ record: InstanceRecord, _ verdict: TrialVerdict, _ report: Backtest.Report
    ) async throws {
        counts.note(verdict, atMost: limits.toldInconsistencies)
        guard verdict != .same else { return }
        told += 1
        guard told <= limits.toldInconsistencies else { return }
        try await report(.parts(instance: record.name, verdict: verdict))
    }
}
