import Statechart
import WorkflowStore

// Each column is read through a check of its range, so that later arithmetic cannot overflow.

extension AnswerRow {
    /// Reads a number that counts from 1.
    mutating func ordinal() throws(PostgresFailure) -> Int64 { try integer(in: StoreNumbers.range) }

    /// Reads a number that counts from 0.
    mutating func count() throws(PostgresFailure) -> Int64 { try integer(in: 0...StoreNumbers.range.upperBound) }

    mutating func optionalInteger(in range: ClosedRange<Int64>) throws(PostgresFailure) -> Int64? {
        skipsNull() ? nil : try integer(in: range)
    }

    /// Reads a duration in milliseconds.
    mutating func optionalSpan() throws(PostgresFailure) -> Int64? {
        try optionalInteger(in: 1...Timestamp.range.upperBound)
    }

    mutating func optionalTime() throws(PostgresFailure) -> Timestamp? { skipsNull() ? nil : try time() }

    mutating func optionalText() throws(PostgresFailure) -> String? { skipsNull() ? nil : try text() }

    mutating func optionalBlob() throws(PostgresFailure) -> [UInt8]? { skipsNull() ? nil : try blob() }

    mutating func digest() throws(PostgresFailure) -> Digest { Digest(bytes: try blob(of: 32...32)) }

    mutating func uniqueID() throws(PostgresFailure) -> UniqueID { UniqueID(bytes: try blob(of: 16...16)) }

    mutating func salt() throws(PostgresFailure) -> Salt { Salt(bytes: try blob(of: 16...16)) }

    mutating func optionalSalt() throws(PostgresFailure) -> Salt? { skipsNull() ? nil : try salt() }

    mutating func position() throws(PostgresFailure) -> Position { Position(rawValue: try partitioned()) }

    /// Reads the position of the same instance's row before `position`. The position read is lower, so following the
    /// rows ends.
    mutating func previous(of position: Position) throws(PostgresFailure) -> Position? {
        if skipsNull() { return nil }
        let refused = implausible
        let previous = try self.position()
        guard previous < position else { throw refused }
        return previous
    }

    mutating func optionalPosition() throws(PostgresFailure) -> Position? { skipsNull() ? nil : try position() }

    mutating func partitionID() throws(PostgresFailure) -> PartitionID {
        PartitionID(rawValue: try integer(in: PartitionID.range))
    }

    /// Reads a digest; `nil` for no bytes.
    mutating func digestOrEmpty() throws(PostgresFailure) -> Digest? {
        let refused = implausible
        let bytes = try blob(of: 0...32)
        if bytes.isEmpty { return nil }
        guard bytes.count == 32 else { throw refused }
        return Digest(bytes: bytes)
    }

    mutating func instanceID() throws(PostgresFailure) -> InstanceID { InstanceID(rawValue: try partitioned()) }

    mutating func machineID() throws(PostgresFailure) -> MachineID { MachineID(rawValue: try ordinal()) }

    mutating func seq() throws(PostgresFailure) -> Seq { Seq(rawValue: try ordinal()) }

    mutating func optionalSeq() throws(PostgresFailure) -> Seq? { skipsNull() ? nil : try seq() }

    mutating func version() throws(PostgresFailure) -> MachineVersion { MachineVersion(rawValue: try ordinal()) }

    mutating func namespaceID() throws(PostgresFailure) -> NamespaceID { NamespaceID(rawValue: try ordinal()) }

    /// Reads one of a list of words.
    mutating func word<Word: RawRepresentable<String>>() throws(PostgresFailure) -> Word {
        let refused = implausible
        guard let word = Word(rawValue: try text()) else { throw refused }
        return word
    }

    mutating func actor() throws(PostgresFailure) -> Actor? { try optionalText().map(Actor.init(rawValue:)) }

    mutating func instanceName() throws(PostgresFailure) -> InstanceName { InstanceName(rawValue: try name()) }

    mutating func machineName() throws(PostgresFailure) -> MachineName { MachineName(rawValue: try name()) }

    /// Reads a name: never empty, and without control characters.
    mutating func name() throws(PostgresFailure) -> String {
        let refused = implausible
        let name = try text()
        guard !name.isEmpty, name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw refused }
        return name
    }

    /// Reads a number that has its partition above bit 48.
    private mutating func partitioned() throws(PostgresFailure) -> Int64 {
        let refused = implausible
        let number = try integer(in: 1...PartitionID(rawValue: PartitionID.range.upperBound).rawValues.upperBound)
        guard StoreNumbers.range.contains(Position(rawValue: number).number) else { throw refused }
        return number
    }
}
