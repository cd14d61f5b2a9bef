/// Reads all data of a store for a comparison. Each call reads one slice in one short read transaction.
package protocol StoreAudit: Sendable {
    /// Returns the numbers of the store. The returned numbers are above all numbers in the data, even if the store
    /// records others, which is an inconsistency.
    func inspectStore() async throws(StoreError) -> StoreInspection

    /// Returns the next machine versions after a row number, in the order of row numbers.
    func inspectMachines(after id: MachineID) async throws(StoreError) -> InspectedMachines

    /// Returns the next instances of a range, in the order of row numbers, with the related data of other tables.
    /// Includes instances that are being purged.
    func inspectInstances(in ids: ClosedRange<Int64>) async throws(StoreError) -> InspectedInstances

    /// Returns the next journal rows in a range of positions that belong to a range of instances, with the related data
    /// of other tables.
    func inspectJournal(
        _ positions: ClosedRange<Int64>, of instances: ClosedRange<Int64>
    ) async throws(StoreError) -> InspectedJournal

    /// Returns journal rows by their positions, with the related data of other tables. Accepts at most as many
    /// positions as one answer about a history may have. Missing rows are left out.
    func inspectRows(_ positions: [Position]) async throws(StoreError) -> InspectedJournal

    /// Returns the next erasures of a range of instances after an id, in the order of ids; `nil` starts with the first.
    func inspectErasures(
        of instances: ClosedRange<Int64>, after id: Int64?
    ) async throws(StoreError) -> InspectedErasures

    /// Returns the next rows of the derived tables, and the rows that contradict their sources.
    func inspectCopies(after place: InspectionPlace) async throws(StoreError) -> InspectedCopies

    /// Compares a slice of every index, and of the tables' own order, with the tables in both directions.
    func inspectIndexes(after place: InspectionPlace) async throws(StoreError) -> InspectedIndexes
}

/// The data that the store records about itself.
package struct StoreInspection: Sendable {
    /// The next numbers of each partition, as committed, in the order of partitions.
    package var numbers: [StoreNumbers]
    /// The inconsistencies of this data; empty if there are none.
    package var inconsistencies: [Inconsistency]
    /// The values that the journal's rows must add up to, one element per partition.
    package var sums: [JournalSums]
    /// All bulk runs as of this read.
    package var runs: [BulkRecord] = []
    /// The present generation.
    package var generation: Int64 = 1
    /// The position of the record of the last deletion. `lastErasure` is that of the last erasure, and `lastRenaming`
    /// that of the last erasure that renamed an instance. Each is `nil` if there is none.
    package var lastDeletion: Position?
    package var lastErasure: Position?
    package var lastRenaming: Position?
    /// The position of the last recorded change; `nil` if there is none.
    package var lastChange: Position?

    package init(numbers: [StoreNumbers], inconsistencies: [Inconsistency] = [], sums: [JournalSums] = []) {
        self.numbers = numbers
        self.inconsistencies = inconsistencies
        self.sums = sums
    }
}

/// A slice of the erasures.
package struct InspectedErasures: Sendable {
    package var erasures: [ErasureRecord]
    /// The erasures that cannot be read.
    package var inconsistencies: [Inconsistency] = []
    /// The id after which the next slice begins; `nil` after the last slice.
    package var next: Int64?

    package init(erasures: [ErasureRecord] = []) {
        self.erasures = erasures
    }
}

/// The values that the store records about all journal rows of a partition, to compare them with the rows.
package struct JournalSums: Sendable {
    private let last: Timestamp
    private let end: Position
    private let isVirtual: Bool
    private let keys: KeyLedger
    private let hasDeleted: Bool
    private let isPlaced: Bool
    /// The latest clock time of rows since the clock was accepted. `forgotten` and `forgottenBefore` are the latest
    /// times of forgotten keys since then and before.
    private var latest = Timestamp(rawValue: 0)
    private var forgotten = Timestamp(rawValue: 0)
    private var forgottenBefore = Timestamp(rawValue: 0)

    /// - Parameters:
    ///   - last: The highest time at which, as the store records, it has written in the partition.
    ///   - end: The next position; rows from `end` on were written later.
    ///   - isVirtual: True if the clock moves without rows.
    ///   - deleted: The latest deletion; its time is not before that of any deleted row.
    ///   - changed: The latest recorded change.
    ///   - isPlaced: True if a restore has spread one ledger of keys over several partitions. A forgotten key may then
    ///     have been one of another partition.
    package init(
        last: Timestamp, end: Position, isVirtual: Bool, keys: KeyLedger, deleted: AuditRecord? = nil,
        changed: ChangeRecord? = nil, isPlaced: Bool = false
    ) {
        self.last = last
        self.end = end
        self.isVirtual = isVirtual
        self.keys = keys
        self.isPlaced = isPlaced
        hasDeleted = deleted != nil
        if let deleted, deleted.position >= keys.begin.position { latest = deleted.at }
        if let changed, changed.position >= keys.begin.position { latest = max(latest, changed.at) }
    }

    /// The partition whose rows are accepted.
    package var partition: PartitionID { end.partition }

    /// Accepts rows of the partition, in any order, each row once.
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

    /// Returns the contradictions between the store's values and the rows, after all rows were accepted.
    ///
    /// - Parameter keyAhead: The number of milliseconds by which a key's time may exceed the time of the row that uses
    ///   the key.
    package func inconsistencies(keyAhead: Int64) -> [Inconsistency] {
        var inconsistencies: [Inconsistency] = []
        let time = max(latest, keys.begin.time)
        // A virtual clock moves without a row.
        if isVirtual ? last < time : last != time {
            inconsistencies.append(
                Inconsistency("the store's last time is \(last.rawValue), but that of its rows is \(time.rawValue)"))
        }
        // Accepting a clock lowers the earlier forgotten time to the accepted time. Several acceptances lower it in
        // steps.
        let most = max(forgotten, min(forgottenBefore, keys.begin.time))
        // A deletion may have removed rows whose keys were forgotten. Each such row was written before the last time.
        let bound = !hasDeleted ? most : keys.begin.time.rawValue == 0 ? latestKey(keyAhead) : Timestamp(rawValue: .max)
        let isKnown = keys.forgotten >= forgotten && (isPlaced || keys.forgotten <= bound)
        if !isKnown {
            inconsistencies.append(
                Inconsistency(
                    "the store says that the latest key it has forgotten is of \(keys.forgotten.rawValue), but that is "
                        + "of \(hasDeleted ? "\(forgotten.rawValue) to \(bound.rawValue)" : "\(most.rawValue)")"))
        }
        return inconsistencies
    }

    /// Returns the latest time that a key can have.
    private func latestKey(_ ahead: Int64) -> Timestamp {
        let (sum, isTooLate) = last.rawValue.addingReportingOverflow(ahead)
        return Timestamp(rawValue: isTooLate ? .max : sum)
    }
}

