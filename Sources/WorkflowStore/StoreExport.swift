import Statechart

/// Reads all rows of a store as of one moment, for another store.
package protocol StoreExport: Sendable {
    /// Returns the facts about the store as a whole.
    func exportedStore() async throws(StoreError) -> ExportedStore

    /// Returns the next rows. Machines come first, then instances, then all that names them.
    func exportRows(after place: InspectionPlace) async throws(StoreError) -> ExportedRows
}

/// The facts about a store as a whole.
package struct ExportedStore: Sendable {
    package var identity: StoreIdentity
    package var clock: StoreClock
    /// The numbers of the only partition. The rows of several partitions are exported as those of one.
    package var numbers: StoreNumbers
    package var keys: KeyLedger
    /// The position from which every journal row is still there.
    package var purgeFloor: Position
    /// About how many bytes the rows take; 0 if it is not known.
    package var bytes: Int64 = 0

    package init(
        identity: StoreIdentity, clock: StoreClock, numbers: StoreNumbers, keys: KeyLedger, purgeFloor: Position
    ) {
        self.identity = identity
        self.clock = clock
        self.numbers = numbers
        self.keys = keys
        self.purgeFloor = purgeFloor
    }
}

/// Some rows of a store. The remembered keys and the counts of instances follow from the other rows, so they are left
/// out.
package struct ExportedRows: Sendable {
    package var machines: [MachineRecord] = []
    package var instances: [InstanceRecord] = []
    package var journal: [JournalRecord] = []
    package var snapshots: [SnapshotRecord] = []
    package var timers: [TimerRecord] = []
    package var effects: [EffectRecord] = []
    package var attempts: [AttemptRecord] = []
    package var queues: [QueueRecord] = []
    package var settings: [MachineSetting] = []
    package var erasures: [ErasureRecord] = []
    package var runs: [BulkRecord] = []
    package var runNames: [RunNames] = []
    package var purges: [PurgeRecord] = []
    package var deletions: [AuditRecord] = []
    package var changes: [ChangeRecord] = []
    package var restorations: [Restoration] = []
    /// The start of the next rows; `nil` after the last ones.
    package var next: InspectionPlace?

    package init() {}
}

/// The remembered keys of exported rows, which are taken in the order of the export.
package struct ExportedKeys: Sendable {
    private let floor: Position
    /// The first version of each machine.
    private var first: [MachineKey: MachineID] = [:]
    private var firstVersions: [MachineID: MachineID] = [:]

    /// - Parameter ledger: The ledger of the exported store.
    package init(_ ledger: KeyLedger) {
        floor = ledger.floor
    }

    /// Returns the keys that the store remembers for some rows, which may be placed in partitions by now.
    package mutating func take(_ rows: ExportedRows) -> [KeyRecord] {
        for machine in rows.machines {
            let key = MachineKey(machine.name, in: machine.namespace)
            if machine.version == .first { first[key] = machine.id }
            firstVersions[machine.id] = first[key]
        }
        return rows.journal.compactMap { row in
            guard row.position.number >= floor.number, let key = row.key else { return nil }
            let scope: KeyScope? =
                row.kind == .started ? firstVersions[row.machineID].map(KeyScope.machine) : .instance(row.instanceID)
            return scope.map { KeyRecord(key: RequestKey(bytes: key), scope: $0, position: row.position) }
        }
    }
}
