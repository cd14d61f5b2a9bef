import WorkflowStore

/// The parts of the writer that successive batches share. For the lane's thread.
struct BatchParts {
    let limits: EngineLimits
    let placement: Placement
    let library: MachineLibrary
    /// Provides versions that are not compiled yet.
    let demand: MachineDemand
    let recent: WorkingSet
    let brake: Brake
    let leases: LeaseTable
    let share: BackgroundShare
    let counter = BatchCounter()
}

/// Issues the numbers of batches and trials.
final class BatchCounter {
    private(set) var last: UInt64 = 0

    func next() -> UInt64 {
        last += 1
        return last
    }
}
