import Statechart
import WorkflowStore

/// Gives instances their turns in a bulk run, and in its rehearsal.
struct BulkTurns: Sendable {
    let namespace: NamespaceID
    var request: BulkRequest
    /// The filter of the selection; `nil` if the instances are named.
    let filter: InstanceQuery?

    /// - Throws: A rejection if the selection's condition cannot be compiled.
    init(_ request: BulkRequest, at begun: Timestamp, in namespace: NamespaceID) throws(Rejection) {
        self.namespace = namespace
        self.request = request
        filter = try request.selection?.filter(at: begun)
    }

    /// The turn of an instance.
    struct Turn: Sendable {
        var kind: BulkOutcome.Kind
        /// The reason of the outcome; `nil` if there is none, or if it is a rejection.
        var reason: String?
        var rejection: Rejection?
        var result: SendResult?
        /// False if the instance was deleted or renamed since it was selected, so its name must not be reported.
        var isListed = true

        /// The reason of the outcome, for a rehearsal; `nil` if there is none.
        var expectation: String? {
            guard kind == .failed, rejection == nil else { return reason ?? rejection?.message }
            return reason.map { "it would fail: \($0)" } ?? "it would fail"
        }
    }

    /// Applies the verb to an instance, if the instance is still meant. Returns `nil` if the instance has no turn.
    /// Throws only errors of the daemon: the instance then has its turn later.
    ///
    /// - Parameters:
    ///   - floor: The first position of rows that are younger than the selection.
    ///   - trail: The places that the run has passed.
    func take(
        _ target: BulkTarget, since floor: Position, before trail: BulkTrail, in batch: inout BatchBuilder
    ) throws(Rejection) -> Turn? {
        do throws(Rejection) {
            if case .passedOver = target.preparation { return nil }
            let instance = try batch.existing(InstanceKey(target.instance, in: namespace))
            // Instances that were suspended otherwise are not selected and have no turn.
            if request.isForSuspendedByMachine, !(try batch.isSuspendedByMachine(instance)) { return nil }
            if isElsewhere(instance.state, target) || hadTurn(instance.state, target, before: trail) { return nil }
            if let change = change(of: instance.state, since: floor, target) {
                return Turn(kind: .changed, reason: change)
            }
            let before = instance.state.record.seq
            guard case .done(let result) = try apply(target.preparation, to: instance, in: &batch) else {
                return Turn(kind: .changed, reason: "it went on while it had its turn")
            }
            if instance.state.snapshot.status == .failed,
                request.action.verb.hasFailed(from: before, to: instance.state.record.seq)
            {
                return Turn(kind: .failed, reason: instance.state.failure?.reason.message)
            }
            return Turn(kind: .done, result: result)
        } catch {
            if error.code.isOfDaemon { throw error }
            if error.code == .instanceNotFound, filter != nil { return Turn(kind: .changed, isListed: false) }
            return Turn(kind: request.action.verb.outcome(of: error), rejection: error)
        }
    }

    private func apply(
        _ preparation: BulkPreparation, to instance: LiveInstance, in batch: inout BatchBuilder
    ) throws(Rejection) -> BulkDeed {
        switch preparation {
        case .ready(_, let step): return try step(instance, &batch)
        case .rejected(let rejection): throw rejection
        case .changed, .passedOver, .missing: return .moved
        }
    }

    /// True if instances of several versions are selected: a run may then find one instance in each.
    var meetsVersions: Bool { request.selection.map { $0.versions.count != 1 } ?? false }

    /// Returns true if an instance has migrated since it was read: it has its turn in the other version, or none.
    private func isElsewhere(_ state: borrowing InstanceState, _ target: BulkTarget) -> Bool {
        meetsVersions && state.record.id.rawValue == target.mark.number
            && state.record.machineID.rawValue != target.mark.machine
    }

    /// Returns true if an instance had its turn in another version already, as far as is known.
    private func hadTurn(
        _ state: borrowing InstanceState, _ target: BulkTarget, before trail: BulkTrail
    ) -> Bool {
        guard let crossing = target.crossing else { return false }
        // The instance went on before the earlier parts passed it, so it may have been back for one of them.
        if let head = crossing.head, head != state.record.head { return true }
        let id = state.record.id
        return crossing.stays.contains { trail.passed($0, of: id) }
    }

    /// Returns the reason why an instance is no longer selected; `nil` if it still is.
    private func change(of state: borrowing InstanceState, since floor: Position, _ target: BulkTarget) -> String? {
        if case .changed(let change) = target.preparation { return change }
        if request.expect != nil || request.isForUnmoved, state.record.head >= floor {
            return "it has gone on since it was selected (seq \(state.record.seq.rawValue))"
        }
        guard let filter else {
            // Another instance may have taken the name.
            return request.instances.map { state.record.id >= $0 } ?? false
                ? "it was started after the run began" : nil
        }
        let error = filter.failures.isEmpty ? nil : InvocationError(state.snapshot.armed.kept?.data)
        let isSelected =
            state.record.machineID.rawValue == target.mark.machine && state.record.id.rawValue == target.mark.number
            && filter.takes(state.record.status)
            && filter.takes(
                configuration: state.configuration, entered: state.record.entered, failure: state.record.failure,
                error: error)
        return isSelected ? nil : "it is no longer selected (seq \(state.record.seq.rawValue))"
    }
}

extension BulkOutcome {
    /// Counts a turn, and lists the instance if it is one of the first few of its kind.
    ///
    /// - Parameter isStored: False for a rehearsal: its reasons may have values of the instance.
    mutating func add(_ turn: BulkTurns.Turn, of instance: InstanceName, limits: EngineLimits, isStored: Bool = true) {
        guard turn.isListed else { return count(turn.kind) }
        add(
            turn.kind, instance, limits: limits,
            isStored ? turn.reason ?? turn.rejection?.lastingMessage : turn.expectation)
    }
}
