import Logging
import WorkflowStore

/// The parts of the engine that a lane shares with others.
struct LaneParts: Sendable {
    let queue: CommandQueue
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
    /// The backups that wait for the lane; `nil` if the store makes none.
    let backups: (any BackupOrders)?
    let log: OperatorLog
    let logger: Logger
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
