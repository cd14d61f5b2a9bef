import Statechart
package import WorkflowStore

/// Compares all that a store holds: goes through the histories again and looks whether they lead to what is stored.
///
/// Everything is read in slices, so that a daemon that is busy meanwhile stays busy. What is written after a
/// verification has begun is left out: each instance is compared as it was when it was read, with its rows up to then.
package struct Verification: Sendable {
    /// Is told what happens, in order; what it throws ends the work.
    package typealias Report = @concurrent (VerificationEvent) async throws -> Void

    private let store: any StoreReader
    private let audit: any StoreAudit
    private let limits: EngineLimits

    /// - Throws: `unsupported` for a store that cannot be compared.
    package init(of store: any StoreReader, limits: EngineLimits = EngineLimits()) throws(StoreError) {
        self.store = store
        audit = try store.requireAudit()
        self.limits = limits
    }

    /// Compares everything, in passes over at most `EngineLimits.verifiedInstances` instances; each reads the journal
    /// in the order of positions.
    ///
    /// - Throws: Where the store cannot be read for a reason that says nothing of what is in it, and what `report`
    ///   throws.
    @concurrent package func run(_ report: Report) async throws -> VerifiedCounts {
        var run = VerificationRun(store: store, audit: audit, limits: limits)
        do {
            try await run.all(report)
        } catch let error as StoreError where error.code == .corrupt {
            // What SQLite itself cannot read is an inconsistency too.
            try await run.tell(Inconsistency("\(error.message); nothing else could be compared"), report)
        }
        return run.counts
    }

    /// Requires that there is no difference: what every backup and every restore must pass.
    ///
    /// - Parameter progress: Told how far it is; what it throws ends the work.
    /// - Throws: The first difference, as a `StoreError` with `damaged`.
    @_optimize(none)  // Swift 6.3.1 crashes when it makes a copy of `run` for the closure below.
    @concurrent package func requireNone(
        progress: @concurrent (VerificationProgress) async throws -> Void
    ) async throws {
        _ = try await run { event in
            switch event {
            case .progress(let now): try await progress(now)
            case .gap: break
            case .inconsistency(let inconsistency): throw StoreError(.damaged, "\(inconsistency)")
            }
        }
    }

    /// Compares one instance, from its first row on.
    @concurrent package func run(instance key: InstanceKey, _ report: Report) async throws -> VerifiedCounts? {
        var run = VerificationRun(store: store, audit: audit, limits: limits)
        try await run.prepare()
        do {
            guard let record = try await store.instance(key) else { return nil }
            try await run.instance(record.id, report)
        } catch let error as StoreError where error.code == .corrupt {
            try await run.tell(Inconsistency(name: key.name, error.message), report)
        }
        return run.counts
    }
}

/// The values of one verification under way.
struct VerificationRun {
    let store: any StoreReader
    let audit: any StoreAudit
    let limits: EngineLimits
    private(set) var counts = VerifiedCounts()
    /// What is looked at of each partition.
    private var ranges: [PartitionRange] = []
    private var machines: CheckedMachines
    /// What all rows lead to together; nil where only one instance is looked at.
    private var totals: StoreTotals?
    private var buffer = DigestBuffer()
    private var found: Set<InstanceID> = []
    private var toldGaps = 0
    private var clock: ReportClock

    init(store: any StoreReader, audit: any StoreAudit, limits: EngineLimits) {
        self.store = store
        self.audit = audit
        self.limits = limits
        machines = CheckedMachines(store: store, limits: limits)
        clock = ReportClock(limits)
    }

    /// Fixes what is looked at.
    @concurrent mutating func prepare() async throws {
        ranges = PartitionRange.all(try await audit.inspectStore().numbers)
    }

    /// Compares everything.
    @concurrent mutating func all(_ report: Verification.Report) async throws {
        try await begin(report)
        do {
            for range in ranges { try await histories(range, report) }
        } catch let error as StoreError where error.code == .corrupt {
            totals = nil
            try await tell(unread(error), report)
        }
        // Rows that are not what was written lead to nothing.
        if found.isEmpty, let totals {
            for inconsistency in try await totals.inconsistencies(store, audit, limits) {
                try await tell(inconsistency, report)
            }
        }
        try await copies(report)
        try await indexes(report)
    }

