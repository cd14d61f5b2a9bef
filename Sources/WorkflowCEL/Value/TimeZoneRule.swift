import WorkflowDates

/// The rule for the clocks of a place in all future years, in POSIX notation: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct TimeZoneRule: Sendable {
    /// The seconds ahead of UTC in standard time.
    private let standard: Int64
    /// The summer time, if clocks change: its seconds ahead of UTC, and the changes at which it begins and ends.
    private let summer: (offset: Int64, begin: Change, end: Change)?

    /// Reads a rule; `nil` for a text of another form.
    init?(_ text: ArraySlice<UInt8>) {
        var reader = RuleReader(rest: text)
        guard reader.name(), let west = reader.time() else { return nil }
        standard = -west
        guard !reader.rest.isEmpty else {
            summer = nil
            return
        }
        guard reader.name() else { return nil }
        var offset = standard + 3600
        if reader.rest.first != UInt8(ascii: ",") {
            guard let west = reader.time() else { return nil }
            offset = -west
        }
        guard reader.take(","), let begin = reader.change(), reader.take(","), let end = reader.change(),
            reader.rest.isEmpty
        else { return nil }
        summer = (offset, begin, end)
    }

    /// Returns the seconds ahead of UTC at a moment, given in seconds since 1970.
    func offset(at seconds: Int64) -> Int64 {
        guard let summer else { return standard }
        let year = CivilDate(daysSince1970: (seconds + standard).dividedDown(by: 86_400)).year
        // Each change is given in the local time before that change.
        let begin = summer.begin.seconds(in: year) - standard
        let end = summer.end.seconds(in: year) - summer.offset
        // South of the equator, summer is at both ends of a year.
        let isSummer = begin < end ? begin <= seconds && seconds < end : begin <= seconds || seconds < end
        return isSummer ? summer.offset : standard
    }

    /// The time of a clock change within a year.
    enum Change {
        /// A week of a month, 5 meaning the last; a day of the week, 0 meaning Sunday; and seconds after midnight.
        case week(month: Int64, week: Int64, day: Int64, time: Int64)
        /// A day of the year, counted from 1 without leap days, or from 0 with leap days.
        case day(Int64, hasLeapDays: Bool, time: Int64)

        /// Returns the seconds since 1970, as if the clocks showed UTC.
        fileprivate func seconds(in year: Int64) -> Int64 {
            switch self {
            case .week(let month, let week, let day, let time):
                let first = CivilDate(year: year, month: month, day: 1)
                var days = (day - first.dayOfWeek + 7) % 7 + 7 * (week - 1)
                if days >= CivilDate.days(inMonth: month, of: year) { days -= 7 }
                return (first.daysSince1970 + days) * 86_400 + time
            case .day(let day, let hasLeapDays, let time):
                let first = CivilDate(year: year, month: 1, day: 1).daysSince1970
                let isBehindLeapDay = day >= 60 && CivilDate.days(inMonth: 2, of: year) == 29
                return (first + (hasLeapDays ? day : day - 1 + (isBehindLeapDay ? 1 : 0))) * 86_400 + time
            }
        }
    }
}

private struct RuleReader {
    var rest: ArraySlice<UInt8>

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Reads a name: `CET` or `<+03>`.
    mutating func name() -> Bool {
        if take("<") {
            rest = rest.drop { $0 != UInt8(ascii: ">") }
            return take(">")
        }
        let name = rest.prefix { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 & 0xDF }
        rest = rest.dropFirst(name.count)
        return name.count >= 3
    }

    /// Reads a change: `M3.5.0/2`, `J60` or `59`. Without a time the change is at two o'clock.
    mutating func change() -> TimeZoneRule.Change? {
        if take("M") {
            guard let month = number(1...12), take("."), let week = number(1...5), take("."), let day = number(0...6),
                let time = timeOfChange()
            else { return nil }
            return .week(month: month, week: week, day: day, time: time)
        }
        let hasLeapDays = !take("J")
        guard let day = number(hasLeapDays ? 0...365 : 1...365), let time = timeOfChange() else { return nil }
        return .day(day, hasLeapDays: hasLeapDays, time: time)
    }

    private mutating func timeOfChange() -> Int64? { take("/") ? time() : 7200 }

    /// Reads a time, `-1`, `+5:30` or `167:00:00`, in seconds.
    mutating func time() -> Int64? {
        let isNegative = take("-")
        if !isNegative { _ = take("+") }
        guard var seconds = number(0...167).map({ $0 * 3600 }) else { return nil }
        if take(":") {
            guard let minutes = number(0...59) else { return nil }
            seconds += minutes * 60
            if take(":") {
                guard let rest = number(0...59) else { return nil }
                seconds += rest
            }
        }
        return isNegative ? -seconds : seconds
    }

    private mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
        let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }.prefix(4)
        rest = rest.dropFirst(digits.count)
        guard !digits.isEmpty else { return nil }
        let number = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
        return range.contains(number) ? number : nil
    }
}
