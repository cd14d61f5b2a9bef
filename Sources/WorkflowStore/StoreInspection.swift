/// Going through all that a store holds, to compare it: each call reads one slice, in one short read transaction.
package protocol StoreAudit: Sendable {
    /// The numbers of the store: above all that it holds, also where it says something else, which is an inconsistency.
    func inspectStore() async throws(StoreError) -> StoreInspection

    /// The next machine versions after a row number, in the order of these.
    func inspectMachines(after id: MachineID) async throws(StoreError) -> InspectedMachines

    /// The next instances of a range, in the order of their row numbers, those that are being purged among them; with
    /// all that other tables have to say about each.
    func inspectInstances(in ids: ClosedRange<Int64>) async throws(StoreError) -> InspectedInstances

    /// The next journal rows of a range of positions that belong to a range of instances, with what other tables have
    /// to say about each.
    func inspectJournal(
        _ positions: ClosedRange<Int64>, of instances: ClosedRange<Int64>
    ) async throws(StoreError) -> InspectedJournal

    /// Some journal rows by their positions, at most as many as one answer about a history may have, with what other
    /// tables have to say about each. Rows that are not there are left out.
    func inspectRows(_ positions: [Position]) async throws(StoreError) -> InspectedJournal

    /// The next erasures of a range of instances, in the order of their ids, after one of them; nil for the first.
    func inspectErasures(
        of instances: ClosedRange<Int64>, after id: Int64?
    ) async throws(StoreError) -> InspectedErasures

    /// The next rows of the tables that only repeat what others say, and those that do not fit them.
    func inspectCopies(after place: InspectionPlace) async throws(StoreError) -> InspectedCopies

    /// A slice of every order in which rows are found, indexes and the tables' own, compared with the tables both ways.
    func inspectIndexes(after place: InspectionPlace) async throws(StoreError) -> InspectedIndexes
}

/// What the store says about itself.
package struct StoreInspection: Sendable {
    /// What is handed out next in each partition, as committed; in their order.
    package var numbers: [StoreNumbers]
    /// What in it does not fit; empty when all does.
    package var inconsistencies: [Inconsistency]
    /// What the journal's rows must lead to, in each partition.
    package var sums: [JournalSums]
    /// Every run over many instances, as it was then.
    package var runs: [BulkRecord] = []
    /// The present generation.
    package var generation: Int64 = 1
    /// Where the last deletion and the last erasure are recorded, and the last one that gave a name; nil where none is.
    package var lastDeletion: Position?
    package var lastErasure: Position?
    package var lastRenaming: Position?

    package init(numbers: [StoreNumbers], inconsistencies: [Inconsistency] = [], sums: [JournalSums] = []) {
        self.numbers = numbers
        self.inconsistencies = inconsistencies
        self.sums = sums
    }
}

/// One slice of the erasures.
package struct InspectedErasures: Sendable {
    package var erasures: [ErasureRecord]
    /// Those that cannot be read.
    package var inconsistencies: [Inconsistency] = []
    /// After which the next slice begins; nil after the last one.
    package var next: Int64?

    package init(erasures: [ErasureRecord] = []) {
        self.erasures = erasures
    }
}

/// What the store says about all journal rows of a partition together, to be compared with them.
package struct JournalSums: Sendable {
    private let last: Timestamp
    private let end: Position
    private let isVirtual: Bool
    private let keys: KeyLedger
    private let hasDeleted: Bool
    /// The latest time of the clock, and of a forgotten key: of rows since the clock was accepted, and of those before.
    private var latest = Timestamp(rawValue: 0)
    private var forgotten = Timestamp(rawValue: 0)
    private var forgottenBefore = Timestamp(rawValue: 0)

    /// - Parameters:
    ///   - last: The highest time at which the store says that it has written in the partition.
    ///   - end: The next position; rows from here on were written later.
    ///   - isVirtual: Whether the clock moves without rows.
    ///   - deleted: The latest deletion: its time is no less than that of any row that is gone.
    package init(last: Timestamp, end: Position, isVirtual: Bool, keys: KeyLedger, deleted: AuditRecord? = nil) {
        self.last = last
        self.end = end
        self.isVirtual = isVirtual
        self.keys = keys
        hasDeleted = deleted != nil
        if let deleted, deleted.position >= keys.begin.position { latest = deleted.at }
    }

    /// Whose rows it takes.
    package var partition: PartitionID { end.partition }

    /// Takes rows of the partition, in any order, each once.
    package mutating func take(_ rows: [JournalRecord]) {
        for place in rows.indices where rows[place].position < end {
            let position = rows[place].position
            let isCounted = position >= keys.begin.position
            if isCounted { latest = max(latest, rows[place].real ?? rows[place].at) }
            guard position < keys.floor, let key = rows[place].key, let time = RequestKey(bytes: key).time else {
                continue
            }
            if isCounted { forgotten = max(forgotten, time) } else { forgottenBefore = max(forgottenBefore, time) }
        }
    }

    /// What the store says otherwise, when all rows were taken.
    ///
    /// - Parameter keyAhead: Milliseconds that a key may be of a later time than the row it is used for.
    package func inconsistencies(keyAhead: Int64) -> [Inconsistency] {
        var inconsistencies: [Inconsistency] = []
        let time = max(latest, keys.begin.time)
        // A virtual clock moves without a row.
        if isVirtual ? last < time : last != time {
            inconsistencies.append(
                Inconsistency("the store's last time is \(last.rawValue), but that of its rows is \(time.rawValue)"))
        }
        // A clock that was accepted has cut off what was forgotten before; more than one has done so in steps.
        let most = max(forgotten, min(forgottenBefore, keys.begin.time))
        // Rows whose keys were forgotten may be gone, and each was written before the last time.
        let bound = !hasDeleted ? most : keys.begin.time.rawValue == 0 ? latestKey(keyAhead) : Timestamp(rawValue: .max)
        let isKnown = keys.forgotten >= forgotten && keys.forgotten <= bound
        if !isKnown {
            inconsistencies.append(
                Inconsistency(
                    "the store says that the latest key it has forgotten is of \(keys.forgotten.rawValue), but that is "
                        + "of \(hasDeleted ? "\(forgotten.rawValue) to \(bound.rawValue)" : "\(most.rawValue)")"))
        }
        return inconsistencies
    }

    /// The latest time that a key can have.
    private func latestKey(_ ahead: Int64) -> Timestamp {
        let (sum, isTooLate) = last.rawValue.addingReportingOverflow(ahead)
        return Timestamp(rawValue: isTooLate ? .max : sum)
    }
}

