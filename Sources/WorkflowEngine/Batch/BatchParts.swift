import WorkflowStore

/// The parts of the writer that batches use and share, one after another. For the lane's thread.
struct BatchParts {
    let limits: EngineLimits
    let library: MachineLibrary
    /// Gives versions that are not compiled yet.
    let demand: MachineDemand
    let recent: WorkingSet
    let motion: SelfMotion
    let brake: Brake
    let leases: LeaseTable
    let share: BackgroundShare
    let counter = BatchCounter()
}

/// Hands out numbers of batches and trials.
final class BatchCounter {
    private(set) var last: UInt64 = 0

    func next() -> UInt64 {
        last += 1
        return last
    }
}
