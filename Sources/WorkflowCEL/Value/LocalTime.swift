import WorkflowDates

/// A date and time on the calendar and clocks of a place.
struct LocalTime: Equatable {
    /// The budget units for finding the moment of a local time: a few searches in the transitions of a zone.
    static let steps = 8

    /// The seconds since 1970, as if the clocks showed UTC.
    let seconds: Int64
    /// The nanoseconds, 0 to 999,999,999.
    let nanoseconds: Int32

    /// Creates the local time of a moment.
    ///
    /// - Parameter offset: The seconds by which the clocks are ahead of UTC at that moment.
    init(_ moment: Timestamp, offset: Int64) {
        self.init(seconds: moment.seconds + offset, nanoseconds: moment.nanoseconds)
    }

    /// Reads `2026-03-29T09:00`, optionally with seconds and a fraction. A date alone means its midnight.
    init(text: String) throws(EvaluationError) {
        var reader = DigitReader(text)
        guard let date = reader.date() else { throw Self.unreadable() }
        var time: (seconds: Int64, nanoseconds: Int32) = (0, 0)
        if reader.take("T") || reader.take("t") {
            guard let read = reader.time(needsSeconds: false) else { throw Self.unreadable() }
            time = read
        }
        self.init(seconds: date.daysSince1970 * 86_400 + time.seconds, nanoseconds: time.nanoseconds)
        if reader.isAtEnd { return }
        throw reader.offset() != nil && reader.isAtEnd
            ? EvaluationError(.invalidArgument, "the string has an offset from UTC; timestamp takes it without a zone")
            : Self.unreadable()
    }

    private init(seconds: Int64, nanoseconds: Int32) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Returns the same time of day a number of months later; on the last day of a month that is too short.
    func adding(months: Int64) throws(EvaluationError) -> LocalTime {
        // No two timestamps are further apart.
        guard (-120_000...120_000).contains(months) else { throw Timestamp.outOfRange() }
        let days = seconds.dividedDown(by: 86_400)
        let date = CivilDate(daysSince1970: days)
        let count = date.year * 12 + date.month - 1 + months
        let year = count.dividedDown(by: 12)
        let month = count - year * 12 + 1
        let day = min(date.day, CivilDate.days(inMonth: month, of: year))
        let later = CivilDate(year: year, month: month, day: day).daysSince1970
        return LocalTime(seconds: seconds + (later - days) * 86_400, nanoseconds: nanoseconds)
    }

    /// Returns the moment at which the clocks of a place show this local time.
    ///
    /// If clocks are put forward over this time, the offset before the change applies. If clocks are put back and show
    /// this time twice, the result is the first moment (RFC 5545, 3.3.5), unless the second has the offset to keep.
    ///
    /// - Parameter kept: The offset of the moment from which this local time was derived.
    func moment(in zone: ZoneOffset, keeping kept: Int64? = nil) throws(EvaluationError) -> Timestamp {
        // No clock is a day ahead of UTC or behind it, so these are the offsets on both sides of a change.
        let before = zone.seconds(at: seconds - 86_400)
        let after = zone.seconds(at: seconds + 86_400)
        let fitting = [kept, before, after].compactMap { $0 }.first { zone.seconds(at: seconds - $0) == $0 }
        return try Timestamp(checkedSeconds: seconds - (fitting ?? before), nanoseconds: nanoseconds)
    }

    private static func unreadable() -> EvaluationError {
        EvaluationError(.invalidArgument, "the string is no local time; one is written as '2026-01-31T09:00'")
    }
}
