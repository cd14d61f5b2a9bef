import GRDB
import WorkflowStore

/// The one row about the file itself.
struct StoreRow: Sendable {
    let uuid: UniqueID
    let generation: Int64
    let epoch: Int64
    /// What the writer goes on from.
    let numbers: StoreNumbers
    let clock: StoreClock
    let keys: KeyLedger
    let purgeFloor: Position
    let isClean: Bool
    let isHeld: Bool

    var nextPosition: Position { numbers.nextPosition }
    var nextInstance: InstanceID { numbers.nextInstance }
    var last: Timestamp { numbers.last }

    static var missing: SQLiteFailure { .damage("its row in 'store' is missing") }

    /// Nil when the row is missing; throws for one that no wfd writes.
    static func read(_ database: Database) throws -> StoreRow? {
        var select = try PreparedStatement(
            database, "SELECT \(columns.joined(separator: ", ")), uuid, clock FROM store WHERE id = 1")
        return try select.first { row in
            var values: [Int64] = []
            for column in columns { values.append(try row.integer(in: bounds(column, values.first ?? 1))) }
            let uuid = try row.uniqueID()
            guard let clock = StoreClock(rawValue: try row.text()) else { throw row.implausible }
            return StoreRow(uuid: uuid, clock: clock, values)
        }
    }

    /// Refuses a store of another clock.
    func require(_ wanted: StoreClock, of file: StoreFile) throws(StoreError) {
        if clock == wanted { return }
        let why =
            switch wanted {
            case .virtual:
                "its events have real times, and would be mixed with made-up ones; make a copy for it with "
                    + "'wfctl backup' and 'wfd restore --clock virtual'"
            case .real: "its events have times of a virtual clock; serve it with '--clock virtual'"
            }
        throw StoreError(.otherClock, "Cannot open '\(file.given)' on the \(wanted) clock: \(why)")
    }

    static let generations: ClosedRange<Int64> = 1...Int64(Int32.max)

    private static let columns = [
        "next_position", "next_instance", "next_machine", "last_ms", "generation", "epoch", "clock_ms",
        "clock_position", "dedupe_floor", "dedupe_ms", "dedupe_count", "purge_floor", "clean",
        "held",
    ]

    /// - Parameter values: Of `columns`, in their order.
    private init(uuid: UniqueID, clock: StoreClock, _ values: [Int64]) {
        self.uuid = uuid
        self.clock = clock
        numbers = StoreNumbers(
            // Proof: there is a value for each column.
            nextPosition: Position(rawValue: values[0]), nextInstance: InstanceID(rawValue: values[1]),
            nextMachine: MachineID(rawValue: values[2]), last: Timestamp(rawValue: values[3]))
        generation = values[4]
        epoch = values[5]
        keys = KeyLedger(
            floor: Position(rawValue: values[8]), forgotten: Timestamp(rawValue: values[9]), count: values[10],
            begin: ClockBegin(time: Timestamp(rawValue: values[6]), position: Position(rawValue: values[7])))
        purgeFloor = Position(rawValue: values[11])
        isClean = values[12] == 1
        isHeld = values[13] == 1
    }

    /// What a column may hold. What counts with it afterwards cannot overflow.
    private static func bounds(_ column: String, _ nextPosition: Int64) -> ClosedRange<Int64> {
        switch column {
        case "next_position", "next_instance", "next_machine": StoreNumbers.range
        case "last_ms", "clock_ms": Timestamp.range
        case "generation": generations
        case "epoch": 0...Int64(Int32.max)
        case "clock_position", "dedupe_floor", "purge_floor": 1...max(1, nextPosition)
        // 48 bits of a UUID.
        case "dedupe_ms": 0...(1 << 48)
        case "dedupe_count": 0...(1 << 48)
        default: 0...1
        }
    }
}
