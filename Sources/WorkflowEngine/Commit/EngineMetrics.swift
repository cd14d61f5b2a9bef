import Statechart
import Synchronization
package import WorkflowStore

/// What the engine has counted since it began, for those who watch it.
package final class EngineMetrics: Sendable {
    /// Rows of one kind that instances of one machine version have made.
    package struct EventKey: Hashable, Sendable {
        package let machine: MachineID
        package let kind: JournalKind
    }

    /// Failures of one kind of a machine's instances.
    package struct FailureKey: Hashable, Sendable {
        package let machine: MachineName
        package let kind: RecordedFailure.Kind
    }

    /// The counts at one moment.
    package struct Counts: Sendable {
        package var events: [EventKey: Int] = [:]
        package var failures: [FailureKey: Int] = [:]
        /// Instances that were suspended because they did not come to rest.
        package var brakes: [MachineName: Int] = [:]
        /// How long transactions took.
        package var commits = Histogram(Histogram.seconds)
        /// Rows of batches.
        package var batches = Histogram(Histogram.rows)
        /// By how much timers came late.
        package var lateness = Histogram(Histogram.seconds)
        /// When a backup was fetched last, and when a verification of everything has found nothing.
        package var lastBackup: Timestamp?
        package var lastVerification: Timestamp?
    }

    private let state = Mutex(Counts())
    /// The machines that have samples of their own, once they have some.
    private let shownMachines = Mutex<Set<MachineName>>([])

    /// Nothing is counted yet.
    package init() {}

    /// The counts now.
    package var counts: Counts { state.withLock { $0 } }

    /// The machines that have samples of their own: those that were seen first, the oldest first, and for good.
    package func shown(_ names: [MachineID: MachineName], atMost bound: Int) -> Set<MachineName> {
        shownMachines.withLock { shown in
            for (_, name) in names.sorted(by: { $0.key < $1.key }) where shown.count < bound { shown.insert(name) }
            return shown
        }
    }

    func backupWasFetched(at time: Timestamp) { state.withLock { $0.lastBackup = time } }

    func foundNothing(at time: Timestamp) { state.withLock { $0.lastVerification = time } }
}

extension EngineMetrics: CommitObserver {
    package func committed(_ committed: Committed) {
        state.withLock { counts in
            var isWritten = false
            for sealed in committed.batches where sealed.isWritten {
                isWritten = true
                counts.add(sealed.batch.journal)
                for notice in sealed.notices { counts.add(notice) }
            }
            if isWritten { counts.commits.add(committed.took) }
        }
    }
}

extension EngineMetrics.Counts {
    fileprivate mutating func add(_ notice: Notice) {
        switch notice {
        case .failed(_, let machine, let failure):
            failures[EngineMetrics.FailureKey(machine: machine.name, kind: failure.kind), default: 0] += 1
        case .braked(_, let machine, _): brakes[machine.name, default: 0] += 1
        case .refused, .set, .settled, .held, .stuck, .deleted, .run, .restless: break
        }
    }

    /// Most rows of a batch are like the one before: these are counted together.
    fileprivate mutating func add(_ rows: [JournalRecord]) {
        guard let first = rows.first else { return }
        batches.add(Double(rows.count))
        var key = EngineMetrics.EventKey(machine: first.machineID, kind: first.kind)
        var count = 0
        for place in rows.indices {
            if rows[place].machineID != key.machine || rows[place].kind != key.kind {
                events[key, default: 0] += count
                key = EngineMetrics.EventKey(machine: rows[place].machineID, kind: rows[place].kind)
                count = 0
            }
            count += 1
            if key.kind == .timer {
                let late = rows[place].real.map { $0.rawValue - rows[place].at.rawValue } ?? 0
                lateness.add(Double(max(0, late)) / 1_000)
            }
        }
        events[key, default: 0] += count
    }
}
