import Statechart
import WorkflowStore

extension FakeContent {
    func machine(_ key: MachineKey, version: MachineVersion?) -> MachineRecord? {
        machines.last { $0.key == key && (version == nil || $0.version == version) }
    }

    func machine(_ id: MachineID) -> MachineRecord? { machines.first { $0.id == id } }

    func machines(in namespace: NamespaceID, after name: MachineName?, limit: Int) -> [MachineRecord] {
        let own = machines.filter { machine in
            machine.namespace == namespace && (name.map { precedes($0.rawValue, machine.name.rawValue) } ?? true)
        }
        let latest = Dictionary(own.map { ($0.name, $0) }) { _, last in last }
        return Array(latest.values.sorted { precedes($0.name.rawValue, $1.name.rawValue) }.prefix(limit))
    }

    func machineNames(in namespace: NamespaceID, limit: Int) -> [MachineName] {
        var seen: Set<MachineName> = []
        let names = machines.reversed().filter { $0.namespace == namespace }.map(\.name)
        return Array(names.filter { seen.insert($0).inserted }.prefix(limit))
    }

    func instance(_ key: InstanceKey) -> InstanceRecord? {
        guard let instance = instances[key], instance.status != .purging else { return nil }
        return instance
    }

    func instance(_ id: InstanceID) -> InstanceRecord? { names[id].flatMap { instance($0) } }

    func instanceKey(_ id: InstanceID) -> InstanceKey? { names[id] }

    /// Half from each side; what one side lacks, the other fills.
    func instanceNames(near key: InstanceKey, limit: Int) -> [InstanceName] {
        let names = instances.values
            .filter { $0.namespace == key.namespace && $0.status != .purging }
            .map(\.name).sorted { precedes($0.rawValue, $1.rawValue) }
        let before = names.prefix { precedes($0.rawValue, key.name.rawValue) }.suffix(limit)
        let after = names.drop { precedes($0.rawValue, key.name.rawValue) }.prefix(limit)
        let fewBefore = min(before.count, max(limit / 2, limit - after.count))
        return Array(before.suffix(fewBefore) + after.prefix(limit - fewBefore))
    }

    func instances(_ query: InstanceQuery, in namespace: NamespaceID) -> InstancePage {
        let all = instances.values
            .filter { namespace == $0.namespace && isWanted($0, query) }
            .sorted { precedes($0.listPosition, $1.listPosition) }
        let page = all.filter { instance in query.after.map { precedes($0, instance.listPosition) } ?? true }
        let isLast = page.count <= query.limit
        let shown = Array(page.prefix(query.limit))
        return InstancePage(instances: shown, next: isLast ? nil : shown.last?.listPosition)
    }

    private func isWanted(_ instance: InstanceRecord, _ query: InstanceQuery) -> Bool {
        guard instance.status != .purging, query.status ?? instance.status == instance.status else { return false }
        if let name = query.machine, machine(instance.machineID)?.name != name { return false }
        guard let state = query.state else { return true }
        return instance.leafPaths.contains { $0 == state || $0.hasPrefix(state + ".") }
    }

    func history(_ query: HistoryQuery) -> [JournalRecord] {
        let rows = (rows[query.instance] ?? []).lazy.map { journal[$0] }.filter { row in
            row.position <= query.head && row.seq <= query.headSeq && query.seqs.contains(row.seq.rawValue)
        }
        let limit = 1_000
        return query.isReversed ? Array(Array(rows).reversed().prefix(limit)) : Array(rows.prefix(limit))
    }

    func snapshot(of instance: InstanceID, atOrBefore seq: Seq) -> SnapshotRecord? {
        snapshots[instance]?.last { $0.seq <= seq }
    }

    func timers(in namespace: NamespaceID, after key: TimerKey?, limit: Int) -> [ListedTimer] {
        let listed = timers.sorted { $0.key < $1.key }.compactMap { timer -> ListedTimer? in
            guard let name = names[timer.instanceID], name.namespace == namespace else { return nil }
            if let key, timer.key <= key { return nil }
            return ListedTimer(timer: timer, instance: name.name)
        }
        return Array(listed.prefix(limit))
    }

    func timers(in partition: PartitionID, limit: Int) -> [TimerRecord] {
        let own = timers.filter { $0.key.position.partition == partition }
        return Array(own.sorted { $0.key < $1.key }.prefix(limit))
    }

    func row(at position: Position) -> JournalRecord? { places[position].map { journal[$0] } }

    func row(before position: Position) -> JournalRecord? {
        let own = parts[position.partition]?.rows ?? []
        return own.last { journal[$0].position < position }.map { journal[$0] }
    }

    func seq(of instance: InstanceID, before position: Position) -> Seq? {
        rows[instance]?.last { journal[$0].position < position }.map { journal[$0].seq }
    }

    func position(of key: RequestKey, in scope: KeyScope) -> Position? { positions[key]?[scope] }
}

extension InstanceRecord {
    fileprivate var listPosition: InstanceListPosition {
        InstanceListPosition(machineID: machineID, status: status, id: id)
    }
}

/// In the order of bytes.
private func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
}

private func precedes(_ left: InstanceListPosition, _ right: InstanceListPosition) -> Bool {
    (left.machineID.rawValue, left.status.rawValue, left.id.rawValue)
        < (right.machineID.rawValue, right.status.rawValue, right.id.rawValue)
}
