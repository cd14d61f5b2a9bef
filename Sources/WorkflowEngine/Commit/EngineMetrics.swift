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

    /// Counts of the attempts at effects of one queue.
    package struct QueueCounts: Sendable {
        package var attempts: [AttemptEnd: Int] = [:]
        /// From when effects were due until an attempt began.
        package var delays = Histogram(Histogram.seconds)
    }

    /// The counts at one moment.
    package struct Counts: Sendable {
        package var events: [EventKey: Int] = [:]
        package var failures: [FailureKey: Int] = [:]
        /// Instances that were suspended because they did not come to rest.
        package var brakes: [MachineName: Int] = [:]
        /// The number of timers that came too late for every transition, by machine.
        package var skippedTimers: [MachineName: Int] = [:]
        /// How long transactions took.
        package var commits = Histogram(Histogram.seconds)
        /// Rows of batches.
        package var batches = Histogram(Histogram.rows)
        /// By how much timers came late.
        package var lateness = Histogram(Histogram.seconds)
        /// By queue: those that were seen first have counts of their own, for good; all others share `others`.
        package var queues: [String: QueueCounts] = [:]
    }

    /// Stands for the machines and queues that have no samples of their own. No name is like it.
    package static let others = "_other"
    /// Queues that have samples of their own.
    package static let shownQueues = 200

    private let state = Mutex(Counts())
    /// The machines that have samples of their own, once they have some.
    private let shownMachines = Mutex<Set<MachineName>>([])

    /// Nothing is counted yet.
    package init() {}

    /// The counts now.
    package var counts: Counts { state.withLock { $0 } }

    /// The machines that have samples of their own: those that were seen first, the oldest first, and for good.
    ///
    /// - Parameter idle: Machines without instances, the oldest first.
    package func shown(
        _ names: [MachineID: MachineName], idle: [MachineName] = [], atMost bound: Int
    ) -> Set<MachineName> {
        shownMachines.withLock { shown in
            for name in names.sorted(by: { $0.key < $1.key }).map(\.value) + idle where shown.count < bound {
                shown.insert(name)
            }
            return shown
        }
    }

    /// Lets queues have samples from now on, as far as there is room: a counter that is not there before it counts
    /// hides what it counts first.
    package func show(queues: some Sequence<String>) {
        state.withLock { counts in
            for queue in queues {
                let place = counts.place(of: queue)
                if counts.queues[place] == nil { counts.queues[place] = QueueCounts() }
            }
        }
    }

    /// An attempt has begun that the daemon makes itself, so many milliseconds after it was due.
    func began(in queue: String, late milliseconds: Int64) {
        state.withLock { $0.add(delays: [milliseconds], in: queue) }
    }
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
        case .skipped(_, _, _, let machine, _): skippedTimers[machine.name, default: 0] += 1
        case .leased(let queue, let delays): add(delays: delays, in: queue)
        case .attempted(let queue, let end): queues[place(of: queue), default: .init()].attempts[end, default: 0] += 1
        case .refused, .set, .settled, .held, .stuck, .deleted, .run, .restless: break
        }
    }

    /// Its own name while there is room for it.
    fileprivate func place(of queue: String) -> String {
        let others = EngineMetrics.others
        let own = queues.count - (queues[others] == nil ? 0 : 1)
        return queues[queue] != nil || own < EngineMetrics.shownQueues ? queue : others
    }

    /// - Parameter delays: In milliseconds.
    fileprivate mutating func add(delays: [Int64], in queue: String) {
        let place = place(of: queue)
        for delay in delays { queues[place, default: .init()].delays.add(Double(max(0, delay)) / 1_000) }
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