    /// Compares all instances of a partition with their rows, pass by pass.
    @concurrent private mutating func histories(_ range: PartitionRange, _ report: Verification.Report) async throws {
        var lower = range.lowerInstance
        var start = range.start
        while true {
            let pass = try await pass(range, from: lower, journal: start, report)
            // Without a row above, what is left are instances without rows.
            start = pass.firstAbove ?? range.end
            guard pass.upper < range.lastInstance else { break }
            lower = pass.upper + 1
        }
        for ids in range.strays {
            // The last pass has seen the first row of those above.
            let isAbove = ids.lowerBound > range.lastInstance
            try await strayRows(of: ids, from: isAbove ? start : range.start, in: range, report)
        }
    }

    /// Says of a page that cannot be read how much was not compared because of it.
    private func unread(_ error: StoreError) -> Inconsistency {
        let events = ranges.reduce(0) { $0 + $1.rows }
        let instances = ranges.reduce(0) { $0 + $1.instances }
        return Inconsistency(
            "\(error.message); \(max(0, events - counts.events)) of \(events) events and "
                + "\(max(0, instances - counts.instances)) of \(instances) instances could not be compared")
    }

    /// Compares the store's numbers and the machines, and fixes what is looked at.
    @concurrent private mutating func begin(_ report: Verification.Report) async throws {
        let inspection = try await audit.inspectStore()
        ranges = PartitionRange.all(inspection.numbers)
        // Where its numbers are wrong, it does not say which rows it speaks of.
        totals = inspection.inconsistencies.isEmpty ? StoreTotals(inspection) : nil
        for inconsistency in inspection.inconsistencies { try await tell(inconsistency, report) }
        var next: MachineID? = MachineID(rawValue: .min)
        while let after = next {
            let slice = try await audit.inspectMachines(after: after)
            for inconsistency in slice.inconsistencies { try await tell(inconsistency, report) }
            for record in slice.machines {
                counts.machines += 1
                let isSealed = !slice.unsealed.contains(record.id)
                if let mistake = CheckedMachines.mistake(in: record, isSealed: isSealed) {
                    try await tell(Inconsistency(mistake), report)
                }
            }
            next = slice.next
        }
    }

    /// Compares one instance.
    @concurrent mutating func instance(_ id: InstanceID, _ report: Verification.Report) async throws {
        let slice = try await audit.inspectInstances(in: id.rawValue...id.rawValue)
        var group = InstanceGroup()
        group.add(slice)
        guard let instance = slice.instances.first else { return }
        let erasures = try await erasures(of: id.rawValue...id.rawValue, report)
        group.add(erasures)
        do {
            try await walk(instance.record, &group, report)
        } catch let error as StoreError where error.code == .corrupt {
            // The way along the chain is broken; going through the whole journal finds where.
            group = InstanceGroup()
            group.add(slice)
            group.add(erasures)
            counts.events = 0
            counts.snapshots = 0
            for range in ranges where range.holds(id) {
                _ = try await journal(of: id.rawValue...id.rawValue, range.start, range, &group, report)
            }
        }
        try await close(&group, report)
    }

    /// Goes along the instance's own history, page by page.
    @concurrent private mutating func walk(
        _ record: InstanceRecord, _ group: inout InstanceGroup, _ report: Verification.Report
    ) async throws {
        var next: Int64 = 1
        while next <= record.seq.rawValue {
            let seqs = next...min(record.seq.rawValue, next + limits.foldedRows - 1)
            let rows = try await store.history(
                HistoryQuery(
                    instance: record.id, head: record.head, headSeq: record.seq, seqs: seqs, isReversed: false))
            guard let last = rows.last else { return }
            let slice = try await audit.inspectRows(rows.map(\.position))
            try await take(slice, &group)
            try await calls(of: slice, &group, report)
            next = last.seq.rawValue + 1
        }
    }
}

// MARK: Passes

