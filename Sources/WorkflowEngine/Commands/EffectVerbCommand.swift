import Statechart
package import WorkflowJSON
package import WorkflowStore

/// Carries out an operator's decision about an effect.
package struct EffectVerbCommand: Sendable {
    /// The operator's decision.
    package enum Verb: Sendable, Equatable {
        /// Try the effect at once, and count its attempts anew. A new key hides the former key from the service.
        case retry(newKey: Bool)
        /// End the effect with a result.
        case skip(result: JSONValue)
        /// End the effect with an error of type `cancelled`.
        case cancel

        /// True if the effect ends with a result.
        var givesResult: Bool {
            switch self {
            case .retry: false
            case .skip, .cancel: true
            }
        }

        /// The event of the row that records the verb.
        package var name: String {
            switch self {
            case .retry: "retry"
            case .skip: "skip"
            case .cancel: "cancel"
            }
        }
    }

    package var instance: InstanceName
    /// The id of the invocation, or the name of a call.
    package var effect: String
    /// The seq of the macrostep that began the effect; `nil` for any.
    package var expectedSeq: Seq?
    package var verb: Verb
    /// The caller's reason.
    package var reason: String?
    /// True to report the outcome of the verb without changing anything.
    var isDryRun: Bool
    /// The caller's key; the same verb with the same key is carried out once.
    package var key: RequestKey?
    package var caller: Caller
    /// The position of a call's row.
    var call: Position?
    /// Returns true if the daemon makes an attempt at an effect now.
    var runs: @Sendable (Position) -> Bool = { _ in false }

    package init(
        instance: InstanceName, effect: String, expectedSeq: Seq? = nil, verb: Verb, reason: String? = nil,
        isDryRun: Bool = false, key: RequestKey? = nil, by caller: Caller
    ) {
        self.instance = instance
        self.effect = effect
        self.expectedSeq = expectedSeq
        self.verb = verb
        self.reason = reason
        self.isDryRun = isDryRun
        self.key = key
        self.caller = caller
    }

    /// The type of the error that a cancelled invocation ends with.
    private static let cancelled = "cancelled"
}

/// The answer to an operator's verb on an effect.
package struct EffectVerdict: Sendable {
    package let instance: InstanceName
    package let effect: String
    /// The seq of the row that records the verb.
    package let seq: Seq
    /// The paths of the active leaves before.
    package let from: [String]
    /// The paths of the active leaves after the result that was given.
    package let to: [String]
    /// The status of the instance afterwards; `nil` if the answer is given again.
    package var status: InstanceStatus?
    /// True if the instance has failed on the result.
    package let hasFailed: Bool
    /// The queue of the effect; `nil` if the answer is given again.
    package var queue: String?
    package var isRepeated = false
}

extension EffectVerbCommand: InstanceVerb {
    var size: Int {
        guard case .skip(let result) = verb else { return 512 }
        return 512 + result.size
    }

    var summary: String { "\(verb.name) effect \(effect) of \(instance)" }

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> KeyedAnswer<EffectVerdict> {
        let instance = try batch.existing(target)
        let scope = KeyScope.instance(instance.state.record.id)
        if let key, !isDryRun {
            if let position = try batch.position(of: key, in: scope) { return .repeated(position) }
            try batch.refuseExpired(key)
        }
        // The next input of a failed instance replaces the item that it failed on.
        if instance.state.snapshot.status == .running { batch.fireDue(of: instance) }
        let effect = try find(in: batch, of: instance)
        try refuse(effect, of: instance)
        let waiting = instance.state.snapshot.status == .failed ? try batch.effects(of: instance) : []
        let from = instance.state.snapshot.configuration
        let wasFailed = instance.state.snapshot.status == .failed
        let seq = instance.state.record.seq.next
        let event = Event(
            name: verb.name, data: .object(data(of: effect)), at: instance.state.time(at: batch.now))
        let chain: Chain
        switch instance.state.chain(.effect(event), spending: &batch.cost) {
        case .success(let taken): chain = taken
        // Eventless transitions that had to come first have failed.
        case .failure(let refusal): throw instance.state.rejection(refusal, of: event)
        }
        batch.remember(key, in: scope, at: batch.numbers.nextPosition)
        batch.record(chain, of: instance, from: RowOrigin(caller, key: key, reason: reason))
        carryOut(effect, of: instance, in: &batch)
        batch.goOn(waiting, of: instance)
        let machine = instance.state.machine
        return .first(
            EffectVerdict(
                instance: instance.state.record.name, effect: effect.name, seq: seq,
                from: machine.leafPaths(of: from), to: machine.leafPaths(of: instance.state.snapshot.configuration),
                status: InstanceStatus(instance.state.snapshot.status),
                hasFailed: instance.state.snapshot.status == .failed && !(wasFailed && isLive(effect, instance)),
                queue: effect.queue))
    }

