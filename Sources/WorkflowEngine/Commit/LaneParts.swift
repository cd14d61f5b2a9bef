import Logging

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
    let backups: BackupCoordinator?
    let log: OperatorLog
    let logger: Logger
}
