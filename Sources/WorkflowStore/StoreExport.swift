/// Reads all rows of a store that nobody writes to, for another store.
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
    /// The only partition's numbers.
    package var numbers: StoreNumbers
    package var keys: KeyLedger
    /// The position from which every journal row is still there.
    package var purgeFloor: Position

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
