import Statechart
import WorkflowJSON
import WorkflowStore

// The action of a bulk run on one instance, and its rehearsal.

extension BulkRequest {
    /// Applies the request to one instance and returns its status afterwards. Returns `nil`, and does nothing, if the
    /// instance has changed since it was prepared.
    func carryOut(
        on live: LiveInstance, _ preparation: BulkPreparation, in batch: inout BatchBuilder, run: String,
        by caller: Caller
    ) throws(Rejection) -> Snapshot.Status? {
        let instance = live.state.record.name
        switch action {
        case .repair(let verb):
            var command = repair(instance, verb, by: caller)
            command.run = run
            _ = try command.apply(to: &batch)
        case .send(let event, let data):
            let command = send(event, data, to: instance, by: caller)
            try command.check()
            _ = try command.send(in: &batch, reason: reason, run: run)
        case .migrate(let version, let plan, let retries):
            var command = migration(of: instance, to: version, plan, retries: retries, by: caller)
            command.run = run
            try command.move(live, in: &batch)
        case .undo(let undone, _) where undone.undoingKind == .resumed:
            guard case .last(let seq) = preparation, seq == live.state.record.seq else { return nil }
            var command = repair(instance, .resume, by: caller)
            command.run = run
            _ = try command.apply(to: &batch)
        case .reset, .undo:
            guard var command = reset(instance, preparation, by: caller) else { return nil }
            command.run = run
            if case .moved = try command.apply(to: &batch) { return nil }
        case .delete(let cancelsEffects):
            var command = DeleteCommand(
                instance: instance, cancelsEffects: cancelsEffects, reason: reason, by: caller)
            if case .look(let look) = preparation { command.look = look }
            return try command.apply(to: &batch) == nil ? nil : .done
        case .redact(let paths):
            guard case .found(let found) = preparation else { return nil }
            var command = RedactCommand(instance: instance, paths: paths, reason: reason ?? "", by: caller)
            command.found = found
            command.run = run
            _ = try command.apply(to: &batch)
        }
        return live.state.snapshot.status
    }

    func repair(_ instance: InstanceName, _ verb: RepairCommand.Verb, by caller: Caller) -> RepairCommand {
        RepairCommand(instance: instance, verb, reason: reason, wantsContext: false, by: caller)
    }

    func migration(
        of instance: InstanceName, to version: MachineVersion, _ plan: MigrationPlan, retries: Bool, by caller: Caller
    ) -> MigrateCommand {
        MigrateCommand(
            instance: instance, to: version, plan, retries: retries, reason: reason, wantsContext: false, by: caller)
    }

    /// Returns `nil` if the instance was not prepared for a reset.
    func reset(_ instance: InstanceName, _ preparation: BulkPreparation, by caller: Caller) -> ResetCommand? {
        guard case .past(let past) = preparation else { return nil }
        var command: ResetCommand
        switch action {
        case .reset(let seq, let timers, let invocations):
            command = ResetCommand(
                instance: instance, to: .seq(seq), timers: timers, invocations: invocations, reason: reason,
                wantsContext: false, by: caller)
        case .undo(_, let invocations):
            command = ResetCommand(
                instance: instance, to: .beforeLast, timers: .due, invocations: invocations, reason: reason,
                wantsContext: false, by: caller)
        case .repair, .send, .migrate, .delete, .redact: return nil
        }
        command.past = past
        return command
    }

    func send(_ event: String, _ data: JSONValue?, to instance: InstanceName, by caller: Caller) -> SendCommand {
        SendCommand(
            instance: instance, event: Event(name: event, data: data, at: LogicalTime(milliseconds: 0)),
            wantsContext: false, by: caller)
    }
}

extension BulkAction {
    /// True if the action is refused while the machine is suspended.
    var needsMachine: Bool {
        switch self {
        case .repair(.resume), .send: true
        case .repair(.retry), .repair(.skip), .repair(.cancel), .repair(.set), .repair(.suspend): false
        case .undo(let undone, _): undone.undoingKind == .resumed
        case .migrate, .reset, .delete, .redact: false
        }
    }

    /// Returns true if an instance that is failed afterwards failed because of the action, rather than stayed failed as
    /// before.
    func hasFailed(from before: Seq, to after: Seq) -> Bool { endsFailures || after > before.next }

    /// True if the action is meant to make an instance continue.
    private var endsFailures: Bool {
        switch self {
        case .repair(.retry), .repair(.skip), .repair(.resume), .send: true
        case .repair(.cancel), .repair(.set), .repair(.suspend), .reset, .undo, .delete, .redact: false
        case .migrate(_, _, let retries): retries
        }
    }

    /// Returns the outcome of an instance whose action was rejected.
    func outcome(of rejection: Rejection) -> BulkOutcome.Kind {
        switch (self, rejection.code) {
        case (_, .misfit): .misfit
        case (.repair(.cancel), .finished), (.repair(.set), .finished), (.repair(.suspend), .finished),
            (.repair(.suspend), .suspended), (.repair(.resume), .notSuspended), (.repair(.retry), .notFailed),
            (.repair(.skip), .notFailed), (.migrate, .finished), (.migrate, .notFailed):
            .passedOver
        // The instance would fail again on the same input, and stays in its version.
        case (.migrate(_, _, retries: true), .notAccepted), (.migrate(_, _, retries: true), .guardRejected),
            (.migrate(_, _, retries: true), .unknownEvent), (.migrate(_, _, retries: true), .expressionFailed),
            (.migrate(_, _, retries: true), .livelock):
            .failed
        default: .refused
        }
    }
}
