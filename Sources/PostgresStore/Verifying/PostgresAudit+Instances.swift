import Statechart
import WorkflowStore

extension PostgresAudit {
    func inspectInstances(in ids: ClosedRange<Int64>) async throws(StoreError) -> InspectedInstances {
        let limit = limits.costlyRows
        return try await read { snapshot, store in
            let partition = InstanceID(rawValue: ids.lowerBound).partition
            let next = store.partition(partition).map { store.found.raised($0).nextPosition }
            var slice = InspectedInstances(
                instances: [], through: ids.upperBound, nextPosition: next ?? .beginning(of: partition).next)
            let request = Request(Self.instances) {
                for number in [ids.lowerBound, ids.upperBound, Int64(limit)] { $0.add(number) }
            }
            slice.instances = try snapshot.read(request) { answer in
                try answer.all { row in try InspectedInstance(&row) }
            }
            if slice.instances.count == limit, let last = slice.instances.last {
                slice.through = last.record.id.rawValue
            }
            var armed = ArmedInspection(slice.instances)
            try armed.compare(&slice, snapshot)
            return slice
        }
    }

    private static let instances = Statement(
        name: "audit-instances",
        sql: """
            SELECT id, machine_id, namespace_id, name, \(InstanceRecord.columns),
                namespace_id IN (SELECT n.id FROM namespace n), parent IS NULL
            FROM instance WHERE id BETWEEN $1::bigint AND $2::bigint ORDER BY instance.id LIMIT $3::bigint
            """)
}

extension InspectedInstance {
    fileprivate init(_ row: inout AnswerRow) throws {
        let numbers = try (0..<3).map { _ in try row.integer(in: .min ... .max) }
        var unreadable = InstanceRecord.columns.blank
        // Proof: as many were read above, or the read has failed.
        unreadable.id = InstanceID(rawValue: numbers[0])
        unreadable.machineID = MachineID(rawValue: numbers[1])
        unreadable.namespace = NamespaceID(rawValue: numbers[2])
        unreadable.name = InstanceName(rawValue: try row.text())
        do {
            let record = try InstanceRecord(row: &row)
            let (hasNamespace, hasNoParent) = (try row.flag(), try row.flag())
            let inconsistency =
                !hasNamespace
                ? "its namespace is missing"
                : !hasNoParent
                    ? "it has a parent, which no wfd writes"
                    : record.status == .purging && !record.isWholePurge
                        ? "its status is 'purging', but it is not what a deletion leaves" : nil
            self.init(record: record, inconsistency: inconsistency)
        } catch {
            self.init(record: unreadable, inconsistency: PostgresFailure(error).message)
        }
    }
}

/// The timers and effects that some instances wait for, compared with their tables.
private struct ArmedInspection {
    private var timers: [(place: Int, timer: TimerRecord)] = []
    private var invocations: [(place: Int, invocation: ArmedRows.Invocation)] = []
    private var unreadable: [Int] = []

    init(_ instances: [InspectedInstance]) {
        for (place, instance) in instances.enumerated() where instance.inconsistency == nil {
            let (record, status) = (instance.record, instance.record.status)
            guard status.waitsForEffects else { continue }
            guard let rows = ArmedRows(record.state.armed, of: record.id) else {
                unreadable.append(place)
                continue
            }
            if status == .running { timers += rows.timers.map { (place, $0) } }
            invocations += rows.invocations.filter { !$0.isKept }.map { (place, $0) }
        }
    }

    mutating func compare(_ slice: inout InspectedInstances, _ snapshot: Snapshot) throws {
        for place in unreadable { note(place, "its list of timers or invocations cannot be read", &slice) }
        slice.timers = timers.count
        slice.effects = invocations.count
        if !timers.isEmpty {
            let keys = timers.map(\.timer.key)
            let found = try snapshot.read(
                Request(Self.timers) {
                    $0.add(ArrayColumn(keys.map(\.position.partition.rawValue)))
                    $0.add(ArrayColumn(keys.map(\.due.rawValue)))
                    $0.add(ArrayColumn(keys.map(\.position.rawValue)))
                    $0.add(ArrayColumn(keys.map(\.ordinal)))
                }
            ) { answer in try answer.all { row in try TimerRecord(row: &row) } }
            for (place, timer) in timers where !found.contains(timer) {
                note(place, "its timer '\(timer.event)' is not in the table of timers", &slice)
            }
        }
        if !invocations.isEmpty {
            let ids = invocations.map(\.invocation.id.rawValue)
            let found = try snapshot.read(Request(Self.effects) { $0.add(ArrayColumn(ids)) }) { answer in
                try answer.all { row in
                    FoundEffect(
                        instance: try row.integer(in: .min ... .max), id: try row.integer(in: .min ... .max),
                        seq: try row.integer(in: .min ... .max),
                        number: try row.optionalInteger(in: .min ... .max), name: try row.text())
                }
            }
            let known = Set(found)
            for (place, wanted) in invocations {
                let effect = FoundEffect(
                    instance: slice.instances[place].record.id.rawValue, id: wanted.id.rawValue, seq: wanted.seq,
                    number: wanted.number, name: wanted.name)
                guard !known.contains(effect) else { continue }
                note(place, "its invocation '\(wanted.name)' is not in the table of effects", &slice)
            }
        }
    }

    /// Notes the first inconsistency of an instance.
    private func note(_ place: Int, _ what: String, _ slice: inout InspectedInstances) {
        if slice.instances[place].inconsistency == nil { slice.instances[place].inconsistency = what }
    }

    private struct FoundEffect: Hashable {
        let instance: Int64
        let id: Int64
        let seq: Int64
        let number: Int64?
        let name: String
    }

    private static let timers = Statement(
        name: "audit-armed-timers",
        sql: """
            SELECT \(TimerRecord.columns.of("t")) FROM timer t
            JOIN unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) u (p, due, place, wanted)
                ON t.partition = p AND t.due_ms = due AND t.position = place AND t.ordinal = wanted
            """)

    private static let effects = Statement(
        name: "audit-armed-effects",
        sql: "SELECT instance_id, id, seq, number, name FROM effect WHERE id = ANY ($1::bigint[])")
}
