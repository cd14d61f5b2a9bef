import WorkflowCEL

/// The forms of a delay: `250ms`, `30s`, `5m`, `2h`, `7d`, `1w`, several units as in `1h30m`, ISO 8601, milliseconds.
/// Examples of ISO 8601 are `P3D` and `PT1H30M`.
package enum DelayText {
    /// The forms of a delay, for messages.
    package static let rule = formsWithUnit + ", or a number of milliseconds"

    /// The forms that have a unit, for messages.
    package static let formsWithUnit = "such as 250ms, 30s, 5m, 1h30m, 7d, 1w, P3D or PT1H30M"

    /// Returns the milliseconds of a text, and throws if the text is not a delay.
    package static func length(of text: String) throws(DelayError) -> Int64 {
        try checkWords(text)
        guard let milliseconds = try read(text) else {
            throw DelayError(message: "\(EventName.quoted(text)) is no delay; one is written \(rule)")
        }
        guard milliseconds >= 0 else { throw DelayError(message: "a delay is not negative; 0 is at once") }
        return milliseconds
    }

    /// Returns the milliseconds of a text that must have a unit, except for 0. A retention of `1` hardly means one
    /// millisecond.
    package static func lengthWithUnit(of text: String) throws(DelayError) -> Int64 {
        if date(text) != nil {
            throw DelayError(message: "\(EventName.quoted(text)) is a date, not a delay; write 90d, 36h or another")
        }
        let milliseconds = try length(of: text)
        guard milliseconds == 0 || text.contains(where: \.isLetter) else {
            throw DelayError(message: "\(EventName.quoted(text)) has no unit; write 90d, 36h or another")
        }
        return milliseconds
    }

    /// Returns the milliseconds of a text in one of the forms, negative after a minus sign; `nil` for any other text.
    /// Throws for a text that resembles one of the forms but is not a delay, such as `P1M` or `5min`.
    package static func read(_ text: String) throws(DelayError) -> Int64? {
        let name = EventName.quoted(text)
        if let day = date(text) {
            throw DelayError(
                message: "\(name) is a date, not a delay; "
                    + "in an expression write timestamp('\(day)T00:00:00Z') - event.at")
        }
        if let milliseconds = try read(text, called: name) { return milliseconds }
        let joined = text.filter { $0 != " " }
        // `1 - 2` is an expression; `1000` is a delay, with or without surrounding blanks.
        if joined.contains(where: \.isLetter), joined != text, isDelay(joined) {
            throw DelayError(message: "\(name) has a blank in it; write \(joined)")
        }
        return nil
    }

    /// Throws for a text whose units are words, such as `30 days` or `5min`, with the correct spelling in the message.
    ///
    /// Only for texts of definitions and callers: recorded histories may contain the messages about invalid values.
    static func checkWords(_ text: String) throws(DelayError) {
        let bytes = text.utf8.filter { $0 != UInt8(ascii: " ") }
        guard bytes.count <= 60, let parts = parts(bytes[...]) else { return }
        var delay = ""
        var hasWord = false
        for (number, word) in parts {
            if let days = days[word.lowercased()] {
                throw noFixedLength(days.noun, "\(written(number * days.count))d")
            }
            let spoken = words[word.lowercased()]
            guard let unit = spoken ?? units.first(where: { $0.name == word })?.name else { return }
            hasWord = hasWord || spoken != nil
            delay += (Int64(exactly: number).map { "\($0)" } ?? "\(number)") + unit
        }
        // Without words the text is a delay or gets another message. `30m1h` is invalid in any spelling.
        guard hasWord, isDelay(delay) else { return }
        throw DelayError(message: "\(EventName.quoted(text)) is no delay; write \(delay)")
    }

    /// Returns a delay as a definition writes it, in days and smaller units: `0s`, `250ms`, `1h30m`, `2d`.
    package static func text(milliseconds: Int64) -> String {
        var rest = milliseconds
        var text = ""
        for unit in units where unit.name != "w" {
            let length = Int64(unit.milliseconds)
            guard rest >= length else { continue }
            text += "\(rest / length)\(unit.name)"
            rest %= length
        }
        return text.isEmpty ? "0s" : text
    }

    /// Throws for a text literal in an expression if the text cannot be a delay at run time.
    static func check(literal text: String) throws(DelayError) {
        // The error about durations is dropped: the message describes the forms of a delay.
        if (try? TimeSpan.read(text, in: .first)) != nil { return }
        try checkWords(text)
        guard try read(text) == nil else { return }
        throw DelayError(message: "\(EventName.quoted(text)) is no delay; one is written \(rule)")
    }

    /// Returns the day of `2026-12-24` and `2026-12-24T18:00:00Z`; `nil` for any other text.
    private static func date(_ text: String) -> String? {
        let day = text.prefix(10)
        let isDate = zip("0000-00-00", day).allSatisfy { $0 == "-" ? $1 == "-" : $1.isASCII && $1.isNumber }
        guard day.count == 10, isDate, [nil, "T", "t", " "].contains(text.dropFirst(10).first) else { return nil }
        return String(day)
    }

    /// - Parameter name: The text's name in messages.
    private static func read(_ text: String, called name: String) throws(DelayError) -> Int64? {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, bytes.count <= 40 else { return nil }
        let isNegative = bytes[0] == UInt8(ascii: "-")
        let rest = isNegative ? bytes.dropFirst() : bytes[...]
        guard let first = rest.first,
            let parsed = first == UInt8(ascii: "P") ? try iso(rest.dropFirst()) : try plain(rest, name)
        else { return nil }
        guard parsed <= Double(StepLimits.delay) else { throw .tooLong }
        return Int64(parsed.rounded()) * (isNegative ? -1 : 1)
    }

    /// Returns true if a text is a delay in one of the forms.
    package static func isDelay(_ text: String) -> Bool {
        // The reason is dropped: `length(of:)` reports it.
        (try? length(of: text)) != nil
    }

    /// Returns the milliseconds of an expression's value. A negative delay is due now, so the result is 0.
    static func milliseconds(of value: Value) throws(DelayError) -> Int64 {
        let milliseconds =
            switch value {
            case .duration(let duration): Self.milliseconds(of: duration)
            case .int(let int): int
            case .uint(let uint): Int64(clamping: uint)
            case .double(let double) where double.isNaN:
                throw DelayError(message: "the delay is no number; one is written \(rule)")
            case .double(let double): Int64(max(-1, min(double, Double(StepLimits.delay) + 1)).rounded())
            case .string(let text): try Self.milliseconds(ofValue: text)
            default: throw DelayError(type: value.typeName.word)
            }
        guard milliseconds <= StepLimits.delay else { throw .tooLong }
        return max(0, milliseconds)
    }

    /// Returns the milliseconds of a computed text: a delay, or a duration in the form that JSON stores. Messages never
    /// quote the text, because the text may be a secret.
    private static func milliseconds(ofValue text: String) throws(DelayError) -> Int64 {
        // The error about durations is dropped: the message describes the forms of a delay.
        if let duration = try? TimeSpan.read(text, in: .first) { return milliseconds(of: duration) }
        if let milliseconds = try read(text, called: "the text") { return milliseconds }
        if (try? Timestamp(text: text)) != nil {
            throw DelayError(message: "the text is a timestamp, not a delay; write timestamp(…) - event.at")
        }
        throw DelayError(message: "the text is no delay; one is written \(rule)")
    }

    private static func milliseconds(of duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !overflow else { return seconds > 0 ? .max : .min }
        return whole + attoseconds / 1_000_000_000_000_000
    }
}

