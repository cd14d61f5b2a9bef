import Statechart
package import WorkflowStore

/// Verifies a store: folds the histories again and compares the results with the stored data.
///
/// Everything is read in slices, so that a busy daemon can go on working. Data that is written after a verification has
/// begun is left out. Each instance is compared as it was when it was read, with its rows up to then.
package struct Verification: Sendable {
    /// Receives the events in order; an error that it throws ends the verification.
    package typealias Report = @concurrent (VerificationEvent) async throws -> Void

    private let store: any StoreReader
    private let audit: any StoreAudit
    private let limits: EngineLimits

    /// - Throws: `unsupported` if the store cannot be verified.
    package init(of store: any StoreReader, limits: EngineLimits = EngineLimits()) throws(StoreError) {
        self.store = store
        audit = try store.requireAudit()
        self.limits = limits
    }

    /// Verifies everything, in passes over at most `EngineLimits.verifiedInstances` instances. Each pass reads the
    /// journal in the order of positions.
    ///
    /// - Throws: A read error that tells nothing about the store's contents, and the errors of `report`.
    @concurrent package func run(_ report: Report) async throws -> VerifiedCounts {
        var run = VerificationRun(store: store, audit: audit, limits: limits)
        do {
            try await run.all(report)
        } catch let error as StoreError where error.code == .corrupt {
            // Data that SQLite itself cannot read is an inconsistency too.
            try await run.tell(Inconsistency("\(error.message); nothing else could be compared"), report)
        }
        return run.counts
    }

    /// Requires that there is no difference; every backup and every restore must pass this check.
    ///
    /// - Parameter progress: Called with the progress; an error that it throws ends the verification.
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

    /// Verifies one instance from its first row on. Returns `nil` if there is no such instance.
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

/// The state of one running verification.
struct VerificationRun {
    let store: any StoreReader
    let audit: any StoreAudit
    let limits: EngineLimits
    private(set) var counts = VerifiedCounts()
    /// The parts of each partition that are read.
    private var ranges: [PartitionRange] = []
    private var machines: CheckedMachines
    /// The totals of all rows; `nil` if only one instance is verified.
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

    /// Selects the ranges to read.
    @concurrent mutating func prepare() async throws {
        ranges = PartitionRange.all(try await audit.inspectStore().numbers)
    }

    /// Verifies everything.
    @concurrent mutating func all(_ report: Verification.Report) async throws {
        try await begin(report)
        do {
            for range in ranges { try await histories(range, report) }
        } catch let error as StoreError where error.code == .corrupt {
            totals = nil
            try await tell(unread(error), report)
        }
        // Damaged rows cannot give correct totals.
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
            // Without a row above, only instances without rows are left.
            start = pass.firstAbove ?? range.end
            guard pass.upper < range.lastInstance else { break }
            lower = pass.upper + 1
        }
        for ids in range.strays {
            // The last pass has found the first row of the ids above.
            let isAbove = ids.lowerBound > range.lastInstance
            try await strayRows(of: ids, from: isAbove ? start : range.start, in: range, report)
        }
    }

    /// Returns the inconsistency of an unreadable page, with the amount of data that was not compared because of it.
    private func unread(_ error: StoreError) -> Inconsistency {
        let events = ranges.reduce(0) { $0 + $1.rows }
        let instances = ranges.reduce(0) { $0 + $1.instances }
        return Inconsistency(
            "\(error.message); \(max(0, events - counts.events)) of \(events) events and "
                + "\(max(0, instances - counts.instances)) of \(instances) instances could not be compared")
    }

    /// Checks the store's numbers and the machines, and selects the ranges to read.
    @concurrent private mutating func begin(_ report: Verification.Report) async throws {
        let inspection = try await audit.inspectStore()
        ranges = PartitionRange.all(inspection.numbers)
        // If the store's numbers are wrong, they do not determine the rows that its totals cover.
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

    /// Verifies one instance.
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
            // The instance's chain is broken; reading the whole journal finds the place.
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

    /// Reads the instance's own history, page by page.
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
    /// Compares the next instances from an id on, reading the journal from a position on.
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

    /// Reads the journal for a group of instances. Returns the first position of an instance above them.
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
        // Other tasks want to run too.
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

    /// Returns the erasures of instances.
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

    /// Compares the requests of effects with those in their instances' histories. An effect that has ended meanwhile
    /// has no row. The comparison of copied tables checks that running effects exist.
    @concurrent private mutating func effects(of group: InstanceGroup, _ report: Verification.Report) async throws {
        for (instance, asked) in group.asked {
            try await compare(asked.keys.sorted().map { ($0, instance, asked[$0]) }, report)
        }
    }

    /// Compares the rows of calls behind some rows of the journal. A missing row counts as an ended call. Nothing
    /// records which calls have ended, so the deletion of a call's row is not found.
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

    /// Reports rows of instances with ids that were never assigned.
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

    /// Compares the tables that only repeat data of other tables.
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
    /// Reports an inconsistency; for an instance only the first, and none if the instance is deleted by now.
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
    /// Returns the inconsistency of a row whose instance does not exist.
    static func stray(_ row: JournalRecord) -> Inconsistency {
        Inconsistency(
            instance: row.instanceID, position: row.position,
            "the row belongs to an instance \(row.instanceID.rawValue) that is not there")
    }
}

extension StoreReader {
    /// Returns the store's audit, which reads the whole store. Throws if the store has none.
    func requireAudit() throws(StoreError) -> any StoreAudit {
        guard let audit else {
            throw StoreError(
                .unsupported, "Cannot go through all that the store holds: this kind of store does not offer that")
        }
        return audit
    }
}
