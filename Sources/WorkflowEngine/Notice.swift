import Logging
import Statechart
import WorkflowStore

/// What an operator is told when a batch is on disk.
enum Notice: Sendable {
    /// An instance could not take an event that nobody waits for.
    case failed(InstanceRecord, machine: MachineRecord, RecordedFailure)
    /// Events that are applied all or not at all were not: how many, and why.
    case refused(Int, Rejection)
    /// An instance made so many macrosteps by itself within a minute.
    case restless(instance: String, event: String, macrosteps: Int)
}

extension EngineLog {
    /// Tells a notice, without payloads.
    func tell(_ notice: Notice) {
        switch notice {
        case .failed(let instance, let machine, let failure):
            var metadata: Logger.Metadata = [
                "instance": "\(instance.name)", "machine": "\(machine.name)", "version": "\(machine.version)",
                "seq": "\(instance.seq.rawValue)", "event": "\(failure.event)", "type": "\(failure.kind.rawValue)",
                "message": "\(failure.message)",
            ]
            if let state = failure.state { metadata["state"] = "\(state)" }
            if let line = failure.line { metadata["line"] = "\(line)" }
            if let expression = failure.expression { metadata["expression"] = "\(expression)" }
            tell(.failures, .warning, "an instance has failed", metadata)
        case .refused(let events, let rejection):
            var metadata: Logger.Metadata = ["events": "\(events)", "reason": "\(rejection.word)"]
            if case .together(let offset, let reason) = rejection {
                metadata["line"] = "\(offset + 1)"
                metadata["reason"] = "\(reason.word)"
                if let facts = reason.facts { metadata["instance"] = "\(facts.name)" }
            }
            tell(.batches, .notice, "a batch of events was refused, and none of them applied", metadata)
        case .restless(let instance, let event, let macrosteps):
            tell(
                .restlessness, .warning, "an instance does not come to rest",
                [
                    "instance": "\(instance)", "event": "\(event)", "macrosteps": "\(macrosteps)",
                    "within": "a minute",
                ])
        }
    }

    /// Tells at `debug` what batches did: the rows that were written and the commands that were refused.
    func debug(_ sealed: [SealedBatch]) {
        guard isDetailed else { return }
        for batch in sealed {
            for (entry, answer) in zip(batch.entries, batch.answers) {
                guard case .failure(let rejection) = answer else { continue }
                debug("refused", ["command": "\(entry.command.word)", "reason": "\(rejection.word)"])
            }
            guard !batch.batch.isEmpty else { continue }
            let instances = batch.batch.newInstances + batch.batch.changedInstances
            let names = Dictionary(instances.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
            for row in batch.batch.journal {
                debug(
                    "wrote",
                    [
                        "instance": "\(names[row.instanceID] ?? "")", "seq": "\(row.seq.rawValue)",
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

extension Rejection {
    /// Its kind in a word, for the log: what it holds may be a payload.
    fileprivate var word: String {
        guard case .refused(let refusal, _, _, _) = self else { return caseName(of: self) }
        return caseName(of: refusal)
    }

    /// Of the instance that it is about.
    fileprivate var facts: InstanceFacts? {
        switch self {
        case .refused(_, _, _, let facts): facts
        case .finished(let facts), .failed(let facts), .notFailed(let facts), .preconditionFailed(_, let facts): facts
        default: nil
        }
    }
}

extension Command {
    fileprivate var word: String {
        switch self {
        case .apply(let apply): "apply \(apply.machine.name)"
        case .start(let start): "start \(start.machine) \(start.instance ?? "")"
        case .retry(let retry): "retry \(retry.instance)"
        case .send(let send): "send \(send.instance) \(send.event.name)"
        case .sendTogether(let sends): "send \(sends.count) events together"
        case .moveClock: "clock"
        }
    }
}

/// The name of an enum's case, without what it holds.
private func caseName(of value: some Sendable) -> String {
    let mirror = Mirror(reflecting: value)
    return mirror.children.first?.label ?? "\(value)"
}
