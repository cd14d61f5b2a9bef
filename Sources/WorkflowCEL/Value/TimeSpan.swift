/// Arithmetic of timestamps and durations. A result out of range is an error.
///
/// A duration of the language is a number of nanoseconds in 64 bits, about ±292 years
/// (https://github.com/google/cel-spec/blob/master/doc/langdef.md, "Overflow").
package enum TimeSpan {
    /// Returns the sum of two durations.
    package static func sum(_ left: Duration, _ right: Duration) throws(EvaluationError) -> Duration {
        try duration(nanoseconds(left).addingReportingOverflow(nanoseconds(right)))
    }

    /// Returns the first duration minus the second.
    package static func difference(_ left: Duration, _ right: Duration) throws(EvaluationError) -> Duration {
        try duration(nanoseconds(left).subtractingReportingOverflow(nanoseconds(right)))
    }

    /// Returns the duration multiplied by a number.
    package static func product(_ duration: Duration, _ count: Int64) throws(EvaluationError) -> Duration {
        try Self.duration(nanoseconds(duration).multipliedReportingOverflow(by: count))
    }

    /// Returns the duration from the second moment to the first; negative if the first is earlier.
    package static func difference(_ left: Timestamp, _ right: Timestamp) throws(EvaluationError) -> Duration {
        let seconds = Int128(left.seconds) - Int128(right.seconds)
        let nanoseconds = seconds * 1_000_000_000 + Int128(left.nanoseconds) - Int128(right.nanoseconds)
        guard let exact = Int64(exactly: nanoseconds) else { throw outOfRange() }
        return .nanoseconds(exact)
    }

    /// Returns the moment that follows another by a duration.
    package static func sum(_ moment: Timestamp, _ duration: Duration) throws(EvaluationError) -> Timestamp {
        try shifted(moment, by: Int128(nanoseconds(duration)))
    }

    /// Returns the moment that precedes another by a duration.
    package static func difference(_ moment: Timestamp, _ duration: Duration) throws(EvaluationError) -> Timestamp {
        try shifted(moment, by: -Int128(nanoseconds(duration)))
    }

    /// Returns the duration in whole nanoseconds. Throws if 64 bits are too few.
    package static func nanoseconds(_ duration: Duration) throws(EvaluationError) -> Int64 {
        guard let exact = Int64(exactly: wholeNanoseconds(duration)) else { throw outOfRange() }
        return exact
    }

    /// Returns the duration in whole nanoseconds, for any length.
    static func wholeNanoseconds(_ duration: Duration) -> Int128 {
        let (seconds, attoseconds) = duration.components
        return Int128(seconds) * 1_000_000_000 + Int128(attoseconds / 1_000_000_000)
    }

    static func outOfRange() -> EvaluationError {
        EvaluationError(.overflow, "the duration is out of range: it is longer than 9223372036 s, some 292 years")
    }

    private static func duration(
        _ result: (partialValue: Int64, overflow: Bool)
    ) throws(EvaluationError) -> Duration {
        if result.overflow { throw outOfRange() }
        return .nanoseconds(result.partialValue)
    }

    private static func shifted(_ moment: Timestamp, by nanoseconds: Int128) throws(EvaluationError) -> Timestamp {
        let sum = Int128(moment.seconds) * 1_000_000_000 + Int128(moment.nanoseconds) + nanoseconds
        let remainder = sum % 1_000_000_000
        let positive = remainder < 0 ? remainder + 1_000_000_000 : remainder
        let seconds = Int64(clamping: (sum - positive) / 1_000_000_000)
        return try Timestamp(checkedSeconds: seconds, nanoseconds: Int32(positive))
    }
}
