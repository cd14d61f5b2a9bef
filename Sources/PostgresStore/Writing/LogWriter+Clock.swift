import WorkflowStore

extension LogWriter {
    /// Does `StoreWriter.acceptClock` for all owned partitions.
    func acceptClock(_ now: Timestamp, by actor: Actor?) throws(StoreError) -> AcceptedClock {
        var next = rows
        var changes: [ChangeRecord] = []
        for (partition, row) in rows {
            let begin = ClockBegin(time: now, position: row.numbers.nextPosition)
            next[partition]?.keys = row.keys.accepting(begin)
            next[partition]?.numbers.last = now
            marks[partition]?.kept = nil
            // The first partition has the records of the whole store.
            guard partition == .first else { continue }
            let change = ChangeRecord(acceptingClock: now, by: actor, after: row.numbers)
            next[partition]?.numbers.nextPosition = change.position.next
            changes.append(change)
        }
        try commit(next.values.map(\.self), with: [ChangeRecord.columns.insert(changes)].compactMap(\.self))
        return try read(Request(Self.ahead) { $0.add(now.rawValue) }) { answer in
            var accepted = AcceptedClock(ahead: 0, names: [])
            for (name, count) in try answer.all({ row in (try row.instanceName(), try row.ordinal()) }) {
                accepted.names.append(name)
                accepted.ahead = Int(count)
            }
            return accepted
        }
    }

    /// The first running instances whose last row has a later time, and the number of all.
    private static let ahead = Statement(
        name: "instances-ahead",
        sql: """
            SELECT name, count(*) OVER () FROM instance WHERE updated_ms > $1::bigint AND status = 'running'
            ORDER BY id LIMIT 3
            """)
}
