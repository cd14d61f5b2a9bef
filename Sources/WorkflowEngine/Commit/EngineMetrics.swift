import Statechart
import Synchronization
package import WorkflowStore

/// Counts events in the engine since its start, for metrics.
package final class EngineMetrics: Sendable {
    /// A key for the rows of one kind that instances of one machine version wrote.
    package struct EventKey: Hashable, Sendable {
        package let machine: MachineID
        package let kind: JournalKind
    }

    /// A key for the failures of one kind among a machine's instances.
    package struct FailureKey: Hashable, Sendable {
        package let machine: MachineName
        package let kind: RecordedFailure.Kind
    }

    /// The counts of one queue's attempts at effects.
    package struct QueueCounts: Sendable {
        package var attempts: [AttemptEnd: Int] = [:]
        /// The times from when an effect is due until an attempt begins.
        package var delays = Histogram(Histogram.seconds)
    }

    /// The counts at one moment.
    package struct Counts: Sendable {
        package var events: [EventKey: Int] = [:]
        package var failures: [FailureKey: Int] = [:]
        /// The number of instances that the brake suspended because they did not settle, by machine.
        package var brakes: [MachineName: Int] = [:]
        /// The number of timers that fired too late for every transition, by machine.
        package var skippedTimers: [MachineName: Int] = [:]
        /// The durations of transactions.
        package var commits = Histogram(Histogram.seconds)
        /// The numbers of rows in batches.
        package var batches = Histogram(Histogram.rows)
        /// The delays of timers behind their due times.
        package var lateness = Histogram(Histogram.seconds)
        /// The counts by queue. The queues that were seen first keep counts of their own; all others share `others`.
        package var queues: [String: QueueCounts] = [:]
    }

    /// The label for machines and queues without samples of their own. No name equals it.
    package static let others = "_other"
    /// The most queues that have samples of their own.
    package static let shownQueues = 200

    private let state = Mutex(Counts())
    /// The machines that have samples of their own, once they have some.
    private let shownMachines = Mutex<Set<MachineName>>([])

    /// Creates metrics with all counts at zero.
    package init() {}

    /// The current counts.
    package var counts: Counts { state.withLock { $0 } }

    /// Returns the machines that have samples of their own: those that were seen first, the oldest first, and for good.
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

    /// Gives queues samples from now on, while there is room. A counter that appears only with its first event hides
    /// this event from rates.
    package func show(queues: some Sequence<String>) {
        state.withLock { counts in
            for queue in queues {
                let place = counts.place(of: queue)
                if counts.queues[place] == nil { counts.queues[place] = QueueCounts() }
            }
        }
    }

    /// Records that the daemon itself began an attempt, `milliseconds` after the effect was due.
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
        case .refused, .queueSet, .machineSet, .held, .stuck, .deleted, .run: break
        }
    }

    /// Returns the queue's own name while there is room for it, else `others`.
    fileprivate func place(of queue: String) -> String {
        let others = EngineMetrics.others
        let own = queues.count - (queues[others] == nil ? 0 : 1)
        return queues[queue] != nil || own < EngineMetrics.shownQueues ? queue : others
    }

    /// - Parameter delays: Delays in milliseconds.
    fileprivate mutating func add(delays: [Int64], in queue: String) {
        let place = place(of: queue)
        for delay in delays { queues[place, default: .init()].delays.add(Double(max(0, delay)) / 1_000) }
    }

    /// Counts equal neighbours together, because most rows of a batch have the machine and kind of the row before.
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
