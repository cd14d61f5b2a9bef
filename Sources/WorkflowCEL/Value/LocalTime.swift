/// Date and time as the calendar and the clocks of some place show them.
struct LocalTime: Equatable {
    /// Units of the budget for finding the moment of one: a few searches in the changes of a zone.
    static let steps = 8

    /// Seconds since 1970, as if the clocks showed UTC.
    let seconds: Int64
    /// 0 to 999,999,999.
    let nanoseconds: Int32

    /// Takes what the clocks show at a moment.
    ///
    /// - Parameter offset: The seconds that they are ahead of UTC then.
    init(_ moment: Timestamp, offset: Int64) {
        self.init(seconds: moment.seconds + offset, nanoseconds: moment.nanoseconds)
    }

    /// Reads `2026-03-29T09:00`, with seconds and a fraction or without; a date alone is its midnight.
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

    /// The same time of the day so many months later; in a month that is too short, on its last day.
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

    /// The moment at which the clocks of a place show this.
    ///
    /// Where clocks are put forward over it, it is read by the clocks before that; where they are put back and show it
    /// twice, it is the first time (RFC 5545, 3.3.5), unless the second has the offset to keep.
    ///
    /// - Parameter kept: The offset of the moment that this was made of.
    func moment(in zone: ZoneOffset, keeping kept: Int64? = nil) throws(EvaluationError) -> Timestamp {
        // No clocks are a day ahead of UTC or behind it: these are the offsets on both sides of a change.
        let before = zone.seconds(at: seconds - 86_400)
        let after = zone.seconds(at: seconds + 86_400)
        let fitting = [kept, before, after].compactMap { $0 }.first { zone.seconds(at: seconds - $0) == $0 }
        return try Timestamp(checkedSeconds: seconds - (fitting ?? before), nanoseconds: nanoseconds)
    }

    private static func unreadable() -> EvaluationError {
        EvaluationError(.invalidArgument, "the string is no local time; one is written as '2026-01-31T09:00'")
    }
}
