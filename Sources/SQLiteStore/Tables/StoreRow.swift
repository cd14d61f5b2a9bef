import GRDB
import WorkflowStore

/// The single row that describes the file itself.
struct StoreRow: Sendable {
    private(set) var uuid: UniqueID
    private(set) var generation: Int64
    private(set) var epoch: Int64
    /// The numbers that the writer continues from.
    private(set) var numbers: StoreNumbers
    private(set) var clock: StoreClock
    private(set) var keys: KeyLedger
    private(set) var purgeFloor: Position
    private(set) var isClean: Bool
    private(set) var isHeld: Bool

    var nextPosition: Position { numbers.nextPosition }
    var nextInstance: InstanceID { numbers.nextInstance }
    var last: Timestamp { numbers.last }

    static var missing: SQLiteFailure { .damage("its row in 'store' is missing") }

    /// Reads the row; returns `nil` if it is missing, and throws if no wfd writes such a row.
    static func read(_ database: Database) throws -> StoreRow? { try first(database, "WHERE id = 1") }

    /// Throws if the store has another clock.
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
}

extension StoreRow: TableRow {
    static let columns = Columns(
        of: "store",
        blank: StoreRow(
            uuid: InstanceRecord.columns.blank.uuid, generation: 1, epoch: 0,
            numbers: StoreNumbers(
                nextPosition: Position(rawValue: 1), nextInstance: InstanceID(rawValue: 1),
                nextMachine: MachineID(rawValue: 1), last: Timestamp(rawValue: 0)),
            clock: .real,
            keys: KeyLedger(
                floor: Position(rawValue: 1), forgotten: Timestamp(rawValue: 0), count: 0,
                begin: ClockBegin(time: Timestamp(rawValue: 0), position: Position(rawValue: 1))),
            purgeFloor: Position(rawValue: 1), isClean: false, isHeld: false))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("next_position", row.numbers.nextPosition) { $0.numbers.nextPosition = try $1.position() }
        try column("next_instance", row.numbers.nextInstance) { $0.numbers.nextInstance = try $1.instanceID() }
        try column("next_machine", row.numbers.nextMachine) { $0.numbers.nextMachine = try $1.machineID() }
        try column("last_ms", row.numbers.last) { $0.numbers.last = try $1.time() }
        try column("generation", row.generation) { $0.generation = try $1.integer(in: generations) }
        try column("epoch", row.epoch) { $0.epoch = try $1.integer(in: 0...Int64(Int32.max)) }
        try column("clock_ms", row.keys.begin.time) { $0.keys.begin.time = try $1.time() }
        try column("clock_position", row.keys.begin.position) { $0.keys.begin.position = try $1.floor(of: $0) }
        try column("dedupe_floor", row.keys.floor) { $0.keys.floor = try $1.floor(of: $0) }
        try column("dedupe_ms", row.keys.forgotten) { $0.keys.forgotten = Timestamp(rawValue: try $1.bits48()) }
        try column("dedupe_count", row.keys.count) { $0.keys.count = try $1.bits48() }
        try column("purge_floor", row.purgeFloor) { $0.purgeFloor = try $1.floor(of: $0) }
        try column("clean", row.isClean) { $0.isClean = try $1.flag() }
        try column("held", row.isHeld) { $0.isHeld = try $1.flag() }
        try column("uuid", row.uuid) { $0.uuid = try $1.uniqueID() }
        try column("clock", row.clock) { $0.clock = try $1.word() }
    }
}

extension StatementRow {
    /// Reads a position that is at most the next one.
    fileprivate mutating func floor(of row: StoreRow) throws(SQLiteFailure) -> Position {
        Position(rawValue: try integer(in: 1...max(1, row.nextPosition.rawValue)))
    }

    /// Reads a number up to 2^48; a UUID has 48 bits for its time.
    fileprivate mutating func bits48() throws(SQLiteFailure) -> Int64 { try integer(in: 0...(1 << 48)) }
}
