import WorkflowDates

/// Reads the parts of dates and times, whose numbers have a fixed width.
struct DigitReader {
    private var rest: Substring.UTF8View

    /// Creates a reader at the first byte of a text.
    init(_ text: String) {
        rest = text[...].utf8
    }

    /// True if the whole text is read.
    var isAtEnd: Bool { rest.isEmpty }

    /// Reads a character. Returns false if another character stands here.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let byte = rest.first, UInt32(byte) == character.value else { return false }
        rest.removeFirst()
        return true
    }

    /// Reads a date: `2026-01-31`.
    mutating func date() -> CivilDate? {
        guard let year = number(digits: 4), take("-"),
            let month = number(digits: 2), (1...12).contains(month), take("-"),
            let day = number(digits: 2), (1...CivilDate.days(inMonth: month, of: year)).contains(day)
        else { return nil }
        return CivilDate(year: year, month: month, day: day)
    }

    /// Reads a time: `12:00:00` or `12:00:00.5`; also `12:00` if seconds are optional.
    mutating func time(needsSeconds: Bool) -> (seconds: Int64, nanoseconds: Int32)? {
        guard let hour = number(digits: 2), hour <= 23, take(":"), let minute = number(digits: 2), minute <= 59
        else { return nil }
        let minutes = hour * 3600 + minute * 60
        guard take(":") else { return needsSeconds ? nil : (minutes, 0) }
        guard let second = number(digits: 2), second <= 59 else { return nil }
        guard take(".") else { return (minutes + second, 0) }
        guard let nanoseconds = nanoseconds() else { return nil }
        return (minutes + second, nanoseconds)
    }

    /// Reads an offset, `Z` or `±HH:MM`, in seconds.
    mutating func offset() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let isWest = take("-")
        guard isWest || take("+"), let hours = number(digits: 2), hours <= 23, take(":"),
            let minutes = number(digits: 2), minutes <= 59
        else { return nil }
        let offset = hours * 3600 + minutes * 60
        return isWest ? -offset : offset
    }

    private mutating func number(digits: Int) -> Int64? {
        var number: Int64 = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    /// Reads one to nine digits after a point.
    private mutating func nanoseconds() -> Int32? {
        guard var number = digit() else { return nil }
        for _ in 1..<9 { number = number * 10 + (digit() ?? 0) }
        return digit() == nil ? Int32(number) : nil
    }

    private mutating func digit() -> Int64? {
        guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        rest.removeFirst()
        return Int64(byte - UInt8(ascii: "0"))
    }
}
