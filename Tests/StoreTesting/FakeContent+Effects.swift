import WorkflowStore

// Effects and their attempts.

extension FakeContent {
    /// The effects and the attempts that a batch writes.
    mutating func write(effectsOf batch: StoreBatch) throws(StoreError) {
        for id in batch.endedEffects {
            guard effects.removeValue(forKey: id) != nil
            else { throw Self.refused("the end of an effect that is not there") }
        }
        for effect in batch.newEffects {
            guard effects.updateValue(effect, forKey: effect.id) == nil, places[effect.id] == nil
            else { throw Self.refused("an effect that is there already") }
            try check(effect)
        }
        for effect in batch.changedEffects {
            guard effects.updateValue(effect, forKey: effect.id) != nil
            else { throw Self.refused("a change of an effect that is not there") }
            try check(effect)
        }
        for attempt in batch.attempts {
            guard attempt.attempt >= 1 else { throw Self.refused("an attempt that cannot be") }
            var kept = attempts[attempt.effect, default: [:]]
            kept[attempt.attempt] = attempt
            let last = kept.keys.max() ?? 0
            attempts[attempt.effect] = kept.filter { number, _ in
                number <= AttemptRecord.firstKept || number > last - AttemptRecord.lastKept
            }
        }
    }

    private func check(_ effect: EffectRecord) throws(StoreError) {
        guard EffectRecord.priorities.contains(effect.priority), !effect.queue.isEmpty, effect.seq.rawValue >= 1,
            effect.number ?? 1 >= 1, effect.attempts >= 0, effect.round >= 0,
            (effect.lease == nil) == (effect.state != .leased)
        else { throw Self.refused("an effect that cannot be") }
    }

    func readyEffects(queue: String, due: Timestamp?, limit: Int) -> [EffectRecord] {
        let ready = effects.values.filter { effect in
            effect.state == .ready && isSame(effect.queue, queue) && due.map { effect.due <= $0 } ?? true
        }
        let ordered = ready.sorted { ($0.priority, $0.due, $0.id) < ($1.priority, $1.due, $1.id) }
        return Array(ordered.prefix(limit))
    }

    func nextReady(queue: String) -> Timestamp? {
        readyEffects(queue: queue, due: nil, limit: .max).map(\.due).min()
    }

    func leasedEffects(after id: Position?, limit: Int) -> [EffectRecord] {
        let leased = effects.values.filter { effect in
            effect.state == .leased && id.map { effect.id > $0 } ?? true
        }
        return Array(leased.sorted { $0.id < $1.id }.prefix(limit))
    }

    func queues(after queue: String?, limit: Int) -> [String] {
        var queues: [String] = []
        for effect in effects.values.sorted(by: { precedes($0.queue, $1.queue) }) {
            if let queue, !precedes(queue, effect.queue) { continue }
            if let last = queues.last, isSame(last, effect.queue) { continue }
            queues.append(effect.queue)
        }
        return Array(queues.prefix(limit))
    }

    func effects(_ ids: [Position]) -> [EffectRecord] { ids.sorted().compactMap { effects[$0] } }

    func effects(_ query: EffectQuery, in namespace: NamespaceID) -> EffectPage {
        let all = effects.values.sorted { $0.id < $1.id }.compactMap { effect -> ListedEffect? in
            guard let key = names[effect.instanceID], key.namespace == namespace,
                query.queue.map({ isSame($0, effect.queue) }) ?? true, query.state ?? effect.state == effect.state,
                query.after.map({ effect.id > $0 }) ?? true
            else { return nil }
            return ListedEffect(effect: effect, instance: key.name)
        }
        let shown = Array(all.prefix(query.limit))
        return EffectPage(effects: shown, next: shown.count == all.count ? nil : shown.last?.effect.id)
    }

    func attempts(of effect: Position, instance: InstanceID) -> [AttemptRecord] {
        let kept = attempts[effect, default: [:]].values.filter { $0.instanceID == instance }
        return kept.sorted { $0.attempt < $1.attempt }
    }
}

private func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

/// In the order of bytes.
private func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
}
