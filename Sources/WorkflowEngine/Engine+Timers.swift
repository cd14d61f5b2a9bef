import Statechart
package import WorkflowStore

extension Engine {
    /// The running timers that are due next, of all instances.
    package func timers(after key: TimerKey?, limit: Int) async throws(Rejection) -> [ListedTimer] {
        try await read { () async throws(StoreError) in try await store.timers(after: key, limit: limit) }
    }

    /// What comes to an instance by itself, the next first; of a failed one what waits until it is retried.
    package func timers(of name: String) async throws(Rejection) -> [InstanceTimer] {
        let record = try await instance(named: name).record
        let instance = try LiveInstance(record: record, loaded: try await loadedMachine(record.machineID))
        let armed = instance.snapshot.armed.sorted { lhs, rhs in
            lhs.isImmediate != rhs.isImmediate ? lhs.isImmediate : (lhs.due, lhs.number) < (rhs.due, rhs.number)
        }
        return armed.map { InstanceTimer($0, of: instance.machine, waits: record.status == .failed) }
    }
}

/// Something that will come to an instance by itself, for those who look.
package struct InstanceTimer: Sendable, Equatable {
    package let event: String
    package let due: Timestamp
    /// The path of the state with whose end it goes; nil for what was sent.
    package let state: String?
    /// What `cancel` names.
    package let id: String?
    /// How late it may be and still change something; nil for however late.
    package let skipMilliseconds: Int64?
    /// Whether it waits until its instance, which has failed, is retried.
    package let waits: Bool

    init(_ timer: ArmedTimer, of machine: Machine, waits: Bool) {
        event = timer.event
        due = Timestamp(rawValue: timer.due.milliseconds)
        state = if case .state(let index) = timer.owner { machine.paths(of: [index])[0] } else { nil }
        id = if case .send(let id) = timer.owner { id } else { nil }
        skipMilliseconds = if case .skip(let limit) = timer.misfire { limit } else { nil }
        self.waits = waits
    }
}
