import Statechart
import WorkflowStore

extension PostgresAudit {
    func inspectJournal(
        _ positions: ClosedRange<Int64>, of instances: ClosedRange<Int64>
    ) async throws(StoreError) -> InspectedJournal {
        let limit = Int64(limits.sliceRows)
        return try await read { snapshot, store in
            func add(_ parameters: inout Parameters, _ numbers: [Int64]) {
                for number in numbers { parameters.add(number) }
            }
            let range = [positions.lowerBound, positions.upperBound]
            let requests = [
                Request(Self.passed) { add(&$0, range + [limit, instances.upperBound]) },
                Request(Self.rows) { add(&$0, range + [limit, instances.lowerBound, instances.upperBound]) },
            ]
            var slice = InspectedJournal(through: positions.upperBound)
            var reading = JournalInspection(store: store)
            try snapshot.read(requests) { answers in
                let passed = try answers.first?.first { row in
                    (
                        count: try row.count(), last: try row.optionalInteger(in: .min ... .max),
                        above: try row.optionalInteger(in: .min ... .max)
                    )
                }
                slice.passed = Int(passed?.count ?? 0)
                slice.firstAbove = passed?.above.map(Position.init(rawValue:))
                slice.isLast = slice.passed < Int(limit)
                if !slice.isLast, let last = passed?.last { slice.through = last }
                try reading.take(answers.last, &slice)
            }
            try reading.finish(&slice, snapshot)
            let calls = Request(Self.calls) {
                add(&$0, [positions.lowerBound, slice.through, instances.lowerBound, instances.upperBound])
            }
            try reading.calls(calls, &slice, snapshot)
            return slice
        }
    }

    func inspectRows(_ positions: [Position]) async throws(StoreError) -> InspectedJournal {
        try await read { snapshot, store in
            var slice = InspectedJournal(through: .max)
            var reading = JournalInspection(store: store)
            let request = Request(Self.wanted) { $0.add(ArrayColumn(positions.map(\.rawValue))) }
            try snapshot.read(request) { answer in try reading.take(answer, &slice) }
            try reading.finish(&slice, snapshot)
            let calls = Request(Self.callsOfRows) { [rows = slice.rows] in
                $0.add(ArrayColumn(rows.map(\.instanceID.rawValue)))
                $0.add(ArrayColumn(rows.map(\.seq.rawValue)))
            }
            try reading.calls(calls, &slice, snapshot)
            return slice
        }
    }

    private static let window = """
        (SELECT * FROM journal WHERE position BETWEEN $1::bigint AND $2::bigint ORDER BY position LIMIT $3::bigint) w
        """

    private static let passed = Statement(
        name: "audit-passed",
        sql: """
            SELECT count(*), max(position), min(position) FILTER (WHERE instance_id > $4::bigint) FROM \(window)
            """)

    private static let rows = Statement(
        name: "audit-journal",
        sql: """
            SELECT position, instance_id, seq, \(JournalRecord.columns) FROM \(window)
            WHERE instance_id BETWEEN $4::bigint AND $5::bigint ORDER BY w.position
            """)

    private static let wanted = Statement(
        name: "audit-rows",
        sql: """
            SELECT j.position, j.instance_id, j.seq, \(JournalRecord.columns.of("j")) FROM journal j
            JOIN unnest($1::bigint[]) WITH ORDINALITY u (wanted, place) ON j.position = wanted ORDER BY place
            """)

    private static let calls = Statement(
        name: "audit-calls",
        sql: """
            SELECT id, instance_id FROM effect WHERE number IS NULL AND id BETWEEN $1::bigint AND $2::bigint
                AND instance_id BETWEEN $3::bigint AND $4::bigint
            """)

    private static let callsOfRows = Statement(
        name: "audit-calls-of-rows",
        sql: """
            SELECT e.id, e.instance_id FROM unnest($1::bigint[], $2::bigint[]) u (wanted, place)
            JOIN effect e ON e.instance_id = wanted AND e.seq = place WHERE e.number IS NULL
            """)
}

/// The reading of one slice of the journal.
private struct JournalInspection {
    let store: AuditedStore

