import Logging
import Synchronization
import WorkflowStore

/// The parts of the engine that a lane works with. All but the queue, the health and the backups are shared with the
/// other lanes.
struct LaneParts: Sendable {
    let partition: PartitionID
    let placement: Placement
    let queue: CommandQueue
    let opening: SettingsOpening
    let library: MachineLibrary
    let board: QueueBoard
    let watch: QueueWatch
    /// The runners that carry out the effects for which a virtual clock waits.
    let runners: [EffectRunner]
    let clock: any WallClock
    let limits: EngineLimits
    let statistics: BatchStatistics
    let health: WriteHealth
    let purging: PurgeWatch
    /// The backups that wait for the lane; `nil` if the store makes none, and for all lanes but the first.
    let backups: (any BackupOrders)?
    let log: OperatorLog
    let logger: Logger
}

/// Loads the committed settings before the first lane begins, and only then: they change with the commits of the first
/// partition's lane.
final class SettingsOpening: Sendable {
    private let isDone = Mutex(false)

    /// Calls a function once, while the other lanes wait. After an error the next lane tries.
    func load(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        try isDone.withLock { isDone throws(StoreError) in
            if isDone { return }
            try body()
            isDone = true
        }
    }
}

/// Backups that wait for the lane, which copies them between two batches.
protocol BackupOrders: Sendable {
    /// True while a backup waits for the lane.
    var hasWork: Bool { get }

    /// Copies for one time slice. Returns true if there is more to copy.
    func advance(_ writer: any BackupCopying) -> Bool
    /// Gives up a copy that is not complete, before the store is closed.
    func abandon(_ writer: any BackupCopying)
    /// Refuses all orders from now on, for a reason.
    func close(_ reason: Rejection)
}
