import Statechart
import WorkflowStore

/// The requests that write placed rows.
struct RestoredRows {
    let requests: [Request]

    init(_ rows: ExportedRows, keys: [KeyRecord], partitions: [PartitionID]) {
        let inserts = [
            MachineRecord.columns.insert(rows.machines), InstanceRecord.columns.insert(rows.instances),
            Self.tally(of: rows.instances), JournalRecord.columns.insert(rows.journal),
            KeyRecord.columns.insert(keys), SnapshotRecord.columns.insert(rows.snapshots),
            TimerRecord.columns.insert(rows.timers), EffectRecord.columns.insert(rows.effects),
            AttemptRecord.columns.insert(rows.attempts), QueueRecord.columns.insert(rows.queues),
            MachineSetting.columns.insert(rows.settings), ErasureRecord.columns.insert(rows.erasures),
            BulkRecord.columns.insert(rows.runs), RunNames.columns.insert(rows.runNames),
            PurgeRecord.columns.insert(rows.purges), AuditRecord.columns.insert(rows.deletions),
            ChangeRecord.columns.insert(rows.changes), Self.restorations(rows.restorations, partitions),
        ]
        requests = inserts.compactMap(\.self)
    }

    /// Returns the request that counts instances; `nil` for none.
    private static func tally(of instances: [InstanceRecord]) -> Request? {
        struct State: Hashable {
            let partition: PartitionID
            let key: TallyKey
        }
        var counts: [State: Int64] = [:]
        for record in instances where record.status != .purging {
            let key = TallyKey(
                machineID: record.machineID, status: record.status, configuration: record.state.configuration)
            counts[State(partition: record.id.partition, key: key), default: 0] += 1
        }
        if counts.isEmpty { return nil }
        let states = counts.map(\.self)
        return Request(counting) {
            $0.add(ArrayColumn(states.map(\.key.partition.rawValue)))
            $0.add(ArrayColumn(states.map(\.key.key.machineID.rawValue)))
            $0.add(ArrayColumn(texts: states.map(\.key.key.status.rawValue)))
            $0.add(ArrayColumn(texts: states.map(\.key.key.configuration)))
            $0.add(ArrayColumn(states.map(\.value)))
        }
    }

    /// Returns the request that writes restores, whose generations part at the same number in each partition; `nil` for
    /// none.
    private static func restorations(_ restorations: [Restoration], _ partitions: [PartitionID]) -> Request? {
        if restorations.isEmpty { return nil }
        var columns = (0..<5).map { _ in ArrayColumn(.int8) }
        for restoration in restorations {
            for partition in partitions {
                let next = Position(partition, number: restoration.next.number) ?? restoration.next
                let values = [
                    restoration.generation, partition.rawValue, restoration.parent, next.rawValue,
                    restoration.restored.rawValue,
                ]
                for (place, value) in values.enumerated() { columns[place].append(value) }
            }
        }
        return Request(parting) { parameters in
            for column in columns { parameters.add(column) }
        }
    }

    private static let counting = Statement(
        name: "restore-tally",
        sql: """
            INSERT INTO tally (partition, machine_id, status, state, n)
            SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[])
            ON CONFLICT (partition, machine_id, status, state) DO UPDATE SET n = tally.n + excluded.n
            """)

    private static let parting = Statement(
        name: "restore-generations",
        sql: """
            INSERT INTO restoration (generation, partition, parent, next_position, restored_ms)
            SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
            """)
}
