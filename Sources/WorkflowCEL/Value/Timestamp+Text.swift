import WorkflowDates

extension Timestamp {
    /// The earliest timestamp, 0001-01-01T00:00:00Z.
    package static let earliest = Timestamp(seconds: -62_135_596_800)
    /// The latest timestamp, 9999-12-31T23:59:59.999999999Z.
    package static let latest = Timestamp(seconds: 253_402_300_799, nanoseconds: 999_999_999)

    /// Reads a moment in RFC 3339 format: `2026-01-31T12:00:00Z`, `2026-01-31T12:00:00.5+01:00`.
    ///
    /// A fraction has at most nine digits. A leap second (`:60`) is refused, because the time line of timestamps has
    /// none.
    package init(text: String) throws(EvaluationError) {
        guard let moment = Self.read(text) else {
            throw EvaluationError(
                .invalidArgument, "the string is no timestamp; one is written as '2026-01-31T12:00:00Z'")
        }
        try self.init(checkedSeconds: moment.seconds, nanoseconds: moment.nanoseconds)
    }

    /// Creates the moment of a number of seconds since 1970. Throws if the number is out of range.
    package init(checkedSeconds seconds: Int64, nanoseconds: Int32 = 0) throws(EvaluationError) {
        guard Self.earliest.seconds <= seconds, seconds <= Self.latest.seconds else {
            throw Self.outOfRange()
        }
        self.init(seconds: seconds, nanoseconds: nanoseconds)
    }

    /// The moment in RFC 3339 format, in UTC, with no more digits of the fraction than needed.
    package var text: String {
        let days = seconds.dividedDown(by: 86_400)
        let second = seconds - days * 86_400
        let date = CivilDate(daysSince1970: days)
        var text = ""
        text.reserveCapacity(30)
        text.append(date.year, digits: 4)
        text.append("-")
        text.append(date.month, digits: 2)
        text.append("-")
        text.append(date.day, digits: 2)
        text.append("T")
        text.append(second / 3600, digits: 2)
        text.append(":")
        text.append(second / 60 % 60, digits: 2)
        text.append(":")
        text.append(second % 60, digits: 2)
        text.append(fraction: nanoseconds)
        text.append("Z")
        return text
    }

    /// Reads a moment of any year; `nil` if the text is not in RFC 3339 format.
    private static func read(_ text: String) -> (seconds: Int64, nanoseconds: Int32)? {
        var reader = DigitReader(text)
        guard let date = reader.date(), reader.take("T") || reader.take("t"),
            let time = reader.time(needsSeconds: true), let offset = reader.offset(), reader.isAtEnd
        else { return nil }
        return (date.daysSince1970 * 86_400 + time.seconds - offset, time.nanoseconds)
    }

    /// Returns the error of a moment before the first year or after the last.
    static func outOfRange() -> EvaluationError {
        EvaluationError(.overflow, "the timestamp is out of range: its year is not 1 to 9999 in UTC")
    }
}

extension String {
    /// Appends a number of at least zero, padded with leading zeros to a number of digits.
    fileprivate mutating func append(_ number: Int64, digits: Int) {
        let written = String(number)
        for _ in 0..<max(0, digits - written.utf8.count) { append("0") }
        append(written)
    }

    /// Appends a fraction, such as `.5` for 500,000,000 ns; nothing for zero.
    mutating func append(fraction nanoseconds: Int32) {
        guard nanoseconds != 0 else { return }
        var digits = String(1_000_000_000 + Int64(nanoseconds)).utf8.dropFirst()
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        append(".")
        append(String(decoding: digits, as: UTF8.self))
    }
}
