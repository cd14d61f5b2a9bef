import Logging
import Statechart
import WorkflowJSON
import WorkflowStore

extension BulkRecord {
    /// Returns the metadata of a log line about the run.
    fileprivate func metadata(verb: String) -> Logger.Metadata {
        [
            "run": "\(key.name)", "verb": "\(verb)", "selected": "\(selected)",
            "actor": "\(actor?.rawValue ?? "")",
        ]
    }
}

extension OperatorLog: CommitObserver {
    package func committed(_ committed: Committed) {
        for batch in committed.batches { for notice in batch.notices { tell(notice) } }
        debug(committed)
    }

    /// Logs a notice, without payloads.
    func tell(_ notice: Notice) {
        switch notice {
        case .failed(let instance, let machine, let failure):
            let metadata = failure.metadata.merging(Self.metadata(instance, machine)) { $1 }
            tell(.failures(of: machine.name), .warning, "an instance has failed", metadata)
        case .refused(let events, let rejection):
            var metadata: Logger.Metadata = ["events": "\(events)", "reason": "\(rejection.code.rawValue)"]
            if let offset = rejection.offset {
                metadata["eventNumber"] = "\(offset + 1)"
                if let facts = rejection.facts { metadata["instance"] = "\(facts.name)" }
            }
            tell(.batches, .notice, "a batch of events was refused, and none of them applied", metadata)
        case .queueSet(let queue):
            tell(
                .queues, .notice, "a queue was set",
                [
                    "queue": "\(queue.name)",
                    "concurrency": "\(queue.settings.concurrency.map(String.init) ?? "default")",
                    "rate": "\(queue.settings.rateText)", "paused": "\(queue.settings.isPaused)",
                    "actor": "\(queue.actor?.rawValue ?? "")",
                ])
        case .machineSet(let setting, let actor, let reason):
            tell(.queues, .notice, "a machine was set", setting.metadata(by: actor, reason))
        case .held(let isHeld, let actor):
            tell(
                .queues, .notice, isHeld ? "effects are held" : "effects were released",
                ["actor": "\(actor?.rawValue ?? "")"])
        case .stuck(let effect, let instance):
            let error = effect.error.flatMap(RecordedFailure.object) ?? JSONObject()
            var metadata: Logger.Metadata = [
                "instance": "\(instance)", "effect": "\(effect.name)", "queue": "\(effect.queue)",
                "attempts": "\(effect.attempts)",
            ]
            let isHeld = effect.state == .held
            // The message of a service may be a payload.
            metadata[isHeld ? "reason" : "type"] = "\(error[isHeld ? "message" : "type"]?.string ?? "")"
            tell(.attempts, .warning, Self.words(for: effect), metadata)
        case .braked(let instance, let machine, let event):
            tell(
                .failures(of: machine.name), .warning,
                "an instance does not come to rest, and was suspended: 'wfctl resume' lets it go on",
                Self.metadata(instance, machine).merging(["event": "\(event)", "reason": "brake"]) { $1 })
        case .skipped(_, _, _, _, isLast: false): break
        case .skipped(let skipped, let event, let instance, let machine, isLast: true):
            tell(
                .skips, .warning, "an instance has no timer and no invocation any more: its last timer was skipped",
                Self.metadata(instance, machine).merging([
                    "event": "\(event)", "late": "\(DelayText.text(milliseconds: skipped.lateMilliseconds))",
                ]) { $1 })
        case .leased, .attempted: break
        case .deleted(let audit, let machine):
            tell(.deletions, .notice, "an instance was deleted", audit.metadata(machine))
        case .run(let run, let verb, let change):
            tell(.runs, .notice, "a run \(change)", run.metadata(verb: verb))
        }
    }

    private static func metadata(_ instance: InstanceRecord, _ machine: MachineRecord) -> Logger.Metadata {
        [
            "instance": "\(instance.name)", "machine": "\(machine.name)", "version": "\(machine.version)",
            "seq": "\(instance.seq.rawValue)",
        ]
    }

    /// Returns the message for an effect that waits for a person.
    private static func words(for effect: EffectRecord) -> Logger.Message {
        if effect.isInterrupted { return "an effect is held: wfd does not outlive its attempts" }
        return effect.state == .held
            ? "an effect is held: 'wfctl release' tries it again when the reason is gone"
            : "a call has failed for good"
    }

    /// Logs batches at `debug`: the rows that were written and the commands that were refused.
    private func debug(_ committed: Committed) {
        guard isDetailed else { return }
        for batch in committed.batches {
            for entry in batch.entries {
                guard let rejection = entry.rejection else { continue }
                debug("refused", ["command": "\(entry.command.summary)", "reason": "\(rejection.code.rawValue)"])
            }
            guard !batch.batch.isEmpty else { continue }
            let instances = batch.batch.newInstances + batch.batch.changedInstances
            let names = Dictionary(instances.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
            for row in batch.batch.journal {
                debug(
                    "wrote",
                    [
                        "instance": "\(names[row.instanceID]?.rawValue ?? "")", "seq": "\(row.seq.rawValue)",
                        "kind": "\(row.kind.rawValue)", "event": "\(row.event)", "from": "\(row.from)",
                        "to": "\(row.to)",
                    ])
            }
            debug(
                "committed",
                [
                    "rows": "\(batch.batch.journal.count)", "commands": "\(batch.entries.count)",
                    "fired": "\(batch.fired.count)", "machines": "\(batch.batch.machines.count)",
                ])
        }
    }
}

extension MachineSetting {
    /// Returns the metadata of a log line about the setting.
    fileprivate func metadata(by actor: Actor?, _ reason: String?) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "machine": "\(key.name)", "active": "\(active?.description ?? "latest")", "suspended": "\(isSuspended)",
            "retention": "\(retention.map(DelayText.text) ?? "for ever")", "actor": "\(actor?.rawValue ?? "")",
        ]
        if let reason { metadata["reason"] = "\(reason)" }
        return metadata
    }
}

extension AuditRecord {
    /// Returns the metadata of a log line about the deletion. The instance's name is erased, and is not logged.
    fileprivate func metadata(_ machine: MachineRecord) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "uuid": "\(uuid.text)", "machine": "\(machine.name)", "version": "\(machine.version)",
            "rows": "\(rows)", "actor": "\(actor?.rawValue ?? "")",
        ]
        if let reason { metadata["reason"] = "\(reason)" }
        return metadata
    }
}

extension QueueSettings {
    /// The rate as text for the log: `100 in 1s`.
    fileprivate var rateText: String {
        guard let rate, let rateMilliseconds else { return "default" }
        return "\(rate) in \(DelayText.text(milliseconds: rateMilliseconds))"
    }
}

extension RecordedFailure {
    /// The metadata of a log line about the failure, without payloads.
    fileprivate var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["event": "\(event)", "type": "\(kind.rawValue)", "message": "\(message)"]
        if let state { metadata["state"] = "\(state)" }
        if let line { metadata["line"] = "\(line)" }
        if let expression { metadata["expression"] = "\(expression)" }
        // The message of a service may be a payload.
        if let error {
            metadata["error"] = "\(error.type)"
            if let status = error.status { metadata["status"] = "\(status)" }
        }
        return metadata
    }
}
