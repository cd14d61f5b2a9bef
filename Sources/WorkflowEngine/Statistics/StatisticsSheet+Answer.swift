import Statechart
import WorkflowStore

extension StatisticsSheet {
    /// True if the instances must be searched for the longest stays.
    var needsScan: Bool { !isScanned || scan != nil || states.contains { $0.longest == .unknown } }

    /// Returns the states of an instance whose longest stay is unknown and could be its own.
    mutating func unknown(of record: InstanceRecord, _ scan: StayScan) -> [(place: Int, path: String)] {
        active(in: record.state.configuration).compactMap { place in
            states[place].longest == .unknown && scan.wants(record, in: place) ? (place, states[place].path) : nil
        }
    }

    /// Ends a search through all instances.
    mutating func endScan() {
        for place in states.indices where states[place].longest == .unknown {
            let found = scan?.longest[place]
            setLongest(found.map { .held($0.instance, since: $0.since) } ?? .none, at: place)
        }
        scan = nil
        isScanned = true
    }

    /// Returns the statistics as far as rows were read.
    ///
    /// - Parameters:
    ///   - target: The place up to which rows were to be read.
    ///   - before: The value of `rows` when the caller asked.
    ///   - isComplete: True if nothing is left to be read.
    ///   - names: The names of the instances with the longest stays.
    func statistics(
        through target: JournalPlace, readSince before: Int64, isComplete: Bool, _ names: [InstanceID: InstanceName]
    ) -> MachineStatistics {
        let total = target.distance(from: start)
        return MachineStatistics(
            query: query, isComplete: isComplete,
            progress: VerificationProgress(
                done: Int(min(total, through.distance(from: start))), total: Int(total)),
            rows: rows, read: rows - before,
            states: states.map { $0.told(names) }.sorted { $0.path < $1.path },
            transitions: transitions.filter { $0.count > 0 }.map {
                .init(
                    event: $0.key.event, from: SnapshotText.leafPaths(in: $0.key.from),
                    to: SnapshotText.leafPaths(in: $0.key.to), count: $0.count)
            }.sorted { ($1.count, $0.event, $0.from.joined()) < ($0.count, $1.event, $1.from.joined()) },
            failures: failures.map { .init(event: $0.event, reason: $0.reason, count: $1) }.sorted {
                ($1.count, $0.event, $0.reason?.message ?? "") < ($0.count, $1.event, $1.reason?.message ?? "")
            }, others: others)
    }
}

extension StatisticsSheet.StateCount {
    fileprivate func told(_ names: [InstanceID: InstanceName]) -> MachineStatistics.State {
        var state = MachineStatistics.State(
            path: path, visits: visits, stays: lengths.count, p50: lengths.milliseconds(ofPercent: 50),
            p95: lengths.milliseconds(ofPercent: 95))
        if case .held(let id, let since) = longest { state.longest = names[id].map { ($0, since) } }
        return state
    }
}