    private func isLive(_ effect: EffectRecord, _ instance: LiveInstance) -> Bool {
        instance.state.invocation(of: effect.id)?.isKept == false || effect.number == nil
    }

    /// Returns the effect that the command names.
    private func find(in batch: BatchBuilder, of instance: LiveInstance) throws(Rejection) -> EffectRecord {
        var known: [String] = []
        for id in instance.state.effects + [call].compactMap(\.self) {
            guard let found = try batch.effect(id), found.instanceID == instance.state.record.id else { continue }
            if found.name == effect { return found }
            known.append(found.name)
        }
        throw .effectNotFound(effect, of: instance.state.facts, known: known)
    }

    private func refuse(_ effect: EffectRecord, of instance: LiveInstance) throws(Rejection) {
        if let expectedSeq, expectedSeq != effect.seq {
            throw .otherEffect(effect.name, of: effect.seq, expected: expectedSeq, instance.state.facts)
        }
        switch (effect.state, verb) {
        case (.answered, _):
            throw .effectNotWaiting(
                "'\(effect.name)' of '\(instance.state.record.name)' has its result, which waits until the instance "
                    + "goes on: 'wfctl \(instance.state.snapshot.status == .suspended ? "resume" : "retry") "
                    + "\(instance.state.record.name)'", instance.state.facts)
        case (_, .retry) where effect.isRedacted:
            throw .effectNotWaiting(
                "What '\(effect.name)' of '\(instance.state.record.name)' asks was redacted; 'skip' and 'cancel' end "
                    + "it",
                instance.state.facts)
        case (.leased, .retry):
            throw .effectNotWaiting(
                "Somebody works on '\(effect.name)' of '\(instance.state.record.name)'; 'skip' and 'cancel' end it",
                instance.state.facts)
        case (.ready, .retry) where runs(effect.id):
            // The service would get the same request twice at once.
            throw .effectNotWaiting(
                "An attempt at '\(effect.name)' of '\(instance.state.record.name)' runs; 'skip' and 'cancel' end it",
                instance.state.facts)
        default: break
        }
    }

    /// Returns the data that the row keeps.
    private func data(of effect: EffectRecord) -> JSONObject {
        var data: JSONObject = ["id": .string(effect.name)]
        var place: JSONObject = ["seq": .int(effect.seq.rawValue)]
        if let number = effect.number { place["number"] = .int(number) }
        data["invoke"] = .object(place)
        switch verb {
        case .retry(let newKey): if newKey { data["newKey"] = true }
        case .skip(let result): data["result"] = result
        case .cancel: break
        }
        return data
    }

    /// Applies the verb to the effect, after the row that records the verb.
    private func carryOut(_ known: EffectRecord, of instance: LiveInstance, in batch: inout BatchBuilder) {
        // An event that the instance sends to itself when it continues may end the effect.
        guard var effect = batch.current(known) else { return }
        switch verb {
        case .retry(let newKey):
            effect.state = .ready
            effect.due = batch.now
            effect.earlier = effect.attempts
            if newKey { effect.round += 1 }
            batch.change(effect)
        case .skip(let result):
            end(effect, EventName.done, result, of: instance, in: &batch)
        case .cancel:
            let error: JSONObject = [
                "type": .string(Self.cancelled), "message": .string(reason ?? "somebody has cancelled it"),
                "attempts": .int(effect.attempts),
            ]
            end(effect, EventName.failed, .object(error), of: instance, in: &batch)
        }
    }

    private func end(
        _ effect: EffectRecord, _ event: String, _ data: JSONValue, of instance: LiveInstance,
        in batch: inout BatchBuilder
    ) {
        // No instance waits for the result of a call.
        guard effect.number != nil else { return batch.end(effect) }
        batch.end(effect, with: .init(event: event + effect.name, data: data, key: nil), of: instance)
    }
}

extension Rejection {
    /// Rejects a verb for an effect that the instance does not wait for.
    fileprivate static func effectNotFound(
        _ name: String, of facts: InstanceFacts, known: [String]
    ) -> Rejection {
        let list = known.prefix(5).map { "'\($0)'" }.joined(separator: ", ") + (known.count > 5 ? ", …" : "")
        return Rejection(
            .effectNotFound,
            "'\(facts.name)' waits for no effect '\(name)'" + (known.isEmpty ? "" : "; it waits for \(list)"),
            subject: .effect(name, of: facts.name, known: known))
    }

    /// Rejects a verb for an effect with another seq than expected.
    fileprivate static func otherEffect(
        _ name: String, of seq: Seq, expected: Seq, _ facts: InstanceFacts
    ) -> Rejection {
        Rejection(
            .preconditionFailed,
            "'\(name)' of '\(facts.name)' was begun by seq \(seq.rawValue), not by seq \(expected.rawValue): the one "
                + "that was shown has ended", facts: facts)
    }

    fileprivate static func effectNotWaiting(_ message: String, _ facts: InstanceFacts) -> Rejection {
        Rejection(.effectNotWaiting, message, facts: facts)
    }
}