extension VerificationRun {
    /// Compares the next instances from a number on, reading the journal from a position on.
    @concurrent private mutating func pass(
        _ range: PartitionRange, from lower: Int64, journal start: Int64, _ report: Verification.Report
    ) async throws -> (upper: Int64, firstAbove: Int64?) {
        var group = InstanceGroup(until: totals?.end)
        var upper = lower
        var next = lower
        repeat {
            let slice = try await audit.inspectInstances(in: next...max(next, range.lastInstance))
            group.add(slice)
            upper = slice.through
            next = upper + 1
        } while upper < range.lastInstance && group.count < limits.verifiedInstances
            && group.bytes < limits.verifiedBytes
        group.add(try await erasures(of: lower...upper, report))
        let firstAbove = try await journal(of: lower...upper, start, range, &group, report)
        try await close(&group, report)
        return (upper, firstAbove)
    }

    /// Reads the journal for a group of instances; gives the first position of an instance above them.
    @concurrent private mutating func journal(
        of ids: ClosedRange<Int64>, _ start: Int64, _ range: PartitionRange, _ group: inout InstanceGroup,
        _ report: Verification.Report
    ) async throws -> Int64? {
        var firstAbove: Int64?
        var next = start
        let last = max(range.end, group.nextPosition.rawValue) - 1
        while next <= last {
            let slice = try await audit.inspectJournal(next...last, of: ids)
            if firstAbove == nil { firstAbove = slice.firstAbove?.rawValue }
            try await take(slice, &group)
            if let position = slice.disorder {
                let inconsistency = Inconsistency(
                    position: position, "the table 'journal' is not in order, and its rest was not compared")
                try await tell(inconsistency, report)
            }
            try await calls(of: slice, &group, report)
            for inconsistency in group.takeInconsistencies() { try await tell(inconsistency, report) }
            try await tellProgress(report)
            if slice.isLast { break }
            next = slice.through + 1
        }
        return firstAbove
    }

    @concurrent private mutating func take(_ slice: InspectedJournal, _ group: inout InstanceGroup)
        async throws(StoreError)
    {
        try await machines.prepare(for: slice.rows)
        totals?.take(slice.rows)
        counts.events += slice.rows.count
        counts.snapshots += slice.snapshots.count
        counts.keys += slice.keys
        group.take(slice, &machines, &buffer)
        // Others want to run too.
        await Task.yield()
    }

    @concurrent private mutating func close(_ group: inout InstanceGroup, _ report: Verification.Report) async throws {
        group.end()
        if let doubtful = group.doubtful { group.settle(try await erasures(of: doubtful, report)) }
        totals?.take(last: group.last)
        for inconsistency in group.takeInconsistencies() { try await tell(inconsistency, report) }
        try await effects(of: group, report)
        for gap in group.gaps.prefix(max(0, limits.toldInconsistencies - toldGaps)) {
            toldGaps += 1
            try await report(.gap(instance: gap.instance, seqs: gap.seqs))
        }
        counts.instances += group.count
        counts.timers += group.timers
        counts.chainOnly += group.chainOnly
    }

    /// What is erased of instances.
    @concurrent private mutating func erasures(
        of instances: ClosedRange<Int64>, _ report: Verification.Report
    ) async throws -> [ErasureRecord] {
        var erasures: [ErasureRecord] = []
        var last: Int64?
        repeat {
            let slice = try await audit.inspectErasures(of: instances, after: last)
            for inconsistency in slice.inconsistencies { try await tell(inconsistency, report) }
            erasures += slice.erasures
            last = slice.next
        } while last != nil
        return erasures
    }

    /// Compares what effects ask with what their instances' histories lead to. One that has ended meanwhile is gone.
    /// That those that run are there is compared with the tables that repeat what others say.
    @concurrent private mutating func effects(of group: InstanceGroup, _ report: Verification.Report) async throws {
        for (instance, asked) in group.asked {
            try await compare(asked.keys.sorted().map { ($0, instance, asked[$0]) }, report)
        }
    }

    /// Compares the rows of calls behind some rows of the journal. One that is not there has ended: nothing says which
    /// have, so that one that was deleted is not found.
    @concurrent private mutating func calls(
        of slice: InspectedJournal, _ group: inout InstanceGroup, _ report: Verification.Report
    ) async throws {
        try await compare(group.takeCalls(of: slice).map { ($0.id, $0.instance, $0.asked) }, report)
    }

