import Statechart
import WorkflowStore

/// The histories that one pass over the journal compares.
struct InstanceGroup {
    private var checks: [HistoryCheck] = []
    private var places: [InstanceID: Int] = [:]
    private var inconsistencies: [Inconsistency] = []
    private let migrations = PreparedMigrations()
    /// The checks with calls whose rows were not looked up yet.
    private var calling: Set<Int> = []
    private(set) var nextPosition = Position(rawValue: 1)
    /// The last row before `bound`, and the position behind the row and its effects; `nil` if it is not known.
    private(set) var last: (row: Position, behind: Position?)?
    private(set) var timers = 0
    /// The approximate number of bytes that the instances take.
    private(set) var bytes = 0

    /// The position from which rows do not count for `last`.
    private let bound: Position

    init(until bound: Position? = nil) {
        self.bound = bound ?? Position(rawValue: .min)
    }

    /// The number of compared instances.
    var count: Int { checks.count }

    /// The number of instances of which only the digests could be checked, at least for some rows.
    var chainOnly: Int { checks.count { (!$0.isFolded || !$0.gaps.isEmpty) && $0.record.status != .purging } }

    /// The rows that could not be applied because of a redaction.
    var gaps: [(instance: InstanceName, seqs: SeqSet)] {
        checks.filter { !$0.gaps.isEmpty && $0.inconsistency == nil && $0.record.status != .purging }
            .map { ($0.record.name, SeqSet($0.gaps)) }
    }

    /// Adds the instances of a slice.
    mutating func add(_ slice: InspectedInstances) {
        nextPosition = max(nextPosition, slice.nextPosition)
        timers += slice.timers
        for instance in slice.instances {
            bytes += instance.record.size
            places[instance.record.id] = checks.count
            checks.append(HistoryCheck(instance, nextPosition: slice.nextPosition, migrations: migrations))
            collect(checks.count - 1)
        }
    }

    /// Adds the erasures of the instances. Call this function when all instances are added.
    mutating func add(_ erasures: [ErasureRecord]) {
        for (id, erasures) in Dictionary(grouping: erasures, by: \.instanceID) {
            if let place = places[id] { checks[place].expect(erasures) }
        }
    }

    /// Takes the rows of a slice.
    mutating func take(_ slice: InspectedJournal, _ machines: inout CheckedMachines, _ buffer: inout DigestBuffer) {
        for row in slice.rows {
            guard let place = places[row.instanceID] else {
                inconsistencies.append(.stray(row))
                continue
            }
            guard checks[place].inconsistency == nil else { continue }
            checks[place].take(
                row, slice, machine: machines.machine(row.machineID), &buffer)
            if row.position < bound { last = (row.position, checks[place].behind) }
            if !checks[place].calls.isEmpty { calling.insert(place) }
            if checks[place].inconsistency != nil { collect(place) }
        }
    }

    /// Returns the requests of the calls whose rows are in a slice, as far as they are known. Reports rows that no call
    /// asked for.
    mutating func takeCalls(of slice: InspectedJournal) -> [(id: Position, instance: InstanceID, asked: AskedEffect)] {
        var found: [(id: Position, instance: InstanceID, asked: AskedEffect)] = []
        for (id, instance) in slice.calls.sorted(by: { $0.key < $1.key }) {
            // A call of a missing instance is found among the effects.
            guard let place = places[instance], checks[place].inconsistency == nil else { continue }
            if let asked = checks[place].askedCall(id) { found.append((id, instance, asked)) }
            if checks[place].inconsistency != nil { collect(place) }
        }
        for place in calling {
            checks[place].forgetCalls(through: slice.through)
            if checks[place].calls.isEmpty { calling.remove(place) }
        }
        return found
    }

    /// Records that there are no more rows.
    mutating func end() {
        for place in checks.indices where checks[place].inconsistency == nil {
            checks[place].end()
            collect(place)
        }
    }

    /// The range of the instances with a defect that an erasure may explain.
    var doubtful: ClosedRange<Int64>? {
        let ids = checks.filter { $0.doubt != nil && $0.inconsistency == nil }.map(\.record.id.rawValue)
        guard let first = ids.min(), let last = ids.max() else { return nil }
        return first...last
    }

    /// Reports the defects that no erasure explains. An erasure that began after an instance was read has emptied some
    /// of its rows since, so the instance is left to the next verification.
    ///
    /// - Parameter erasures: The erasures of the doubtful instances, read when their rows were.
    mutating func settle(_ erasures: [ErasureRecord]) {
        let latest = Dictionary(erasures.map { ($0.instanceID, $0.id) }) { max($0, $1) }
        for place in checks.indices where checks[place].inconsistency == nil {
            guard let doubt = checks[place].doubt else { continue }
            if latest[checks[place].record.id] ?? 0 >= checks[place].nextPosition.rawValue { continue }
            checks[place].find(doubt.seq, doubt.position, doubt.message)
            collect(place)
        }
    }

    /// The requests that the effects must have, for instances that were folded to their heads.
    var asked: [(instance: InstanceID, effects: [Position: AskedEffect])] {
        checks.filter { $0.isAtHead && $0.isFolded && $0.inconsistency == nil && !$0.asked.isEmpty }
            .map { ($0.record.id, $0.asked) }
    }

    /// Removes and returns the inconsistencies that were found since the last call.
    mutating func takeInconsistencies() -> [Inconsistency] {
        defer { inconsistencies.removeAll() }
        return inconsistencies
    }

    private mutating func collect(_ place: Int) {
        guard let inconsistency = checks[place].inconsistency else { return }
        inconsistencies.append(inconsistency)
    }
}
