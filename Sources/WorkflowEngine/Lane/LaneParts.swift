import Logging
import WorkflowStore

/// The parts of the engine that a lane shares with others.
struct LaneParts: Sendable {
    let queue: CommandQueue
    let library: MachineLibrary
    let board: QueueBoard
    let watch: QueueWatch
    /// Carry out the effects that a virtual clock waits for.
    let runners: [EffectRunner]
    let clock: any WallClock
    let limits: EngineLimits
    let statistics: BatchStatistics
    let health: WriteHealth
    let purging: PurgeWatch
    /// Nil where the store makes no backups.
    let backups: (any BackupOrders)?
    let log: OperatorLog
    let logger: Logger
}

/// Backups that wait for the lane, which copies them between two batches.
protocol BackupOrders: Sendable {
    /// True while a backup waits for the lane.
    var hasWork: Bool { get }

    /// Copies for one time slice. Returns true when there is more to copy.
    func advance(_ writer: any BackupCopying) -> Bool
    /// Gives up a copy that is not complete, before the store is closed.
    func abandon(_ writer: any BackupCopying)
    /// Refuses all orders from now on, for a reason.
    func close(_ reason: Rejection)
}
