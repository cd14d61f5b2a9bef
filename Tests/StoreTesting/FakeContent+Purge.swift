import Statechart
import WorkflowStore

// Deletions. Rows that were swept stay in `journal`, where no read finds them.

extension FakeContent {
    /// Frees the name of a deleted instance.
    mutating func free(_ instance: InstanceRecord) throws(StoreError) {
        guard instance.isWholePurge, let key = names[instance.id], instances.removeValue(forKey: key) != nil
        else { throw Self.refused("the end of an instance that is not there") }
        names[instance.id] = instance.key
        instances[instance.key] = instance
    }

    mutating func add(_ audit: AuditRecord) throws(StoreError) {
        guard let instance = names[audit.instanceID].flatMap({ instances[$0] }), instance.status == .purging,
            places[audit.position] == nil, effects[audit.position] == nil,
            purges.updateValue(Purge(head: instance.head, seq: audit.rows), forKey: instance.id) == nil
        else { throw Self.refused("what stays of an instance that is not deleted") }
        audits.append(audit)
    }

    mutating func add(_ change: ChangeRecord) throws(StoreError) {
        guard change.isPlausible, places[change.position] == nil, effects[change.position] == nil,
            !audits.contains(where: { $0.position == change.position }),
            changes.allSatisfy({
                $0.position.partition != change.position.partition || $0.position < change.position
            })
        else { throw Self.refused("a change that no engine records") }
        changes.append(change)
    }

    func audits(_ query: AuditQuery, in namespace: NamespaceID) -> AuditPage {
        func takes(_ owner: NamespaceID, _ actor: Actor?, _ at: Timestamp, _ position: Position) -> Bool {
            owner == namespace && query.takes(actor) && at >= query.since ?? at
                && query.before.map { position < $0 } ?? true
        }
        var entries: [AuditEntry] = []
        for audit in audits where query.kind == nil || query.kind == .deletion {
            if takes(audit.namespace, audit.actor, audit.at, audit.position) { entries.append(.deletion(audit)) }
        }
        for change in changes where query.kind == nil || query.kind == .change(change.action) {
            if takes(change.namespace, change.actor, change.at, change.position) { entries.append(.change(change)) }
        }
        let page = Array(entries.sorted { $0.position > $1.position }.prefix(query.limit))
        return AuditPage(entries: page, next: page.count == query.limit ? page.last?.position : nil)
    }

    func backlog(in partition: PartitionID) -> PurgeBacklog {
        var backlog = PurgeBacklog(floor: part(partition).keys.floor)
        for (id, purge) in purges where id.partition == partition {
            if purge.waits {
                backlog.waiting += 1
                backlog.firstWaiting = min(backlog.firstWaiting ?? purge.head, purge.head)
            } else {
                backlog.instances += 1
                backlog.rows += purge.seq
            }
        }
        return backlog
    }

    /// Removes as many rows as a batch orders.
    mutating func sweep(with batch: StoreBatch) throws(StoreError) {
        guard let order = batch.sweep else { return }
        let partition = batch.numbers.partition
        let floor = part(partition).keys.floor
        for _ in 0..<order.rows {
            let due = purges.filter { id, purge in id.partition == partition && (!purge.waits || purge.head < floor) }
            guard let (id, purge) = due.max(by: { $0.value.head < $1.value.head }) else { return }
            try take(id, purge, floor)
        }
    }

    private mutating func take(_ id: InstanceID, _ purge: Purge, _ floor: Position) throws(StoreError) {
        guard let place = places[purge.head] else { throw Self.refused("a history that is broken") }
        var row = journal[place]
        if purge.seq == 1, !purge.waits, row.key != nil, purge.head >= floor {
            var digests = DigestBuffer()
            if let instance = names[id].flatMap({ instances[$0] }),
                let commitment = digests.commitment(row, ChainInstance(instance))
            {
                row.salt = .redacted(commitment: commitment)
                row.data = nil
                journal[place] = row
            }
            purges[id]?.waits = true
            return
        }
        places[purge.head] = nil
        rows[id]?.removeLast()
        parts[id.partition]?.rows.removeAll { $0 == place }
        snapshots[id]?.removeAll { $0.position == purge.head }
        for (effect, told) in attempts where told.values.contains(where: { $0.instanceID == id }) {
            if effect > purge.head { attempts[effect] = nil }
        }
        if purge.seq > 1, let key = row.key.map(RequestKey.init(bytes:)), purge.head >= floor,
            keys.remove(KeyRecord(key: key, scope: .instance(id), position: purge.head)) != nil
        {
            positions[key]?[.instance(id)] = nil
            parts[id.partition]?.keys.count -= 1
        }
        guard purge.seq > 1, let previous = row.previous else {
            purges[id] = nil
            if let key = names.removeValue(forKey: id) { instances[key] = nil }
            return
        }
        purges[id] = Purge(head: previous, seq: purge.seq - 1)
    }
}
