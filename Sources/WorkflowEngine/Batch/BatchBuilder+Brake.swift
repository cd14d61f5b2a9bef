import Statechart
import WorkflowStore

extension BatchBuilder {
    /// Counts what an instance did by itself; suspends it when that was too much.
    ///
    /// - Parameter macrosteps: Of the instance as it is now.
    mutating func brake(_ instance: LiveInstance, after macrosteps: Int, event: String) {
        let time = LogicalTime(instance.state.record.updated)
        guard instance.state.snapshot.status == .running,
            !brake.admits(macrosteps, of: instance.state.record.id, at: time)
        else { return }
        suspend(instance, as: .brake, at: instance.state.time(at: now))
        note(.braked(instance.state.record, machine: instance.state.loaded.record, event: event))
    }
}
