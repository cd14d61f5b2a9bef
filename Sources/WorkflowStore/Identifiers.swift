/// The row number of a machine version.
package struct MachineID: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// A part of a store with its own numbers, in the order of its commits. SQLite has one, the first.
package struct PartitionID: RawRepresentable, Hashable, Comparable, Sendable {
    /// The possible partitions of any store.
    package static let range: ClosedRange<Int64> = 0...1_023
    package static let first = PartitionID(rawValue: 0)
    /// The number of bits of a number within its partition.
    fileprivate static let shift: Int64 = 48

    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// The raw values of the partition's positions and instance ids.
    package var rawValues: ClosedRange<Int64> {
        let first = rawValue << Self.shift
        return first...(first | (1 << Self.shift - 1))
    }
}

/// A number that is unique within a partition, with the partition above bit 48. Numbers of the first partition are
/// small.
package protocol PartitionedNumber: RawRepresentable<Int64>, Hashable, Comparable, Sendable {
    init(rawValue: Int64)
}

extension PartitionedNumber {
    /// Creates a number in a partition; `nil` if either is out of range.
    package init?(_ partition: PartitionID, number: Int64) {
        guard PartitionID.range.contains(partition.rawValue), StoreNumbers.range.contains(number) else { return nil }
        self.init(rawValue: partition.rawValue << PartitionID.shift | number)
    }

    package var partition: PartitionID { PartitionID(rawValue: rawValue >> PartitionID.shift) }

    /// The number within the partition, from 1.
    package var number: Int64 { rawValue & (1 << PartitionID.shift - 1) }

}

/// The row number of an instance; assigned by the writer and never reused.
package struct InstanceID: PartitionedNumber {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    package var next: InstanceID { InstanceID(rawValue: rawValue + 1) }
}

/// The number of a journal row: increasing within its partition and never reused; gaps are normal.
package struct Position: PartitionedNumber {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    package var next: Position { Position(rawValue: rawValue + 1) }
}

/// The number of an instance's macrostep; 1 is the start.
package struct Seq: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    package var next: Seq { Seq(rawValue: rawValue + 1) }
}

/// A moment in milliseconds since 1970, UTC.
package struct Timestamp: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension Timestamp {
    /// The times from 1970 to the end of the year 9999.
    package static let range: ClosedRange<Int64> = 0...253_402_300_799_999
}

/// The row number of a namespace.
package struct NamespaceID: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// The namespace that every store has.
    package static let `default` = NamespaceID(rawValue: 1)
}

/// The author of an action, as the journal records it: `uid:1000(shop)` for a user of this machine, `tcp:127.0.0.1` for
/// an address.
package struct Actor: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package init(stringLiteral: String) { rawValue = stringLiteral }
}

/// The name of a machine, as its definition states it.
package struct MachineName: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    package let rawValue: String

    /// Compares names as the store does. Swift equates the Kelvin sign with 'K', which has another number of bytes.
    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.rawValue.utf8.count == rhs.rawValue.utf8.count && lhs.rawValue == rhs.rawValue
    }

    package init(rawValue: String) { self.rawValue = rawValue }
    package init(stringLiteral: String) { rawValue = stringLiteral }
    package var description: String { rawValue }
}

/// The number of a machine's definition among those of its name; 1 is the first.
package struct MachineVersion: RawRepresentable, Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral,
    CustomStringConvertible
{
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package init(integerLiteral: Int64) { rawValue = integerLiteral }
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    package var next: MachineVersion { MachineVersion(rawValue: rawValue + 1) }
    package var description: String { "\(rawValue)" }

    /// The version of a name's first definition.
    package static let first: MachineVersion = 1
}

/// The name of an instance, as its caller chose it.
package struct InstanceName: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    package let rawValue: String

    /// Compares names as the store does. Swift equates the Kelvin sign with 'K', which has another number of bytes.
    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.rawValue.utf8.count == rhs.rawValue.utf8.count && lhs.rawValue == rhs.rawValue
    }

    package init(rawValue: String) { self.rawValue = rawValue }
    package init(stringLiteral: String) { rawValue = stringLiteral }
    package var description: String { rawValue }
}

/// The key of a machine, for all its versions.
package struct MachineKey: Hashable, Sendable {
    package let namespace: NamespaceID
    package let name: MachineName

    package init(_ name: MachineName, in namespace: NamespaceID) {
        self.namespace = namespace
        self.name = name
    }
}

/// The key of an instance.
package struct InstanceKey: Hashable, Sendable {
    package let namespace: NamespaceID
    package let name: InstanceName

    package init(_ name: InstanceName, in namespace: NamespaceID) {
        self.namespace = namespace
        self.name = name
    }
}