/// The reason why a value is not a delay.
package struct DelayError: Error {
    package let message: String

    fileprivate static let tooLong = DelayError(message: "the delay is longer than a hundred years")

    init(message: String) {
        self.message = message
    }

    /// - Parameter type: The type of the value that should be a delay.
    init(type: String) {
        let advice = type == "timestamp" ? "; write … - event.at" : ""
        message = "a delay is a duration, a number of milliseconds or a text, this one gives \(type)\(advice)"
    }
}

// MARK: The forms

extension DelayText {
    private static let units: [(name: String, milliseconds: Double)] = [
        ("w", 604_800_000), ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]

    /// Spoken units and the unit that each one means.
    private static let words = [
        "week": "w", "weeks": "w", "day": "d", "days": "d", "hour": "h", "hours": "h", "hr": "h", "hrs": "h",
        "minute": "m", "minutes": "m", "min": "m", "mins": "m", "second": "s", "seconds": "s", "sec": "s",
        "secs": "s", "millisecond": "ms", "milliseconds": "ms", "millis": "ms",
    ]

    /// Reads `90`, `1.5s`, `1h30m`.
    private static func plain(_ bytes: ArraySlice<UInt8>, _ name: String) throws(DelayError) -> Double? {
        guard let (number, rest) = number(bytes) else { return nil }
        if rest.isEmpty { return number }
        guard let parts = parts(bytes) else { return nil }
        var left = units[...]
        var total = 0.0
        for (number, unit) in parts {
            if let place = left.firstIndex(where: { $0.name == unit }) {
                total += number * units[place].milliseconds
                left = left[(place + 1)...]
                continue
            }
            if let days = days[unit] { throw noFixedLength(days.noun, "\(written(number * days.count))d") }
            let names = units.map(\.name).joined(separator: ", ")
            throw DelayError(message: "\(name) is no delay: its units are \(names), each once, the largest first")
        }
        return total
    }

