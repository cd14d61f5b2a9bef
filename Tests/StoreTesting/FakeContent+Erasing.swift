import Statechart
import WorkflowStore

// The erasures of a batch.

extension FakeContent {
    mutating func erase(_ erasure: BatchErasure) throws(StoreError) {
        for (position, salt) in erasure.salts {
            guard let place = places[position], journal[place].salt == .derived
            else { throw Self.refused("a salt of a row that has its own") }
            journal[place].salt = .kept(salt)
        }
        for (position, commitment) in erasure.rows {
            guard let place = places[position], !journal[place].isRedacted
            else { throw Self.refused("what is redacted already") }
            journal[place].salt = .redacted(commitment: commitment)
            journal[place].data = nil
            journal[place].note = nil
            let isText = journal[place].key.map { RequestKey(bytes: $0).isText } ?? false
            if isText, position < part(position.partition).keys.floor { journal[place].key = nil }
        }
        for (instance, seq) in erasure.snapshots {
            guard var own = snapshots[instance], let place = own.firstIndex(where: { $0.seq == seq }) else { continue }
            let configuration = own[place].state.configuration
            own[place].state = SnapshotText(configuration: configuration, context: "{}", memory: "{}")
            own[place].salt = nil
            snapshots[instance] = own
        }
        for (instance, row) in erasure.attempts {
            let next = journal.lazy.map(\.position).filter { $0 > row }.min()
            for id in attempts.keys where id > row && next.map({ id < $0 }) ?? true {
                for (number, attempt) in attempts[id] ?? [:] where attempt.instanceID == instance {
                    attempts[id]?[number]?.error = nil
                }
            }
        }
        for id in erasure.begun { erasures[id] = nil }
        for record in erasure.records { erasures[record.id] = record }
    }

    /// Gives an instance its new name, if it has one.
    mutating func rename(_ instance: InstanceRecord) throws(StoreError) {
        guard let old = names[instance.id] else { throw Self.refused("a change of an instance that is not there") }
        if old == instance.key { return }
        guard instances[instance.key] == nil else { throw Self.refused("a name that is taken") }
        instances[instance.key] = instances.removeValue(forKey: old)
        names[instance.id] = instance.key
    }

    func erasures(after id: Int64?, limit: Int) -> [ErasureRecord] {
        let all = erasures.values.filter { record in id.map { record.id > $0 } ?? true }
        return Array(all.sorted { $0.id < $1.id }.prefix(limit))
    }
}
