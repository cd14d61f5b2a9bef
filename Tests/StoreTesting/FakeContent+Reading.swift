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

    func instanceKey(_ id: InstanceID) -> InstanceKey? { instance(id)?.key }

    /// Returns names, half from each side. If one side lacks names, the other fills the list.
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
        let all = instances.values.filter { namespace == $0.namespace && isWanted($0, query) }
        guard let order = query.order else {
            let sorted = all.sorted { precedes($0.place, $1.place) }
            return page(sorted, query) {
                .found($0.place)
            } isBehind: {
                precedes($0.found, $1.found)
            }
        }
        let sorted = all.sorted { $0.rank(order) < $1.rank(order) }
        return page(sorted, query) {
            .ranked($0.rank(order))
        } isBehind: { before, now in
            guard case .ranked(let before) = before, case .ranked(let now) = now else { return false }
            return before < now
        }
    }

    private func page(
        _ all: [InstanceRecord], _ query: InstanceQuery, position: (InstanceRecord) -> InstanceListPosition,
        isBehind: (InstanceListPosition, InstanceListPosition) -> Bool
    ) -> InstancePage {
        var examination = InstanceExamination()
        let rest = all.filter { instance in query.after.map { isBehind($0, position(instance)) } ?? true }
        let page = rest.filter { isExamined($0, query, &examination) }
        let isLast = page.count <= query.limit
        let shown = Array(page.prefix(query.limit))
        var found = InstancePage(instances: shown, next: isLast ? nil : shown.last.map(position))
        found.examination = examination
        return found
    }

    func isExamined(
        _ instance: InstanceRecord, _ query: InstanceQuery, _ examination: inout InstanceExamination
    ) -> Bool {
        guard let condition = query.condition, let machine = machine(instance.machineID) else { return true }
        return examination.takes(
            ExaminedInstance(instance, machine: machine.name, version: machine.version), by: condition)
    }

    private func isWanted(_ instance: InstanceRecord, _ query: InstanceQuery) -> Bool {
        guard instance.status != .purging, query.takes(instance.status) else { return false }
        guard machine(instance.machineID).map({ query.takes($0.name, $0.version) }) ?? query.takesAllMachines else {
            return false
        }
        guard query.takes(name: instance.name.rawValue), query.takes(updated: instance.updated) else { return false }
        return query.takes(
            configuration: instance.state.configuration, entered: instance.entered, failure: instance.failure,
            error: InvocationError(armed: instance.state.armed))
    }

    func tally(_ query: TallyQuery, in namespace: NamespaceID) -> [TallyRecord] {
        let own = instances.values.filter { $0.namespace == namespace && $0.status != .purging }
        let counts = Dictionary(grouping: own, by: TallyKey.init).mapValues(\.count)
        let sorted = counts.sorted { precedes($0.key, $1.key) }.compactMap { key, count -> TallyRecord? in
            guard let machine = machine(key.machineID), query.takes(machine.name) else {
                return nil
            }
            if let after = query.after, !precedes(after, key) { return nil }
            if let bound = query.semanticsBelow, machine.semantics >= bound { return nil }
            return TallyRecord(
                key: key, machine: machine.name, version: machine.version, semantics: machine.semantics,
                count: Int64(count))
        }
        return Array(sorted.prefix(query.limit))
    }

    func oldestRunning(in namespace: NamespaceID, atMost bound: Int) -> [OldestInState] {
        let running = instances.values.filter { $0.namespace == namespace && $0.status == .running }
        let groups = Dictionary(grouping: running, by: TallyKey.init)
        return groups.prefix(bound).compactMap { key, own in
            own.map(\.entered).min().map {
                OldestInState(machineID: key.machineID, configuration: key.configuration, entered: $0)
            }
        }
    }

    func history(_ query: HistoryQuery) -> [JournalRecord] {
        let rows = (rows[query.instance] ?? []).lazy.map { journal[$0] }.filter { row in
            row.position <= query.head && row.seq <= query.headSeq && query.seqs.contains(row.seq.rawValue)
        }
        let limit = 1_000
        return query.isReversed ? Array(Array(rows).reversed().prefix(limit)) : Array(rows.prefix(limit))
    }

    func snapshot(of instance: InstanceID, atOrBefore seq: Seq) -> SnapshotRecord? {
        snapshots[instance]?.last { $0.seq <= seq && $0.salt != nil }
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

    func journal(_ query: JournalQuery, in namespace: NamespaceID) -> JournalSlice {
        let own = (parts[query.after.partition]?.rows ?? []).map { journal[$0] }.filter { row in
            row.position > query.after && query.through.map { row.position <= $0 } ?? true
        }
        var slice = JournalSlice(through: query.after, isLast: query.through == nil)
        var bytes = 0
        for row in own.sorted(by: { $0.position < $1.position }) {
            if bytes >= query.bytes {
                slice.isLast = false
                return slice
            }
            slice.through = row.position
            guard let listed = listed(row, query.filter, in: namespace) else { continue }
            slice.rows.append(listed)
            bytes += 256 + (row.data?.utf8.count ?? 0)
        }
        if let through = query.through { slice.through = through }
        return slice
    }

    private func listed(_ row: JournalRecord, _ filter: JournalFilter, in namespace: NamespaceID) -> ListedRow? {
        guard let instance = instance(row.instanceID), instance.namespace == namespace,
            let machine = machine(row.machineID)
        else { return nil }
        let before = row.previous.flatMap { self.row(at: $0) }
        let isRetry = row.kind == .failed && (row.actor != nil || before?.kind == .failed)
        guard filter.takes(machine: machine.name),
            filter.takes(kind: row.kind.rawValue, event: row.event, from: row.from, to: row.to)
        else { return nil }
        return ListedRow(
            row: row, instance: instance.name, machine: machine.name, version: machine.version, isRetry: isRetry)
    }

    func seq(of instance: InstanceID, before position: Position) -> Seq? {
        rows[instance]?.last { journal[$0].position < position }.map { journal[$0].seq }
    }

    func position(of key: RequestKey, in scope: KeyScope) -> Position? { positions[key]?[scope] }
}

extension InstanceRecord {
    fileprivate var place: InstanceListPlace { InstanceListPlace(machineID: machineID, status: status, id: id) }

    fileprivate func rank(_ order: InstanceOrder) -> InstanceRank {
        InstanceRank(order, id: id, entered: entered, updated: updated, name: name.rawValue)
    }
}

/// Returns true if a text is before another in the order of bytes.
private func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
}

private func precedes(_ left: TallyKey, _ right: TallyKey) -> Bool {
    if left.machineID != right.machineID { return left.machineID < right.machineID }
    if left.status != right.status { return precedes(left.status.rawValue, right.status.rawValue) }
    return precedes(left.configuration, right.configuration)
}

private func precedes(_ left: InstanceListPlace?, _ right: InstanceListPlace?) -> Bool {
    guard let left, let right else { return false }
    return (left.machineID.rawValue, left.status.rawValue, left.id.rawValue)
        < (right.machineID.rawValue, right.status.rawValue, right.id.rawValue)
}