    /// Splits a text into numbers with a unit after each; `nil` for any other text, such as an expression's number
    /// `0x1F`.
    private static func parts(_ bytes: ArraySlice<UInt8>) -> [(number: Double, unit: String)]? {
        guard !bytes.starts(with: "0x".utf8) else { return nil }
        var parts: [(number: Double, unit: String)] = []
        var rest = bytes
        while !rest.isEmpty {
            guard let (number, tail) = number(rest) else { return nil }
            let unit = tail.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }
            guard !unit.isEmpty else { return nil }
            parts.append((number, String(decoding: unit, as: UTF8.self)))
            rest = tail.dropFirst(unit.count)
        }
        return parts
    }

    /// Reads the part after `P`: weeks and days, then after `T` hours, minutes and seconds. Each occurs at most once,
    /// in this order.
    private static func iso(_ bytes: ArraySlice<UInt8>) throws(DelayError) -> Double? {
        var rest = bytes
        var units: [(UInt8, Double)] = [(UInt8(ascii: "W"), 604_800_000), (UInt8(ascii: "D"), 86_400_000)]
        var total = 0.0
        var parts = 0
        var isTime = false
        while let next = rest.first {
            if next == UInt8(ascii: "T"), !isTime {
                isTime = true
                rest = rest.dropFirst()
                units = [(UInt8(ascii: "H"), 3_600_000), (UInt8(ascii: "M"), 60_000), (UInt8(ascii: "S"), 1_000)]
                if rest.isEmpty { return nil }
                continue
            }
            guard let (number, tail) = number(rest), let unit = tail.first else { return nil }
            if !isTime, let days = days[String(UnicodeScalar(unit))] {
                throw noFixedLength(days.noun, "P\(written(number * days.count))D")
            }
            guard let place = units.firstIndex(where: { $0.0 == unit }) else { return nil }
            total += number * units[place].1
            units.removeFirst(place + 1)
            rest = tail.dropFirst()
            parts += 1
        }
        return parts > 0 ? total : nil
    }

    /// The units without a fixed length, with their approximate number of days.
    private static let days: [String: (noun: String, count: Double)] = {
        let month = (noun: "month", count: 30.0)
        let year = (noun: "year", count: 365.0)
        return [
            "M": month, "mo": month, "month": month, "months": month, "Y": year, "y": year, "year": year, "years": year,
        ]
    }()

    private static func noFixedLength(_ noun: String, _ example: String) -> DelayError {
        DelayError(message: "a \(noun) has no fixed length; write days, such as \(example)")
    }

    private static func written(_ days: Double) -> String {
        Int64(exactly: min(days, 36_525).rounded(.up)).map(String.init) ?? "30"
    }

    /// Reads a decimal number at the beginning. Returns the number and the rest of the text.
    private static func number(_ bytes: ArraySlice<UInt8>) -> (Double, ArraySlice<UInt8>)? {
        let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        let whole = bytes.prefix(while: isDigit)
        guard !whole.isEmpty else { return nil }
        var rest = bytes.dropFirst(whole.count)
        if rest.first == UInt8(ascii: ".") {
            let fraction = rest.dropFirst().prefix(while: isDigit)
            guard !fraction.isEmpty else { return nil }
            rest = rest.dropFirst(1 + fraction.count)
        }
        let digits = bytes[bytes.startIndex..<rest.startIndex]
        return Double(String(decoding: digits, as: UTF8.self)).map { ($0, rest) }
    }
}