/// One slice of the machine versions.
package struct InspectedMachines: Sendable {
    package var machines: [MachineRecord]
    /// Rows that cannot be read, or that refer to what is not there.
    package var inconsistencies: [Inconsistency]
    /// Those whose seal does not fit the row.
    package var unsealed: Set<MachineID> = []
    /// Where the next slice begins; nil after the last one.
    package var next: MachineID?

    package init(machines: [MachineRecord], inconsistencies: [Inconsistency] = [], next: MachineID? = nil) {
        self.machines = machines
        self.inconsistencies = inconsistencies
        self.next = next
    }
}

/// An instance, with what other tables say about it in the same state of the store.
package struct InspectedInstance: Sendable {
    /// Where `inconsistency` says that it cannot be read, only its id, its name and its machine.
    package var record: InstanceRecord
    /// What is wrong with it beside its history; nil when nothing is.
    package var inconsistency: String?

    package init(record: InstanceRecord, inconsistency: String? = nil) {
        self.record = record
        self.inconsistency = inconsistency
    }
}

/// One slice of the instances.
package struct InspectedInstances: Sendable {
    package var instances: [InspectedInstance]
    /// Every instance of the range with an id up to here is in this slice or in one before.
    package var through: Int64
    /// The next position to be handed out in their partition, as committed with them: all their rows are below it.
    package var nextPosition: Position
    /// The timers that were compared.
    package var timers: Int
    /// The effects that were compared.
    package var effects = 0

    package init(instances: [InspectedInstance], through: Int64, nextPosition: Position, timers: Int = 0) {
        self.instances = instances
        self.through = through
        self.nextPosition = nextPosition
        self.timers = timers
    }
}

/// One slice of the journal.
package struct InspectedJournal: Sendable {
    /// In the order of positions; of one that cannot be read only position, instance and seq.
    package var rows: [JournalRecord] = []
    /// The snapshots that were stored with some of the rows.
    package var snapshots: [Position: SnapshotRecord] = [:]
    /// Rows that cannot be read, or whose snapshot cannot, and why.
    package var unreadable: [Position: String] = [:]
    /// What other tables say wrongly about a row.
    package var inconsistencies: [Position: String] = [:]
    /// The effects that stand behind the rows and that nobody waits for, with the instances that they say.
    package var calls: [Position: InstanceID] = [:]
    /// The keys that were looked up.
    package var keys = 0
    /// The rows of any instance that were passed.
    package var passed = 0
    /// The first row of an instance above the range; nil when none was passed.
    package var firstAbove: Position?
    /// Every row up to here is in this slice or in one before.
    package var through: Int64
    /// A row that stands before its turn. Where the table goes on from it nobody knows: this slice is the last one.
    package var disorder: Position?
    /// Whether the journal has no row after this slice.
    package var isLast = false

    package init(through: Int64) {
        self.through = through
    }
}

/// A place within what an inspection goes through, a slice at a time. Only the store that made it can read it.
package struct InspectionPlace: Sendable {
    /// Before everything.
    package static let start = InspectionPlace(nil)

    /// What the store knows the place by; nil at the start.
    package let mark: (any Sendable)?

    package init(_ mark: (any Sendable)?) {
        self.mark = mark
    }
}

/// One slice of the tables that only repeat what others say.
package struct InspectedCopies: Sendable {
    package var snapshots = 0
    package var timers = 0
    package var effects = 0
    package var attempts = 0
    package var keys = 0
    /// Rows without what they repeat. What a row repeats wrongly is told with the instance or the journal row.
    package var inconsistencies: [Inconsistency] = []
    /// What is wrong with the counts of instances; where an instance is not what its rows say, it may be that.
    package var miscount: Inconsistency?
    /// Where the next slice begins; nil after the last one.
    package var next: InspectionPlace?

    package init() {}
}

/// One slice of the orders in which rows are found, compared with the tables both ways.
package struct InspectedIndexes: Sendable {
    package var inconsistencies: [Inconsistency] = []
    /// Where the next slice begins; nil after the last one.
    package var next: InspectionPlace?

    package init() {}
}
