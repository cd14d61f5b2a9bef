import Statechart
import WorkflowStore

// Commits. Each writes a batch whole, or fails at the first thing in it that cannot be written. The caller has a copy
// to throw away.

extension FakeContent {
    /// Takes the numbers of a batch. Refuses a batch that is not made on top of the content, or has rows beyond its
    /// numbers.
    mutating func cover(_ batch: StoreBatch) throws(StoreError) {
        guard let part = parts[batch.numbers.partition] else { throw Self.refused("a partition that it has not") }
        let before = part.numbers
        guard batch.base ?? before == before else { throw Self.refused("a batch whose ground is not there") }
        let numbers = batch.numbers
        let isCovered =
            numbers.nextPosition >= before.nextPosition && numbers.nextInstance >= before.nextInstance
            && numbers.nextMachine >= before.nextMachine && numbers.last >= before.last && numbers.arePlausible
            && batch.journal.allSatisfy { $0.position >= before.nextPosition && $0.position < numbers.nextPosition }
            && batch.newEffects.allSatisfy { $0.id >= before.nextPosition && $0.id < numbers.nextPosition }
            && batch.purged.allSatisfy { $0.position >= before.nextPosition && $0.position < numbers.nextPosition }
            && batch.newInstances.allSatisfy { $0.id >= before.nextInstance && $0.id < numbers.nextInstance }
            && batch.machines.allSatisfy { $0.id < numbers.nextMachine }
        guard isCovered else { throw Self.refused("rows past the batch's own numbers") }
        parts[numbers.partition]?.numbers = numbers
    }

    /// Walks through the rows of a partition from the last place, and forgets keys until one must be kept.
    mutating func forgetKeys(with batch: StoreBatch) throws(StoreError) {
        var part = part(batch.numbers.partition)
        if let retention = batch.retention {
            let rows = part.rows.lazy.map { [journal] in journal[$0] }.drop { $0.position < part.keys.floor }
            for row in Array(rows.prefix(retention.rows)) {
                let used = part.keys.begin.time(row.real ?? row.at, of: row.position)
                let isOld = retention.oldest.map { used < $0 } ?? false
                guard isOld || part.keys.count > retention.count else { break }
                if let bytes = row.key {
                    let key = RequestKey(bytes: bytes)
                    if let time = key.time, time >= retention.newest { break }
                    if row.isRedacted, key.isText, let place = places[row.position] { journal[place].key = nil }
                    let record = KeyRecord(key: key, scope: try scope(of: row), position: row.position)
                    guard keys.remove(record) != nil else { throw Self.refused("a key to forget that is not there") }
                    positions[key]?[record.scope] = nil
                    part.keys.count -= 1
                    part.keys.forgotten = max(part.keys.forgotten, key.time ?? part.keys.forgotten)
                }
                part.keys.floor = row.position.next
            }
        }
        part.keys.count += Int64(batch.keys.count)
        parts[batch.numbers.partition] = part
    }

    /// Writes the rows of a batch.
    mutating func write(_ batch: StoreBatch) throws(StoreError) {
        let partition = batch.numbers.partition
        try checkTally(of: batch)
        for machine in batch.machines { try add(machine) }
        let deleted = batch.changedInstances.filter { $0.status == .purging }
        for instance in deleted { try free(instance) }
        for instance in batch.newInstances {
            guard instances[instance.key] == nil, names.updateValue(instance.key, forKey: instance.id) == nil
            else { throw Self.refused("an instance that is there already") }
            instances[instance.key] = instance
        }
        for instance in batch.changedInstances {
            if batch.erasure.instances.contains(instance.id) { try rename(instance) }
            guard names[instance.id] == instance.key, instance.id.partition == partition
            else { throw Self.refused("a change of an instance that is not there") }
            instances[instance.key] = instance
        }
        for row in batch.journal { try add(row, in: partition) }
        for snapshot in batch.snapshots { snapshots[snapshot.instanceID, default: []].append(snapshot) }
        try write(timersOf: batch)
        try write(effectsOf: batch)
        try write(settingsOf: batch)
        try write(runsOf: batch)
        for key in batch.keys {
            guard positions[key.key, default: [:]].updateValue(key.position, forKey: key.scope) == nil
            else { throw Self.refused("a key that was used in its scope") }
            keys.insert(key)
        }
        for audit in batch.purged { try add(audit) }
        for change in batch.changes { try add(change) }
        try erase(batch.erasure)
    }

    /// Refuses a batch whose changes of the tally are not those of its rows.
    private func checkTally(of batch: StoreBatch) throws(StoreError) {
        var counted = StoreBatch(numbers: batch.numbers)
        for instance in batch.newInstances { counted.count(instance, before: nil) }
        for instance in batch.changedInstances {
            counted.count(instance, before: names[instance.id].flatMap { instances[$0] }.map(TallyKey.init))
        }
        let (said, wanted) = (batch.tally.filter { $0.value != 0 }, counted.tally.filter { $0.value != 0 })
        guard said == wanted else { throw Self.refused("a tally that its instances do not have") }
    }

    private mutating func add(_ machine: MachineRecord) throws(StoreError) {
        let isThere = machines.contains { other in
            other.id == machine.id || (other.key == machine.key && other.version == machine.version)
        }
        if isThere { throw Self.refused("a machine version that is there already") }
        machines.append(machine)
    }

    private mutating func add(_ row: JournalRecord, in partition: PartitionID) throws(StoreError) {
        guard names[row.instanceID] != nil, row.instanceID.partition == partition
        else { throw Self.refused("a row of an instance that is not there") }
        guard places.updateValue(journal.count, forKey: row.position) == nil, effects[row.position] == nil
        else { throw Self.refused("a position that was used") }
        rows[row.instanceID, default: []].append(journal.count)
        parts[partition]?.rows.append(journal.count)
        journal.append(row)
    }

    private mutating func write(timersOf batch: StoreBatch) throws(StoreError) {
        if !batch.endedTimers.isEmpty {
            let ended = Set(batch.endedTimers)
            let before = timers.count
            timers.removeAll { ended.contains($0.key) }
            guard before - timers.count == batch.endedTimers.count
            else { throw Self.refused("the end of a timer that is not there") }
        }
        if batch.armedTimers.isEmpty { return }
        let running = Set(timers.map(\.key))
        guard Set(batch.armedTimers.map(\.key)).count == batch.armedTimers.count,
            !batch.armedTimers.contains(where: { running.contains($0.key) })
        else { throw Self.refused("a timer that is there already") }
        timers += batch.armedTimers
    }

    /// Returns the scope in which the key of a row is unique.
    private func scope(of row: JournalRecord) throws(StoreError) -> KeyScope {
        guard row.kind == .started else { return .instance(row.instanceID) }
        guard let machine = machine(row.machineID), let first = self.machine(machine.key, version: .first)
        else { throw Self.refused("the key of a machine that is not there") }
        return .machine(first.id)
    }

    static func refused(_ what: String) -> StoreError {
        StoreError(.constraint, "Cannot write \(what)")
    }
}
