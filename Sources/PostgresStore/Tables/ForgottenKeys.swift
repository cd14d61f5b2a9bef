import Statechart
import WorkflowStore

/// The keys that a batch forgets: a walk through a partition's journal from the last stop, until a key must be kept.
struct ForgottenKeys {
    private(set) var ledger: KeyLedger
    private var keys: [KeyRecord] = []
    /// The redacted rows that lose their text keys.
    private var texts: [Position] = []
    /// The time of the row at the floor, if it is too young; `nil` if another reason ended the walk.
    private(set) var kept: Timestamp?

    init(_ ledger: KeyLedger) {
        self.ledger = ledger
    }

    /// A row of the journal, as far as it matters here.
    struct Row {
        let position: Position
        let used: Timestamp
        let isRedacted: Bool
        let key: RequestKey?
        let scope: KeyScope

        /// Reads the columns of `rows`.
        init(_ row: inout AnswerRow) throws {
            position = try row.position()
            let instance = try row.instanceID()
            used = try row.time()
            let isStart = try row.flag()
            isRedacted = try row.flag()
            key = try row.optionalBlob().map(RequestKey.init(bytes:))
            scope = isStart ? .machine(try row.machineID()) : .instance(instance)
        }
    }

    /// Returns the request that reads the rows from the ledger's floor.
    func rows(_ retention: KeyRetention) -> Request {
        Request(Self.rows) {
            $0.add(ledger.floor.rawValue)
            $0.add(ledger.floor.partition.rawValues.upperBound)
            $0.add(Int64(retention.rows))
        }
    }

    /// Forgets the keys of rows until a key must be kept.
    mutating func take(_ rows: [Row], _ retention: KeyRetention) {
        for row in rows {
            let used = ledger.begin.time(row.used, of: row.position)
            let isOld = retention.oldest.map { used < $0 } ?? false
            guard isOld || ledger.count > retention.count else {
                kept = used
                return
            }
            if let key = row.key {
                // A forgotten key with so recent a time would be accepted as a new key.
                if let time = key.time, time >= retention.newest { return }
                if row.isRedacted, key.isText { texts.append(row.position) }
                keys.append(KeyRecord(key: key, scope: row.scope, position: row.position))
                ledger.count -= 1
                ledger.forgotten = max(ledger.forgotten, key.time ?? ledger.forgotten)
            }
            ledger.floor = row.position.next
        }
    }

    /// The requests that delete the keys, all of which must be there.
    var requests: [Request] {
        let emptying = Request(Self.emptying) { $0.add(ArrayColumn(texts.map(\.rawValue))) }
        return [KeyRecord.delete(keys), texts.isEmpty ? nil : emptying].compactMap(\.self)
    }

    private static let rows = Statement(
        name: "rows-with-keys",
        sql: """
            SELECT j.position, j.instance_id, coalesce(j.real_ms, j.at_ms), j.kind = 'started',
                coalesce(length(j.salt) = 0, false), j.key, first.id
            FROM journal j LEFT JOIN machine m ON m.id = j.machine_id
            LEFT JOIN machine first
                ON first.namespace_id = m.namespace_id AND first.name = m.name AND first.version = 1
            WHERE j.position >= $1::bigint AND j.position <= $2::bigint ORDER BY j.position LIMIT $3::bigint
            """)

    private static let emptying = Statement(
        name: "empty-key", sql: "UPDATE journal SET key = NULL FROM unnest($1::int8[]) u (row) WHERE position = u.row")
}