    /// Takes rows, each with its position, instance and seq first.
    mutating func take(_ answer: Answer?, _ slice: inout InspectedJournal) throws {
        _ = try answer?.all { row in
            let numbers = try (0..<3).map { _ in try row.integer(in: .min ... .max) }
            do {
                slice.rows.append(try JournalRecord(row: &row))
            } catch {
                var record = JournalRecord.columns.blank
                // Proof: as many were read above, or the read has failed.
                record.position = Position(rawValue: numbers[0])
                record.instanceID = InstanceID(rawValue: numbers[1])
                record.seq = Seq(rawValue: numbers[2])
                slice.rows.append(record)
                slice.unreadable[record.position] = PostgresFailure(error).message
            }
        }
    }

    /// Reads the keys and the snapshots of the rows.
    mutating func finish(_ slice: inout InspectedJournal, _ snapshot: Snapshot) throws {
        let readable = slice.rows.filter { [unreadable = slice.unreadable] in unreadable[$0.position] == nil }
        let keyed = readable.filter { row in
            guard row.key != nil, let log = store.partition(row.position.partition) else { return false }
            return row.position >= log.keys.floor
        }
        slice.keys += keyed.count
        if !keyed.isEmpty {
            let request = Request(Self.keys) { $0.add(ArrayColumn(keyed.map(\.position.rawValue))) }
            let found = try snapshot.read(request) { answer in
                try answer.all { row in
                    (
                        row: Position(rawValue: try row.integer(in: .min ... .max)),
                        key: try row.optionalInteger(in: .min ... .max).map(Position.init(rawValue:))
                    )
                }
            }
            for (row, key) in found where row != key {
                slice.inconsistencies[row] =
                    key.map { "its key is remembered for position \($0.rawValue)" }
                    ?? "its key is not among those remembered"
            }
        }
        let marks = readable.filter {
            $0.seq.rawValue & (SnapshotRecord.interval - 1) == 0 || $0.kind == .redacted
        }
        if marks.isEmpty { return }
        let request = Request(Self.snapshots) {
            $0.add(ArrayColumn(marks.map(\.position.rawValue)))
            $0.add(ArrayColumn(marks.map(\.instanceID.rawValue)))
            $0.add(ArrayColumn(marks.map(\.seq.rawValue)))
        }
        try snapshot.read(request) { answer in
            _ = try answer.all { row in
                let position = Position(rawValue: try row.integer(in: .min ... .max))
                do {
                    slice.snapshots[position] = try SnapshotRecord(row: &row)
                } catch {
                    slice.unreadable[position] = "its snapshot: \(PostgresFailure(error).message)"
                }
            }
        }
    }

    /// Takes the effects that nobody awaits.
    func calls(_ request: Request, _ slice: inout InspectedJournal, _ snapshot: Snapshot) throws {
        let found = try snapshot.read(request) { answer in
            try answer.all { row in (try row.integer(in: .min ... .max), try row.integer(in: .min ... .max)) }
        }
        for (id, instance) in found { slice.calls[Position(rawValue: id)] = InstanceID(rawValue: instance) }
    }

    /// The rows with keys, and the positions for which their keys are remembered.
    private static let keys = Statement(
        name: "audit-row-keys",
        sql: """
            SELECT j.position, d.position FROM journal j JOIN machine m ON m.id = j.machine_id
            LEFT JOIN machine f ON f.namespace_id = m.namespace_id AND f.name = m.name AND f.version = 1
            LEFT JOIN dedupe d ON d.key = j.key
                AND d.scope = CASE j.kind WHEN 'started' THEN -f.id ELSE j.instance_id END
            WHERE j.position = ANY ($1::bigint[])
            """)

    private static let snapshots = Statement(
        name: "audit-row-snapshots",
        sql: """
            SELECT place, \(SnapshotRecord.columns.of("s")) FROM unnest($1::bigint[], $2::bigint[], $3::bigint[])
                u (place, owner, step) JOIN snapshot s ON s.instance_id = owner AND s.seq = step
            """)
}
