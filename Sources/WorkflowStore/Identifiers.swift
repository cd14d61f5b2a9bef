/// The row number of a machine version.
package struct MachineID: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The row number of an instance; assigned by the writer, never used again.
package struct InstanceID: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The number of a journal row: global, increasing, never used again; gaps are normal.
package struct Position: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The number of a macrostep of one instance: 1 is its start.
package struct Seq: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    package var next: Seq { Seq(rawValue: rawValue + 1) }
}

/// A moment: milliseconds since 1970, UTC.
package struct Timestamp: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
