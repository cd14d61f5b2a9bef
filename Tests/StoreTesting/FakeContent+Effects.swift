import WorkflowStore

// Effects and their attempts.

extension FakeContent {
    /// Writes the effects and the attempts of a batch.
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
        for queue in batch.changedQueues {
            let settings = queue.settings
            guard !queue.name.isEmpty, settings.concurrency ?? 0 >= 0, settings.rate ?? 1 >= 1,
                (settings.rate == nil) == (settings.rateMilliseconds == nil), settings.rateMilliseconds ?? 1 >= 1
            else { throw Self.refused("a queue that cannot be") }
            queues[queue.name] = settings == .standard ? nil : queue
        }
        isHeld = batch.isHeld ?? isHeld
    }

    private func check(_ effect: EffectRecord) throws(StoreError) {
        guard EffectRecord.priorities.contains(effect.priority), !effect.queue.isEmpty, effect.seq.rawValue >= 1,
            effect.number ?? 1 >= 1, effect.attempts >= 0, effect.earlier >= 0, effect.round >= 0,
            (effect.lease == nil) == (effect.state != .leased)
        else { throw Self.refused("an effect that cannot be") }
    }

    func readyEffects(
        in partition: PartitionID, queue: String, due: Timestamp?, limit: Int,
        except isLeftOut: (Position) -> Bool = { _ in false }
    ) -> [EffectRecord] {
        let ready = effects.values.filter { effect in
            effect.id.partition == partition && effect.state == .ready && isSame(effect.queue, queue)
                && due.map { effect.due <= $0 } ?? true
                && !isLeftOut(effect.id)
        }
        let ordered = ready.sorted { ($0.priority, $0.due, $0.id) < ($1.priority, $1.due, $1.id) }
        return Array(ordered.prefix(limit))
    }

    func nextReady(in partition: PartitionID, queue: String, after time: Timestamp?) -> Timestamp? {
        readyEffects(in: partition, queue: queue, due: nil, limit: .max).map(\.due)
            .filter { due in time.map { due > $0 } ?? true }.min()
    }

    func effects(in partition: PartitionID, _ state: EffectState, after id: Position?, limit: Int) -> [EffectRecord] {
        let found = effects.values.filter { effect in
            effect.id.partition == partition && effect.state == state && id.map { effect.id > $0 } ?? true
        }
        return Array(found.sorted { $0.id < $1.id }.prefix(limit))
    }

    func queueRecords(after queue: String?, limit: Int) -> [QueueRecord] {
        let all = queues.values.sorted { precedes($0.name, $1.name) }
        return Array(all.filter { record in queue.map { precedes($0, record.name) } ?? true }.prefix(limit))
    }

    func queues(_ query: QueueQuery) -> [QueueSummary] {
        let names = Set(effects.values.map(\.queue) + queues.keys).sorted(by: precedes)
        let shown = names.filter { name in query.after.map { precedes($0, name) } ?? true }.prefix(query.limit)
        return shown.map { name in
            let own = effects.values.filter { isSame($0.queue, name) }
            func count(_ state: EffectState, _ isMeant: (EffectRecord) -> Bool = { _ in true }) -> Int {
                min(query.bound, own.count { $0.state == state && isMeant($0) })
            }
            var summary = QueueSummary(name: name)
            summary.ready = count(.ready) { $0.due <= query.now }
            summary.waiting = count(.ready) { $0.due > query.now }
            summary.leased = count(.leased)
            summary.failed = count(.failed)
            summary.held = count(.held)
            summary.answered = count(.answered)
            summary.oldestDue = own.filter { $0.state == .ready && !query.running.contains($0.id) }.map(\.due).min()
            summary.record = queues[name]
            return summary
        }
    }

    func queues(in partition: PartitionID, after queue: String?, limit: Int) -> [String] {
        var queues: [String] = []
        let own = effects.values.filter { $0.id.partition == partition }
        for effect in own.sorted(by: { precedes($0.queue, $1.queue) }) {
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
                query.takes(queue: effect.queue, state: effect.state.rawValue),
                query.after.map({ effect.id > $0 }) ?? true
            else { return nil }
            return ListedEffect(effect: effect, instance: key.name)
        }
        let shown = Array(all.prefix(query.limit))
        return EffectPage(effects: shown, next: shown.count == all.count ? nil : shown.last?.effect.id)
    }

    func calls(behind head: Position) -> [Position] {
        let instance = journal.first { $0.position == head }?.instanceID
        return effects.values.filter { $0.instanceID == instance && $0.number == nil }.map(\.id).sorted()
    }

    func attempts(behindRowsFrom row: Position, limit: Int) -> AttemptPage {
        var page = AttemptPage()
        page.next = row
        while let place = page.next, page.attempts.count < limit {
            guard let row = journal.first(where: { $0.position == place }) else { return AttemptPage() }
            let end = journal.first { $0.position > place }?.position ?? Position(rawValue: .max)
            for effect in attempts.keys.filter({ $0 > place && $0 < end }).sorted() {
                for attempt in attempts(of: effect, instance: row.instanceID) {
                    page.attempts.append(ListedAttempt(attempt, seq: row.seq))
                }
            }
            page.next = row.previous
        }
        return page
    }

    func attempts(of effect: Position, instance: InstanceID) -> [AttemptRecord] {
        let kept = attempts[effect, default: [:]].values.filter { $0.instanceID == instance }
        return kept.sorted { $0.attempt < $1.attempt }
    }
}

private func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

/// Returns true if a text is before another in the order of bytes.
private func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
}
