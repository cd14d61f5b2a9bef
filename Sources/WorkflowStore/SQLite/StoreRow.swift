import GRDB

/// The one row about the file itself.
struct StoreRow: Sendable {
    let uuid: UniqueID
    let generation: Int64
    let epoch: Int64
    let nextPosition: Position
    let nextInstance: InstanceID
    let last: Timestamp
    let clock: StoreClock
    let keys: KeyLedger
    let isClean: Bool

    /// Nil when the row is missing.
    static func read(_ database: Database) throws -> StoreRow? {
        var select = try PreparedStatement(
            database,
            """
            SELECT uuid, generation, epoch, next_position, next_instance, last_ms, clock, dedupe_floor, dedupe_ms,
                dedupe_count, clean
            FROM store WHERE id = 1
            """)
        return try select.first { row in
            StoreRow(
                uuid: try row.uniqueID(), generation: row.integer(), epoch: row.integer(),
                nextPosition: Position(rawValue: row.integer()), nextInstance: InstanceID(rawValue: row.integer()),
                last: Timestamp(rawValue: row.integer()),
                clock: StoreClock(rawValue: row.text()) ?? .real,
                keys: KeyLedger(
                    floor: Position(rawValue: row.integer()), forgotten: Timestamp(rawValue: row.integer()),
                    count: row.integer()),
                isClean: row.integer() == 1)
        }
    }
}
