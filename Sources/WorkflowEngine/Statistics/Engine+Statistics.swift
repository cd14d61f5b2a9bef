import Statechart
import Synchronization
import WorkflowStore

// Statistics from the histories of a machine's instances. Everything here only reads.

extension Engine {
    /// Returns the statistics of a machine. Reads the rows that were written since the last such query, for a bounded
    /// time; if more are left, the answer is incomplete, and the next one goes on.
    @concurrent package func statistics(
        _ query: StatisticsQuery, by caller: Caller
    ) async throws(Rejection) -> MachineStatistics {
        _ = try await machine(named: query.machine, version: query.version, by: caller)
        await book.turns.begin()
        defer { book.turns.end() }
        let query = query.rounded(at: now)
        let entry = try await entry(for: query, by: caller)
        let before = entry.sheet.withLock { $0.rows }
        let end = ContinuousClock.now + limits.statistics.turn
        let target = try await lastPlace(by: caller)
        try await read(entry, through: target, until: end, by: caller)
        var names = try await holders(in: entry, by: caller)
        let isRead = entry.sheet.withLock { $0.through.hasReached(target) }
        var isSearched = entry.sheet.withLock { !$0.needsScan }
        if isRead, !isSearched {
            isSearched = try await scan(entry, until: end, by: caller)
            names = try await holders(in: entry, by: caller)
        }
        return entry.sheet.withLock { [isSearched] sheet in
            sheet.statistics(through: target, readSince: before, isComplete: isRead && isSearched, names)
        }
    }

    private func entry(
        for query: StatisticsQuery, by caller: Caller
    ) async throws(Rejection) -> StatisticsBook.Entry {
        let key = StatisticsBook.Key(namespace: caller.namespace, query: query)
        if let entry = book.entry(for: key) { return entry }
        var start = JournalPlace.beginning(of: store.partitions)
        if let since = query.since { start = try await place(recordedBefore: since, by: caller) }
        return book.insert(StatisticsSheet(of: query, after: start, limits: limits.statistics), for: key)
    }

    // MARK: Rows

    /// Reads the rows up to a place, partition by partition.
    private func read(
        _ entry: StatisticsBook.Entry, through target: JournalPlace, until end: ContinuousClock.Instant,
        by caller: Caller
    ) async throws(Rejection) {
        try await findBegins(entry)
        repeat {
            let (machine, through) = entry.sheet.withLock { ($0.query.machine, $0.through) }
            guard let target = target.positions.first(where: { through.position(in: $0.partition) < $0 }) else {
                return
            }
            let after = through.position(in: target.partition)
            let query = JournalQuery(
                after: after, through: target, filter: JournalFilter(machines: [machine]),
                bytes: limits.statistics.sliceBytes)
            let read = try await journal(query, by: caller, into: ()) { _, row in
                entry.sheet.withLock { $0.take(row) }
            }
            entry.sheet.withLock { $0.advance(to: read.reach.through) }
            try await findBegins(entry)
        } while ContinuousClock.now < end
    }

    /// Finds the begins of the stays that ended.
    private func findBegins(_ entry: StatisticsBook.Entry) async throws(Rejection) {
        let ended = entry.sheet.withLock { $0.searches }
        if ended.isEmpty { return }
        let found = try await finished(ended.map(\.search))
        entry.sheet.withLock { sheet in
            sheet.searches = []
            sheet.add(zip(found, ended).map { .init(search: $0, end: $1.end) })
        }
    }

    private func finished(_ searches: [StaySearch]) async throws(Rejection) -> [StaySearch] {
        var searches = searches
        while searches.contains(where: { $0.next != nil }) {
            searches = try await read { [searches] () async throws(StoreError) in
                try await store.continued(searches)
            }
        }
        return searches
    }

    // MARK: Longest stays

    /// Searches the longest stays of the states for which they are unknown. Returns true at the end of the search.
    private func scan(
        _ entry: StatisticsBook.Entry, until end: ContinuousClock.Instant, by caller: Caller
    ) async throws(Rejection) -> Bool {
        var scan = entry.sheet.withLock { $0.scan } ?? StayScan()
        let selected = entry.sheet.withLock { $0.query }
        var query = InstanceQuery(
            machines: [selected.machine], statuses: [.running, .failed, .suspended], limit: limits.statistics.page)
        repeat {
            query.after = scan.after
            let page = try await read { [query] () async throws(StoreError) in
                try await store.instances(query, in: caller.namespace)
            }
            var searches: [StaySearch] = []
            var states: [[Int]] = []
            for record in page.instances {
                guard try await isOf(selected.version, record) else { continue }
                let wanted = entry.sheet.withLock { $0.unknown(of: record, scan) }
                if wanted.isEmpty { continue }
                searches.append(StaySearch(of: record.id, in: wanted.map(\.path), after: record.head))
                states.append(wanted.map(\.place))
            }
            for (search, states) in zip(try await finished(searches), states) {
                for (state, since) in zip(states, search.entered) {
                    if let since { scan.take(search.instance, in: state, since: since) }
                }
            }
            scan.after = page.next
            let isLast = page.next == nil
            entry.sheet.withLock { [scan] in
                $0.scan = scan
                if isLast { $0.endScan() }
            }
            if isLast { return true }
        } while ContinuousClock.now < end
        return false
    }

    /// Returns true if an instance runs a version; `nil` stands for all.
    private func isOf(_ version: MachineVersion?, _ record: InstanceRecord) async throws(Rejection) -> Bool {
        guard let version else { return true }
        return try await loadedMachine(record.machineID).record.version == version
    }

    /// Returns the names of the instances with the longest stays. Forgets those that have left, or are not there.
    private func holders(
        in entry: StatisticsBook.Entry, by caller: Caller
    ) async throws(Rejection) -> [InstanceID: InstanceName] {
        var names: [InstanceID: InstanceName] = [:]
        let version = entry.sheet.withLock { $0.query.version }
        for (place, state) in entry.sheet.withLock({ $0.states.enumerated().map { ($0, $1) } }) {
            guard case .held(let id, _) = state.longest else { continue }
            let record = try await instance(id, by: caller)
            if let record, record.status.isLive, SnapshotText.isActive(state.path, in: record.state.configuration),
                try await isOf(version, record)
            {
                names[id] = record.name
            } else {
                // A state in which instances are done is final, and has no others.
                let isFinal = record?.status == .done && record?.state.configuration == state.path
                entry.sheet.withLock { $0.setLongest(isFinal ? .none : .unknown, at: place) }
            }
        }
        return names
    }
}

extension InstanceStatus {
    /// True if the instance may leave its states.
    fileprivate var isLive: Bool {
        switch self {
        case .running, .failed, .suspended: true
        case .done, .cancelled, .purging: false
        }
    }
}