/// A slice of the machine versions.
package struct InspectedMachines: Sendable {
    package var machines: [MachineRecord]
    /// Rows that cannot be read, or that refer to missing rows.
    package var inconsistencies: [Inconsistency]
    /// The machine versions whose seal does not match the row.
    package var unsealed: Set<MachineID> = []
    /// The start of the next slice; `nil` after the last slice.
    package var next: MachineID?

    package init(machines: [MachineRecord], inconsistencies: [Inconsistency] = [], next: MachineID? = nil) {
        self.machines = machines
        self.inconsistencies = inconsistencies
        self.next = next
    }
}

/// An instance, with the related data of other tables in the same state of the store.
package struct InspectedInstance: Sendable {
    /// The instance. If `inconsistency` says that the instance cannot be read, only the id, the name and the machine
    /// are valid.
    package var record: InstanceRecord
    /// The defect of the instance apart from its history; `nil` if there is none.
    package var inconsistency: String?

    package init(record: InstanceRecord, inconsistency: String? = nil) {
        self.record = record
        self.inconsistency = inconsistency
    }
}

/// A slice of the instances.
package struct InspectedInstances: Sendable {
    package var instances: [InspectedInstance]
    /// The last covered id: every instance of the range with an id up to `through` is in this slice or in an earlier
    /// one.
    package var through: Int64
    /// The next position of the partition, committed together with the instances; all their rows are below it.
    package var nextPosition: Position
    /// The number of compared timers.
    package var timers: Int
    /// The number of compared effects.
    package var effects = 0

    package init(instances: [InspectedInstance], through: Int64, nextPosition: Position, timers: Int = 0) {
        self.instances = instances
        self.through = through
        self.nextPosition = nextPosition
        self.timers = timers
    }
}

/// A slice of the journal.
package struct InspectedJournal: Sendable {
    /// Rows in the order of positions. A row that cannot be read has only its position, instance and seq.
    package var rows: [JournalRecord] = []
    /// The snapshots that were stored with some of the rows.
    package var snapshots: [Position: SnapshotRecord] = [:]
    /// The rows that cannot be read, or whose snapshot cannot, with the reason.
    package var unreadable: [Position: String] = [:]
    /// The errors of other tables about a row.
    package var inconsistencies: [Position: String] = [:]
    /// The calls (effects whose result nobody awaits) of the rows, with the instance that each call names.
    package var calls: [Position: InstanceID] = [:]
    /// The number of keys that were looked up.
    package var keys = 0
    /// The number of rows that were read, of any instance.
    package var passed = 0
    /// The first row of an instance above the range; `nil` if none was read.
    package var firstAbove: Position?
    /// The last covered position: every row up to `through` is in this slice or in an earlier one.
    package var through: Int64
    /// A row that is out of order. How the table continues after such a row is unknown, so this slice is the last one.
    package var disorder: Position?
    /// True if the journal has no row after this slice.
    package var isLast = false

    package init(through: Int64) {
        self.through = through
    }
}

/// A place in an inspection that reads one slice at a time. Only the store that made the place can read it.
package struct InspectionPlace: Sendable {
    /// The place before all data.
    package static let start = InspectionPlace(nil)

    /// The store's own form of the place; `nil` at the start.
    package let mark: (any Sendable)?

    package init(_ mark: (any Sendable)?) {
        self.mark = mark
    }
}

/// A slice of the derived tables, which only repeat the data of others.
package struct InspectedCopies: Sendable {
    package var snapshots = 0
    package var timers = 0
    package var effects = 0
    package var attempts = 0
    package var keys = 0
    /// Rows without a source. An incorrect copy is reported with its instance or its journal row.
    package var inconsistencies: [Inconsistency] = []
    /// The error in the instance counts. An instance that contradicts its rows may be the cause.
    package var miscount: Inconsistency?
    /// The start of the next slice; `nil` after the last slice.
    package var next: InspectionPlace?

    package init() {}
}

/// A slice of the indexes and table orders, compared with the tables in both directions.
package struct InspectedIndexes: Sendable {
    package var inconsistencies: [Inconsistency] = []
    /// The start of the next slice; `nil` after the last slice.
    package var next: InspectionPlace?

    package init() {}
}
