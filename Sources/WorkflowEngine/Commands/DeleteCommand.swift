import Statechart
package import WorkflowStore

/// Deletes an instance, with everything that is stored about it.
package struct DeleteCommand: Sendable {
    package var instance: InstanceName
    /// True to cancel and delete an instance that has not finished.
    package var takesUnfinished: Bool
    /// True to cancel calls that have not ended.
    package var cancelsEffects: Bool
    /// The caller's reason.
    package var reason: String?
    /// The seq that the instance must have; `nil` for any.
    package var expectedSeq: Seq?
    /// True to report the effect of the command without changing anything.
    package var isDryRun: Bool
    /// The caller's key; the same request with the same key is carried out once.
    package var key: RequestKey?
    package var caller: Caller
    /// True to log the deletion; a deletion in a bulk run is logged with the others.
    var isTold = true
    /// The facts that were read about the instance before.
    var look: Look?

    /// The calls of an instance at a seq.
    struct Look: Sendable {
        let id: InstanceID
        let seq: Seq
        let calls: [Position]
    }

    package init(
        instance: InstanceName, takesUnfinished: Bool = false, cancelsEffects: Bool = false, reason: String? = nil,
        expectedSeq: Seq? = nil, isDryRun: Bool = false, key: RequestKey? = nil, by caller: Caller
    ) {
        self.instance = instance
        self.takesUnfinished = takesUnfinished
        self.cancelsEffects = cancelsEffects
        self.reason = reason
        self.expectedSeq = expectedSeq
        self.isDryRun = isDryRun
        self.key = key
        self.caller = caller
    }

    /// The digest under which the deletion is found again. The digest covers the name, because nothing else keeps the
    /// name.
    private var keyDigest: Digest? {
        key.map { Digest(of: "\(caller.namespace.rawValue) \(instance) ".utf8 + $0.bytes) }
    }
}

/// The result of a deletion, or the expected result.
package struct Deletion: Sendable {
    package let instance: InstanceName
    package let uuid: UniqueID
    /// The machine; `nil` if a restore brought back a file without it, and the answer is given again.
    package let machine: MachineRecord?
    /// The number of the instance's journal rows.
    package let rows: Int64
    /// The digest of the last of these rows; `nil` for a dry run.
    package let digest: Digest?
    package let at: Timestamp
    /// The names of the invocations and calls that are cancelled with the instance; empty in an answer that is given
    /// again.
    package let cancelled: [String]
    package let isDryRun: Bool
    /// The reason why the erased data is still in the files; `nil` if it is gone, and for a dry run.
    package var pending: String?
    package var isRepeated = false
}

/// The deletion as a command. The answer is `nil` if the instance has continued since its calls were read.
extension DeleteCommand: InstanceVerb {
    var size: Int { 512 + 8 * (look?.calls.count ?? 0) }
    /// True, because another instance may take the name; later commands are applied when the deletion is on disk.
    var isLong: Bool { true }
    var summary: String { "delete \(instance)" }

    func want(_ rows: inout WantedRows) { rows.instances.insert(target) }

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> Deletion? {
        if !isDryRun, let keyDigest, let audit = try batch.audit(key: keyDigest) { return try again(audit, batch) }
        let instance = try batch.existing(target)
        let isFinished = instance.state.snapshot.status.isFinished
        if !isFinished, !takesUnfinished { throw .notFinished(instance.state.facts) }
        try instance.state.refuse(unless: expectedSeq)
        var calls: [EffectRecord] = []
        if instance.state.machine.hasCalls {
            let record = instance.state.record
            guard let look, look.id == record.id, look.seq == record.seq else { return nil }
            for id in look.calls {
                if let effect = try batch.effect(id), effect.instanceID == record.id { calls.append(effect) }
            }
            if !calls.isEmpty, !cancelsEffects { throw .effectsOpen(calls, instance.state.facts) }
        }
        let invocations = instance.state.snapshot.armed.filter { $0.kind == .invocation }.compactMap(\.invocation)
        let cancelled = invocations + calls.map(\.name)
        if !isFinished {
            _ = try RepairCommand(instance: self.instance, .cancel(runsActions: false), reason: reason, by: caller)
                .apply(to: &batch)
        }
        for call in calls { batch.end(call) }
        let audit = batch.delete(instance, by: caller, reason: reason, key: keyDigest)
        if isTold { batch.note(.deleted(audit, machine: instance.state.loaded.record)) }
        return Deletion(
            instance: self.instance, uuid: audit.uuid, machine: instance.state.loaded.record, rows: audit.rows,
            digest: isDryRun ? nil : audit.digest, at: audit.at, cancelled: cancelled, isDryRun: isDryRun)
    }

    private func again(_ audit: AuditRecord, _ batch: BatchBuilder) throws(Rejection) -> Deletion {
        guard audit.reason == reason, caller.isActor(audit.actor) else { throw .keyReused(key?.text ?? "") }
        let isKnown = audit.machineID != AuditRecord.noMachine
        return Deletion(
            instance: instance, uuid: audit.uuid,
            machine: isKnown ? try batch.machine(audit.machineID)?.record : nil, rows: audit.rows, digest: audit.digest,
            at: audit.at, cancelled: [], isDryRun: false, isRepeated: true)
    }
}

extension Rejection {
    /// Rejects the deletion of an instance that may still continue.
    fileprivate static func notFinished(_ facts: InstanceFacts) -> Rejection {
        Rejection(
            .notFinished,
            "\(facts.place.text), is \(facts.status): cancel it before, or delete it alone "
                + "with '--confirm \(facts.name)'",
            facts: facts)
    }

    fileprivate static func effectsOpen(_ calls: [EffectRecord], _ facts: InstanceFacts) -> Rejection {
        let names = calls.prefix(5).map { "'\($0.name)' of seq \($0.seq.rawValue)" }.joined(separator: ", ")
        let more = calls.count > 5 ? " and \(calls.count - 5) more" : ""
        let what = calls.count == 1 ? "call \(names) has" : "calls \(names)\(more) have"
        return Rejection(
            .effectsOpen, "\(facts.place.text), cannot be deleted: \(what) not ended", facts: facts)
    }

    static func movedDuringDelete(_ name: InstanceName) -> Rejection {
        Rejection(
            .overloaded, "Instance '\(name)' goes on while it is to be deleted: suspend it first",
            subject: .instance(name))
    }
}
