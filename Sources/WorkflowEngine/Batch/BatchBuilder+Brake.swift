import Statechart
import WorkflowStore

extension BatchBuilder {
    /// Counts the macrosteps that an instance made by itself; suspends the instance if they exceed the brake.
    ///
    /// - Parameter macrosteps: The macrosteps that led to the instance's present state.
    mutating func brake(_ instance: LiveInstance, after macrosteps: Int, event: String) {
        let time = LogicalTime(instance.state.record.updated)
        guard instance.state.snapshot.status == .running,
            !parts.brake.admits(macrosteps, of: instance.state.record.id, at: time)
        else { return }
        suspend(instance, as: .brake, at: instance.state.time(at: now))
        note(.braked(instance.state.record, machine: instance.state.loaded.record, event: event))
    }
}
