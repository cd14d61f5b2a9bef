import WorkflowStore

/// The last row of a partition's log, as far as its owner knows.
struct LogRow: Equatable {
    let partition: PartitionID
    /// The number of the row, from 1.
    var number: Int64
    /// The 16 bytes of the owner; none for a partition that nobody has taken yet.
    var owner: [UInt8]
    /// The partition's numbers after the batch.
    var numbers: StoreNumbers
    var keys: KeyLedger
    /// The position from which every journal row is still there.
    var purgeFloor: Position
    /// The time before which no timer is due.
    var timerFloor: Timestamp

    /// True for an empty batch that was appended to find out an outcome.
    var settles = false
    /// The batch's changes of the counts as JSON; `nil` for none. Not read here.
    var tally: String?

    /// The columns that are numbers, in the order of `columnNumbers`.
    static let numberColumns = [
        "partition", "number", "next_position", "next_instance", "next_machine", "last_ms", "clock_ms",
        "clock_position", "dedupe_floor", "dedupe_ms", "dedupe_count", "purge_floor", "timer_floor",
    ]

    /// The columns in the order in which they are read.
    static let columns = (numberColumns + ["settles", "owner"]).joined(separator: ", ")

    private static let last = Statement(
        name: "last-batches",
        sql: """
            SELECT \(columns) FROM unnest($1::bigint[]) w (wanted) CROSS JOIN LATERAL (
                SELECT * FROM batch WHERE partition = wanted ORDER BY partition DESC, number DESC LIMIT 1
            ) b ORDER BY partition
            """)

    /// Returns the request that reads the last rows of partitions, in the order of partitions.
    static func lasts(_ partitions: [PartitionID]) -> Request {
        Request(last) { $0.add(ArrayColumn(partitions.map(\.rawValue))) }
    }

    /// Returns the error of a partition without a row.
    static func missing(_ partition: PartitionID) -> StoreError {
        StoreError(.corrupt, "Cannot use partition \(partition.rawValue): its log is empty; restore a backup")
    }

    /// Reads the columns.
    init(_ row: inout AnswerRow) throws(PostgresFailure) {
        partition = PartitionID(rawValue: try row.integer(in: PartitionID.range))
        number = try row.integer(in: StoreNumbers.range)
        let next = Position(rawValue: try row.number(in: partition))
        numbers = StoreNumbers(
            nextPosition: next, nextInstance: InstanceID(rawValue: try row.number(in: partition)),
            nextMachine: MachineID(rawValue: try row.integer(in: StoreNumbers.range)), last: try row.time())
        let clock = try row.time()
        let clockPosition = try row.floor(below: next)
        let floor = try row.floor(below: next)
        // A UUID has 48 bits for its time.
        let forgotten = Timestamp(rawValue: try row.integer(in: 0...(1 << 48)))
        keys = KeyLedger(
            floor: floor, forgotten: forgotten, count: try row.integer(in: 0...(1 << 48)),
            begin: ClockBegin(time: clock, position: clockPosition))
        purgeFloor = try row.floor(below: next)
        timerFloor = try row.time()
        settles = try row.flag()
        owner = try row.blob(of: 0...16)
    }

    /// The values of `numberColumns`.
    var columnNumbers: [Int64] {
        [
            partition.rawValue, number, numbers.nextPosition.rawValue, numbers.nextInstance.rawValue,
            numbers.nextMachine.rawValue, numbers.last.rawValue, keys.begin.time.rawValue,
            keys.begin.position.rawValue, keys.floor.rawValue, keys.forgotten.rawValue, keys.count,
            purgeFloor.rawValue, timerFloor.rawValue,
        ]
    }

    /// Returns this state as the row after another one.
    func appended(to base: LogRow, by owner: [UInt8]) -> LogRow {
        var row = self
        (row.number, row.owner, row.settles) = (base.number + 1, owner, false)
        return row
    }
}

extension AnswerRow {
    /// Reads a position or the id of an instance that belongs to a partition.
    mutating func number(in partition: PartitionID) throws(PostgresFailure) -> Int64 {
        let values = partition.rawValues
        return try integer(in: values.lowerBound + 1...values.upperBound)
    }

    /// Reads a position that is at most the next one of its partition.
    fileprivate mutating func floor(below next: Position) throws(PostgresFailure) -> Position {
        Position(rawValue: try integer(in: next.partition.rawValues.lowerBound + 1...next.rawValue))
    }

    mutating func time() throws(PostgresFailure) -> Timestamp {
        Timestamp(rawValue: try integer(in: Timestamp.range))
    }
}
