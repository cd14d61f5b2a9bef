import Statechart
import WorkflowStore

// Each column is read through a check of its range, so that later arithmetic cannot overflow.

extension StatementRow {
    mutating func integer(in range: ClosedRange<Int64>) throws(SQLiteFailure) -> Int64 {
        let number = integer()
        guard range.contains(number) else { throw implausible }
        return number
    }

    mutating func optionalInteger(in range: ClosedRange<Int64>) throws(SQLiteFailure) -> Int64? {
        if isNull { return skipNull() }
        return try integer(in: range)
    }

    /// Reads a number that counts from 1.
    mutating func ordinal() throws(SQLiteFailure) -> Int64 { try integer(in: StoreNumbers.range) }

    /// Reads a number that counts from 0.
    mutating func count() throws(SQLiteFailure) -> Int64 { try integer(in: 0...StoreNumbers.range.upperBound) }

    mutating func time() throws(SQLiteFailure) -> Timestamp {
        Timestamp(rawValue: try integer(in: Timestamp.range))
    }

    mutating func optionalTime() throws(SQLiteFailure) -> Timestamp? {
        if isNull { return skipNull() }
        return try time()
    }

    /// Reads a time by the column's index, from 0; does not advance.
    func time(at index: CInt) throws(SQLiteFailure) -> Timestamp {
        let number = integer(at: index)
        guard Timestamp.range.contains(number) else { throw implausible(at: index) }
        return Timestamp(rawValue: number)
    }

    mutating func flag() throws(SQLiteFailure) -> Bool { try integer(in: 0...1) == 1 }

    mutating func position() throws(SQLiteFailure) -> Position { Position(rawValue: try ordinal()) }

    mutating func optionalPosition() throws(SQLiteFailure) -> Position? {
        if isNull { return skipNull() }
        return try position()
    }

    /// Reads the position of the same instance's row before `position`. The position read is lower, so following the
    /// rows ends.
    mutating func previous(of position: Position) throws(SQLiteFailure) -> Position? {
        guard let previous = try optionalPosition() else { return nil }
        guard previous < position else { throw implausible }
        return previous
    }

    mutating func seq() throws(SQLiteFailure) -> Seq { Seq(rawValue: try ordinal()) }

    mutating func optionalSeq() throws(SQLiteFailure) -> Seq? {
        if isNull { return skipNull() }
        return try seq()
    }

    mutating func instanceID() throws(SQLiteFailure) -> InstanceID { InstanceID(rawValue: try ordinal()) }

    mutating func machineID() throws(SQLiteFailure) -> MachineID { MachineID(rawValue: try ordinal()) }

    mutating func version() throws(SQLiteFailure) -> MachineVersion { MachineVersion(rawValue: try ordinal()) }

    mutating func optionalVersion() throws(SQLiteFailure) -> MachineVersion? {
        try optionalInteger(in: StoreNumbers.range).map(MachineVersion.init(rawValue:))
    }

    mutating func namespaceID() throws(SQLiteFailure) -> NamespaceID { NamespaceID(rawValue: try ordinal()) }

    /// Reads a namespace without a check.
    mutating func anyNamespaceID() -> NamespaceID {
        // Proof: a namespace is compared, and nothing counts with it.
        NamespaceID(rawValue: integer())
    }

    mutating func partitionID() throws(SQLiteFailure) -> PartitionID {
        PartitionID(rawValue: try integer(in: PartitionID.range))
    }

    /// Reads a duration in milliseconds.
    mutating func optionalSpan() throws(SQLiteFailure) -> Int64? {
        try optionalInteger(in: 1...Timestamp.range.upperBound)
    }

    mutating func status() throws(SQLiteFailure) -> InstanceStatus { try word() }

    /// Reads one of a list of words.
    mutating func word<Word: RawRepresentable<String>>() throws(SQLiteFailure) -> Word {
        guard let word = Word(rawValue: try text()) else { throw implausible }
        return word
    }

    mutating func actor() throws(SQLiteFailure) -> Actor? { try optionalText().map(Actor.init(rawValue:)) }

    /// Reads the name of a machine, an instance, a queue or a run: never empty, and without control characters.
    mutating func name() throws(SQLiteFailure) -> String {
        let name = try text()
        guard !name.isEmpty, name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw implausible }
        return name
    }

    mutating func instanceName() throws(SQLiteFailure) -> InstanceName { InstanceName(rawValue: try name()) }

    mutating func machineName() throws(SQLiteFailure) -> MachineName { MachineName(rawValue: try name()) }
}
