import GRDB

/// The one row about the file itself.
struct StoreRow: Sendable {
    let uuid: UniqueID
    let generation: Int64
    let epoch: Int64
    /// What the writer goes on from.
    let numbers: StoreNumbers
    let clock: StoreClock
    let keys: KeyLedger
    let isClean: Bool

    var nextPosition: Position { numbers.nextPosition }
    var nextInstance: InstanceID { numbers.nextInstance }
    var last: Timestamp { numbers.last }

    /// Nil when the row is missing.
    static func read(_ database: Database) throws -> StoreRow? {
        var select = try PreparedStatement(
            database,
            """
            SELECT uuid, generation, epoch, next_position, next_instance, next_machine, last_ms, clock_ms,
                clock_position, clock, dedupe_floor, dedupe_ms, dedupe_count, clean
            FROM store WHERE id = 1
            """)
        return try select.first { row in
            let (uuid, generation, epoch) = (try row.uniqueID(), row.integer(), row.integer())
            let numbers = StoreNumbers(
                nextPosition: Position(rawValue: row.integer()), nextInstance: InstanceID(rawValue: row.integer()),
                nextMachine: MachineID(rawValue: row.integer()), last: Timestamp(rawValue: row.integer()))
            let begin = ClockBegin(
                time: Timestamp(rawValue: row.integer()), position: Position(rawValue: row.integer()))
            return StoreRow(
                uuid: uuid, generation: generation, epoch: epoch, numbers: numbers,
                clock: StoreClock(rawValue: row.text()) ?? .real,
                keys: KeyLedger(
                    floor: Position(rawValue: row.integer()), forgotten: Timestamp(rawValue: row.integer()),
                    count: row.integer(), begin: begin),
                isClean: row.integer() == 1)
        }
    }
}
