import Statechart
import WorkflowStore

// Machines that somebody has suspended. That is a flag: an instance gets a row only when something is due for it.

extension BatchBuilder {
    /// Whether somebody has suspended the machine of an instance, after what was applied so far. Costs nothing while
    /// nothing is set for machines.
    func isMachineSuspended(of instance: LiveInstance) -> Bool {
        suspension(ofMachineOf: instance) != nil
    }

    private func suspension(ofMachineOf instance: LiveInstance) -> MachineSuspension? {
        hasSettings ? setting(of: instance.state.loaded.record.key).suspension : nil
    }

    private var hasSettings: Bool {
        !settledBefore.isEmpty || uncommittedCount(\.settings.count) > 0
    }

    /// Throws when nobody may send anything to an instance, because its machine is suspended. One that has finished
    /// never takes anything again, whatever becomes of its machine.
    func refuseOfSuspendedMachine(_ instance: LiveInstance) throws(Rejection) {
        guard let suspension = suspension(ofMachineOf: instance), !instance.state.snapshot.status.isFinished else {
            return
        }
        throw .machineSuspended(instance.state.facts, suspension)
    }

    /// Suspends an instance for which something is due, when its machine is suspended: what is due waits then. False
    /// when it takes what is due.
    ///
    /// - Parameter time: When it is due; nil for now.
    mutating func suspendWithMachine(_ instance: LiveInstance, at time: LogicalTime? = nil) -> Bool {
        guard instance.state.snapshot.status == .running, isMachineSuspended(of: instance) else { return false }
        suspend(instance, as: .machine, at: time ?? instance.state.time(at: now))
        return true
    }

    /// Writes the row of a suspension that nobody has asked for.
    ///
    /// - Parameter actor: Who does it, which is the reason too.
    mutating func suspend(_ instance: LiveInstance, as actor: Actor, at time: LogicalTime) {
        let input = Input.suspended(Event(name: "suspend", data: nil, at: time))
        guard case .success(let chain) = instance.state.chain(input, spending: &cost) else {
            // Proof: whoever calls has seen that it runs, and `Machine` refuses nothing else.
            preconditionFailure("what runs can be suspended")
        }
        let caller = Caller(actor, namespace: instance.state.record.namespace, role: .owner)
        record(chain, of: instance, from: RowOrigin(caller, reason: actor.rawValue))
    }

    /// Whether it was its machine that suspended an instance. What is under way is not looked at: the batch must stand
    /// behind all others.
    func isSuspendedByMachine(_ instance: LiveInstance) throws(Rejection) -> Bool {
        guard instance.state.snapshot.status == .suspended else { return false }
        var search = SuspensionSearch()
        var place: Position? = instance.state.record.head
        for _ in 0..<limits.rowsOfSuspension {
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
    /// Who suspends an instance for which something is due while its machine is suspended.
    static let machine: Actor = "machine"
    /// Who suspends what does not come to rest.
    static let brake: Actor = "brake"
    /// Who deletes what has finished long ago.
    static let retention: Actor = "retention"
}

extension JournalRecord {
    /// True: it says that its machine has suspended the instance.
    var isSuspensionByMachine: Bool { kind == .suspended && actor == .machine }
}

extension Snapshot.Status {
    /// Whether nothing can come to it any more.
    var isFinished: Bool { self == .done || self == .cancelled }
}
