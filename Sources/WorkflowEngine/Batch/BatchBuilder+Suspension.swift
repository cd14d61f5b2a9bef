import Statechart
import WorkflowStore

// Suspended machines. The suspension is a flag: an instance gets a row only if something is due for it.

extension BatchBuilder {
    /// Returns true if the machine of an instance is suspended, with the changes applied so far. Costs nothing while no
    /// machine has settings.
    func isMachineSuspended(of instance: LiveInstance) -> Bool {
        suspension(ofMachineOf: instance) != nil
    }

    private func suspension(ofMachineOf instance: LiveInstance) -> MachineSuspension? {
        hasSettings ? setting(of: instance.state.loaded.record.key).suspension : nil
    }

    private var hasSettings: Bool {
        !changes.settings.isEmpty || !settledBefore.isEmpty || underWay.contains { !$0.settings.isEmpty }
    }

    /// Throws if no input may reach an instance because its machine is suspended. Finished instances are exempt,
    /// because they never accept anything again.
    func refuseOfSuspendedMachine(_ instance: LiveInstance) throws(Rejection) {
        guard let suspension = suspension(ofMachineOf: instance), !instance.state.snapshot.status.isFinished else {
            return
        }
        throw .machineSuspended(instance.state.facts, suspension)
    }

    /// Suspends an instance with something due if its machine is suspended, so that the due input waits. Returns false
    /// if the instance accepts the due input.
    ///
    /// - Parameter time: The time at which the input is due; `nil` for now.
    mutating func suspendWithMachine(_ instance: LiveInstance, at time: LogicalTime? = nil) -> Bool {
        guard instance.state.snapshot.status == .running, isMachineSuspended(of: instance) else { return false }
        suspend(instance, as: .machine, at: time ?? instance.state.time(at: now))
        return true
    }

    /// Writes the row of a suspension that no caller requested.
    ///
    /// - Parameter actor: The actor of the suspension, whose name is the reason, too.
    mutating func suspend(_ instance: LiveInstance, as actor: Actor, at time: LogicalTime) {
        let input = Input.suspended(Event(name: "suspend", data: nil, at: time))
        guard case .success(let chain) = instance.state.chain(input, spending: &cost) else {
            // Proof: each caller has checked that the instance runs, and `Machine` refuses nothing else.
            preconditionFailure("what runs can be suspended")
        }
        let caller = Caller(actor, namespace: instance.state.record.namespace)
        record(chain, of: instance, from: RowOrigin(caller, reason: actor.rawValue))
    }

    /// Returns true if an instance was suspended by its machine. Ignores batches under way, so no other batch may be
    /// under way.
    func isSuspendedByMachine(_ instance: LiveInstance) throws(Rejection) -> Bool {
        guard instance.state.snapshot.status == .suspended else { return false }
        var search = SuspensionSearch()
        var place: Position? = instance.state.record.head
        for _ in 0..<parts.limits.rowsOfSuspension {
            guard !search.isOver, let position = place else { break }
            var row = uncommittedRow(at: position)
            if row == nil { row = try read { () throws(StoreError) in try store.row(at: position) } }
            guard let row else { return false }
            search.take(row)
            place = row.previous
        }
        return search.row?.isSuspensionByMachine ?? false
    }
}

extension Actor {
    /// The actor that suspends an instance with something due while its machine is suspended.
    static let machine: Actor = "machine"
    /// The actor that suspends an instance that does not come to rest.
    static let brake: Actor = "brake"
    /// The actor that deletes instances which finished long ago.
    static let retention: Actor = "retention"
}

extension JournalRecord {
    /// True if the row records that the instance was suspended by its machine.
    var isSuspensionByMachine: Bool { kind == .suspended && actor == .machine }
}

extension Snapshot.Status {
    /// True if the instance accepts no more inputs.
    var isFinished: Bool { self == .done || self == .cancelled }
}
