/// A moment of the UTC time line, from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999999999Z.
package struct Timestamp: Sendable, Hashable, Comparable {
    /// The seconds since 1970-01-01T00:00:00Z; negative before.
    package let seconds: Int64
    /// The nanoseconds, 0 to 999,999,999, counted forward from `seconds`.
    package let nanoseconds: Int32

    package init(seconds: Int64, nanoseconds: Int32 = 0) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Creates the moment of a number of milliseconds since 1970.
    package init(milliseconds: Int64) {
        let seconds = milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000
        self.init(seconds: seconds, nanoseconds: Int32((milliseconds - seconds * 1000) * 1_000_000))
    }

    package static func < (lhs: Timestamp, rhs: Timestamp) -> Bool {
        (lhs.seconds, lhs.nanoseconds) < (rhs.seconds, rhs.nanoseconds)
    }
}