    @concurrent private mutating func compare(
        _ asked: [(id: Position, instance: InstanceID, asked: AskedEffect?)], _ report: Verification.Report
    ) async throws {
        var rest = asked[...]
        while !rest.isEmpty {
            let some = rest.prefix(limits.foldedEffects)
            let wanted = Dictionary(some.map { ($0.id, $0) }) { first, _ in first }
            for effect in try await store.effects(some.map(\.id)) {
                guard let wanted = wanted[effect.id] else { continue }
                if wanted.asked == AskedEffect(effect), effect.instanceID == wanted.instance { continue }
                let message = "effect '\(effect.name)' does not ask what its history leads to"
                try await tell(Inconsistency(instance: wanted.instance, seq: effect.seq, message), report)
            }
            rest = rest.dropFirst(limits.foldedEffects)
        }
    }

    /// Rows of instances that were never handed out.
    @concurrent private mutating func strayRows(
        of ids: ClosedRange<Int64>, from start: Int64, in range: PartitionRange, _ report: Verification.Report
    ) async throws {
        var next = start
        while next < range.end {
            let slice = try await audit.inspectJournal(next...(range.end - 1), of: ids)
            for row in slice.rows { try await tell(.stray(row), report) }
            try await tellProgress(report)
            if slice.isLast { break }
            next = slice.through + 1
        }
    }

    /// Compares the tables that only repeat what others say.
    @concurrent private mutating func copies(_ report: Verification.Report) async throws {
        var next: InspectionPlace? = .start
        while let place = next {
            let slice = try await audit.inspectCopies(after: place)
            for inconsistency in slice.inconsistencies { try await tell(inconsistency, report) }
            if counts.differences == 0, let miscount = slice.miscount { try await tell(miscount, report) }
            try await tellProgress(report)
            next = slice.next
        }
    }
}

extension VerificationRun {
    /// Compares every index with its table, both ways.
    @concurrent private mutating func indexes(_ report: Verification.Report) async throws {
        var next: InspectionPlace? = .start
        while let place = next {
            let slice = try await audit.inspectIndexes(after: place)
            for inconsistency in slice.inconsistencies { try await tell(inconsistency, report) }
            try await tellProgress(report)
            next = slice.next
        }
    }
}

// MARK: Telling

extension VerificationRun {
    /// Tells what was found; of an instance only what is found first, and nothing when it is gone by now.
    @concurrent mutating func tell(_ inconsistency: Inconsistency, _ report: Verification.Report) async throws {
        var inconsistency = inconsistency
        if let id = inconsistency.instance {
            guard found.insert(id).inserted else { return }
            let slice = try await audit.inspectInstances(in: id.rawValue...id.rawValue)
            let record = slice.instances.first?.record
            let isDeleted = record.map { $0.status == .purging && $0.name != inconsistency.name } ?? true
            if inconsistency.name != nil, isDeleted { return }
            inconsistency.name = record?.name
        }
        counts.differences += 1
        guard counts.differences <= limits.toldInconsistencies else { return }
        try await report(.inconsistency(inconsistency))
    }

    @concurrent private mutating func tellProgress(_ report: Verification.Report) async throws {
        guard clock.isDue() else { return }
        let total = ranges.reduce(0) { $0 + $1.rows }
        try await report(.progress(VerificationProgress(done: min(counts.events, total), total: total)))
    }
}

extension Inconsistency {
    /// A row whose instance is not there.
    static func stray(_ row: JournalRecord) -> Inconsistency {
        Inconsistency(
            instance: row.instanceID, position: row.position,
            "the row belongs to an instance \(row.instanceID.rawValue) that is not there")
    }
}

extension StoreReader {
    /// What compares all that it holds.
    func requireAudit() throws(StoreError) -> any StoreAudit {
        guard let audit else {
            throw StoreError(
                .unsupported, "Cannot go through all that the store holds: this kind of store does not offer that")
        }
        return audit
    }
}
