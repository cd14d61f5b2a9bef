import Statechart
import WorkflowStore

/// The statements that read the journal.
enum JournalStatements {
    static let before = JournalRecord.columns.select(
        "journal-before",
        "WHERE position >= $1::bigint AND position < $2::bigint ORDER BY position DESC LIMIT 1")

    /// The approximate size of a row in bytes.
    private static let size = "256 + coalesce(octet_length(data), 0)"

    private static var row: String { JournalRecord.columns.of("j") }

    /// The next rows of a partition. The server stops behind the row that completes the bytes, so that an answer has a
    /// bounded size. Each row comes with the bytes up to it, the name of its instance, the version of its machine, and
    /// whether it is a failed retry.
    static let slice = Statement(
        name: "journal-slice",
        sql: """
            SELECT \(row), j.bytes, i.name, m.name, m.version, j.kind = 'failed' AND (j.actor IS NOT NULL
                OR coalesce((SELECT p.kind = 'failed' FROM journal p WHERE p.position = j.previous), false))
            FROM (
                SELECT *, sum(\(size)) OVER (ORDER BY position ROWS UNBOUNDED PRECEDING)::bigint AS bytes
                FROM journal WHERE position > $2::bigint AND position <= $3::bigint ORDER BY position
                LIMIT $4::bigint
            ) j
            LEFT JOIN instance i ON i.id = j.instance_id AND i.namespace_id = $1::bigint AND i.status <> 'purging'
            LEFT JOIN machine m ON m.id = j.machine_id
            WHERE j.bytes - (\(size)) < $5::bigint ORDER BY j.position
            """)

    /// The walk along `previous` from the nearest known row at or above a page down to its last row. A snapshot has the
    /// position of its row; snapshots are at most 256 rows apart.
    private static func page(_ name: String, _ order: String) -> Statement {
        Statement(
            name: name,
            sql: """
                WITH RECURSIVE walk (at, before, number) AS (
                    SELECT position, previous, seq FROM journal WHERE instance_id = $1::bigint AND position = coalesce(
                        (SELECT s.position FROM snapshot s WHERE s.instance_id = $1::bigint
                            AND s.seq BETWEEN $3::bigint AND $4::bigint ORDER BY s.seq LIMIT 1), $5::bigint)
                    UNION ALL
                    SELECT j.position, j.previous, j.seq FROM walk JOIN journal j ON j.position = before
                    WHERE number > $2::bigint
                )
                SELECT \(JournalRecord.columns) FROM (
                    SELECT j.*, sum(\(size)) OVER (ORDER BY number \(order) ROWS UNBOUNDED PRECEDING) AS bytes
                    FROM walk JOIN journal j ON j.position = at WHERE number BETWEEN $2::bigint AND $3::bigint
                ) j WHERE bytes - (\(size)) < $6::bigint ORDER BY seq \(order)
                """)
    }

    static let newestFirst = page("history-newest", "DESC")
    static let oldestFirst = page("history-oldest", "ASC")

    /// The last row of an instance before a position, and whether it has one before; otherwise its first row.
    static let lastBefore = Statement(
        name: "last-row-before",
        sql: """
            WITH RECURSIVE walk (at, before, number) AS (
                SELECT position, previous, seq FROM journal WHERE instance_id = $1::bigint AND position = coalesce(
                    (SELECT s.position FROM snapshot s WHERE s.instance_id = $1::bigint AND s.seq <= $3::bigint
                        AND s.position >= $2::bigint ORDER BY s.seq LIMIT 1), $4::bigint)
                UNION ALL
                SELECT j.position, j.previous, j.seq FROM walk JOIN journal j ON j.position = before
                WHERE at >= $2::bigint
            )
            SELECT at, number, before FROM walk ORDER BY number LIMIT 1
            """)

    /// The next rows of an instance back from one, as far as a search for a stay needs them.
    static let stays = Statement(
        name: "stay-rows",
        sql: """
            WITH RECURSIVE walk (at, before, moment, origin, depth) AS (
                SELECT position, previous, at_ms, from_state, 1::bigint FROM journal
                WHERE instance_id = $1::bigint AND position = $2::bigint
                UNION ALL
                SELECT j.position, j.previous, j.at_ms, j.from_state, depth + 1
                FROM walk JOIN journal j ON j.position = before AND j.instance_id = $1::bigint
                WHERE depth < $3::bigint
            )
            SELECT at, before, moment, origin FROM walk ORDER BY depth
            """)
}

/// A row of `slice`.
struct FoundRow {
    let row: JournalRecord
    /// The bytes of the rows up to this one.
    let bytes: Int64
    private let instance: InstanceName?
    private let machine: MachineName
    private let version: MachineVersion
    private let isRetry: Bool

    init(_ row: inout AnswerRow) throws {
        self.row = try JournalRecord(row: &row)
        bytes = try row.count()
        instance = row.skipsNull() ? nil : try row.instanceName()
        machine = try row.machineName()
        version = try row.version()
        isRetry = try row.flag()
    }

    /// Returns the row for a listener; `nil` if it is not wanted.
    func listed(_ filter: JournalFilter) -> ListedRow? {
        guard let instance, filter.takes(machine: machine),
            filter.takes(kind: row.kind.rawValue, event: row.event, from: row.from, to: row.to)
        else { return nil }
        return ListedRow(row: row, instance: instance, machine: machine, version: version, isRetry: isRetry)
    }
}
