import Statechart
import WorkflowStore

/// The rows of deleted instances, as far as a sweep has read them.
struct PurgeChains {
    /// A row that a sweep may remove, as far as it matters there.
    struct Row {
        let position: Position
        let previous: Position?
        let seq: Int64
        let key: RequestKey?
        /// True if the store remembers the key of this event.
        let isRemembered: Bool
        let kind: JournalKind
    }

    /// The rows that are read at once.
    private static let rowsAtOnce = 1_024
    /// The instances whose rows are read at once.
    private static let instancesAtOnce = 64

    /// The rows of each instance in the order of positions, so the next one to remove is the last.
    private var rows: [InstanceID: [Row]] = [:]

    /// Returns and forgets the last row of an instance; `nil` if the chain of its rows is broken.
    ///
    /// - Parameter others: The instances whose rows may be needed next, the next one last.
    mutating func removeLast(
        of place: PurgeSweep.Place, _ others: [PurgeSweep.Place], _ lookup: any RowReading
    ) throws(StoreError) -> Row? {
        if rows[place.instance, default: []].isEmpty { try load(place, others, lookup) }
        return rows[place.instance]?.popLast()
    }

    private mutating func load(
        _ place: PurgeSweep.Place, _ others: [PurgeSweep.Place], _ lookup: any RowReading
    ) throws(StoreError) {
        let more = others.suffix(Self.instancesAtOnce - 1).filter { rows[$0.instance, default: []].isEmpty }
        let places = [place] + more
        let request = Request(Self.chains) {
            $0.add(ArrayColumn(places.map(\.instance.rawValue)))
            $0.add(ArrayColumn(places.map(\.head.rawValue)))
            $0.add(ArrayColumn(places.map(\.seq)))
            $0.add(Int64(Self.rowsAtOnce / places.count))
        }
        let found = try lookup.read(request) { answer in
            try answer.all { row in (try row.instanceID(), try Row(&row)) }
        }
        for (instance, row) in found { rows[instance, default: []].append(row) }
    }

    private static let chains = Statement(
        name: "purge-chains",
        sql: """
            WITH RECURSIVE chain (id, position, previous, seq, key, kind, depth) AS (
                SELECT u.id, j.position, j.previous, j.seq, j.key, j.kind, 1::bigint
                FROM unnest($1::int8[], $2::int8[], $3::int8[]) u (id, head, seq)
                JOIN journal j ON j.position = u.head AND j.instance_id = u.id AND j.seq = u.seq
                UNION ALL
                SELECT c.id, j.position, j.previous, j.seq, j.key, j.kind, c.depth + 1
                FROM chain c JOIN journal j
                    ON j.position = c.previous AND j.instance_id = c.id AND j.seq = c.seq - 1
                WHERE c.depth < $4::bigint
            )
            SELECT id, c.position, previous, seq, c.key, d.key IS NOT NULL, kind FROM chain c
            LEFT JOIN dedupe d ON d.key = c.key AND d.scope = c.id AND d.position = c.position
            ORDER BY id, c.position
            """)
}

extension PurgeChains.Row {
    fileprivate init(_ row: inout AnswerRow) throws(PostgresFailure) {
        position = try row.position()
        previous = try row.previous(of: position)
        seq = try row.ordinal()
        key = try row.optionalBlob().map(RequestKey.init(bytes:))
        isRemembered = try row.flag()
        kind = try row.word()
    }
}
