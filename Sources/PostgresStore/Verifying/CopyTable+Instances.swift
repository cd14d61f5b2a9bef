import Statechart
import WorkflowJSON
import WorkflowStore

// The tables that follow from instances and their rows.

extension CopyTable {
    /// The snapshots, checked for those that no journal row calls for.
    static let snapshot = CopyTable(
        "snapshot", key: ["instance_id": .number, "seq": .number],
        columns: """
            t.position, coalesce(t.seq = j.seq AND t.instance_id = j.instance_id
                AND (t.seq % \(SnapshotRecord.interval) = 0 OR j.kind = 'redacted'), false), i.id IS NOT NULL,
            t.instance_id, t.seq
            """,
        from: """
            snapshot t LEFT JOIN journal j ON j.position = t.position LEFT JOIN instance i ON i.id = t.instance_id
            """
    ) { row, inspection in
        inspection.slice.snapshots += 1
        let (position, hasRow, hasInstance) = (try row.position(), try row.flag(), try row.flag())
        let (instance, seq) = (try row.instanceID(), try row.seq())
        guard hasInstance else {
            return Inconsistency(
                seq: seq, position: position,
                "a snapshot belongs to an instance \(instance.rawValue) that is not there")
        }
        return hasRow
            ? nil
            : Inconsistency(instance: instance, seq: seq, position: position, "there is a snapshot without its row")
    }

    /// The timers, checked for those that no instance has armed.
    static let timer = CopyTable(
        "timer", key: ["partition": .number, "due_ms": .number, "position": .number, "ordinal": .number],
        columns: "\(TimerRecord.columns.of("t")), t.partition = t.position >> 48, i.status, i.armed",
        from: "timer t LEFT JOIN instance i ON i.id = t.instance_id"
    ) { row, inspection in
        inspection.slice.timers += 1
        let (timer, isOfPartition) = (try TimerRecord(row: &row), try row.flag())
        guard let status = try row.optionalText() else {
            return Inconsistency(
                position: timer.key.position,
                "a timer belongs to an instance \(timer.instanceID.rawValue) that is not there")
        }
        func wrong(_ what: String) -> Inconsistency { Inconsistency(instance: timer.instanceID, what) }
        if !isOfPartition { return wrong("its timer '\(timer.event)' is of another partition") }
        let timers = ArmedRows(try row.text(), of: timer.instanceID)?.timers
        let isArmed = status == InstanceStatus.running.rawValue && timers?.contains(timer) ?? true
        return isArmed ? nil : wrong("there is a timer '\(timer.event)' that it has not armed")
    }

    /// The remembered keys, checked for those that no journal row was written with.
    static let key = CopyTable(
        "dedupe", key: ["key": .bytes, "scope": .number],
        columns: """
            \(KeyRecord.columns.of("t")), j.instance_id, coalesce(j.key = t.key
                AND t.scope = CASE j.kind WHEN 'started' THEN -f.id ELSE j.instance_id END, false)
            """,
        from: """
            dedupe t LEFT JOIN journal j ON j.position = t.position LEFT JOIN machine m ON m.id = j.machine_id
                LEFT JOIN machine f ON f.namespace_id = m.namespace_id AND f.name = m.name AND f.version = 1
            """,
        end: { inspection in
            guard inspection.isWhole else { return }
            for row in inspection.store.partitions {
                let found = inspection.keys[row.partition] ?? 0
                if found == row.keys.count { continue }
                inspection.slice.inconsistencies.append(
                    Inconsistency(
                        "partition \(row.partition.rawValue) says that it remembers \(row.keys.count) keys, but there "
                            + "are \(found)"))
            }
        }
    ) { row, inspection in
        inspection.slice.keys += 1
        let key = try KeyRecord(row: &row)
        let (partition, position) = (key.position.partition, key.position)
        inspection.keys[partition, default: 0] += 1
        let instance = try row.optionalInteger(in: .min ... .max).map(InstanceID.init(rawValue:))
        let floor = inspection.store.partition(partition)?.keys.floor
        guard let floor, position >= floor else {
            return Inconsistency(instance: instance, position: position, "a key is remembered that should be forgotten")
        }
        return try row.flag()
            ? nil
            : Inconsistency(
                instance: instance, position: position, "a key is remembered for a row that does not have it")
    }

    /// The instances, which are only counted here.
    static let instance = CopyTable(
        "instance", key: ["id": .number], columns: "t.id, t.machine_id, t.status, t.configuration", from: "instance t"
    ) { row, inspection in
        let (id, machine) = (try row.instanceID(), try row.integer(in: .min ... .max))
        let (status, configuration) = (try row.text(), try row.text())
        if status == InstanceStatus.purging.rawValue {
            inspection.purges.add(id)
        } else {
            inspection.tally.add(TalliedState(partition: id.partition, machine, status, configuration))
            inspection.numbers.add(id, inspection.store)
        }
        return nil
    }

    /// The counts of instances, as folded.
    static let tally = CopyTable(
        "tally", key: ["partition": .number, "machine_id": .number, "status": .text, "state": .text],
        columns: "t.partition, t.machine_id, t.status, t.state, t.n", from: "tally t"
    ) { row, inspection in
        let state = TalliedState(
            partition: try row.partitionID(), try row.integer(in: .min ... .max), try row.text(), try row.text())
        inspection.tally.add(state, times: 0 &- (try row.integer(in: .min ... .max)))
        return nil
    }

    /// The changes of the counts that are not folded yet.
    static let pendingTally = CopyTable(
        "batch", key: ["partition": .number, "number": .number], columns: "t.partition, t.tally", from: "batch t",
        end: { inspection in
            guard inspection.isWhole, !inspection.tally.isZero else { return }
            inspection.slice.miscount = Inconsistency(
                "the table 'tally' does not say how many instances are in which state")
        }
    ) { row, inspection in
        let (partition, refused) = (try row.partitionID(), row.implausible)
        guard let text = try row.optionalText() else { return nil }
        // A text that is not a list of JSON is no change of counts.
        guard case .array(let changes)? = try? JSONReader.value(from: text) else { throw refused }
        for change in changes {
            // Proof: there are four, as checked here.
            guard case .array(let values) = change, values.count == 4, case .int(let machine) = values[0],
                let status = values[1].string, let state = values[2].string, case .int(let count) = values[3]
            else { throw refused }
            inspection.tally.add(TalliedState(partition: partition, machine, status, state), times: 0 &- count)
        }
        return nil
    }
}

/// A state whose instances are counted.
private struct TalliedState: Hashable {
    let partition: PartitionID
    let machine: Int64
    let status: String
    let configuration: String

    init(partition: PartitionID, _ machine: Int64, _ status: String, _ configuration: String) {
        (self.partition, self.machine, self.status, self.configuration) = (partition, machine, status, configuration)
    }
}
