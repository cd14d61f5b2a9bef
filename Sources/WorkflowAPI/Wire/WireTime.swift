import WorkflowDates
public import WorkflowJSON

/// A moment on the wire: ISO 8601, UTC, with milliseconds, as in `2026-07-31T09:30:00.000Z`.
public struct WireTime: Hashable, Comparable, Sendable {
    /// The milliseconds since 1970, UTC, without leap seconds.
    public let milliseconds: Int64

    /// Creates a time from milliseconds since 1970. A time outside of the years 0000 to 9999, which has no written
    /// form, becomes the nearest time within them.
    public init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
    }

    /// Reads exactly the form that `text` has; `nil` for any other text.
    public init?(text: String) {
        let bytes = Array(text.utf8)
        let pattern = Array("0000-00-00T00:00:00.000Z".utf8)
        guard bytes.count == pattern.count else { return nil }
        for (byte, expected) in zip(bytes, pattern) {
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            guard expected == UInt8(ascii: "0") ? isDigit : byte == expected else { return nil }
        }
        func number(_ range: Range<Int>) -> Int64 {
            bytes[range].reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
        guard (1...12).contains(month), (1...CivilDate.days(inMonth: month, of: year)).contains(day), hour < 24,
            minute < 60, second < 60
        else { return nil }
        let days = CivilDate(year: year, month: month, day: day).daysSince1970
        let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second
        milliseconds = seconds * 1_000 + number(20..<23)
    }

    /// The written form; always 24 characters.
    public var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }

    /// Calls a function with the 24 bytes of the written form.
    private func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let day = milliseconds.dividedDown(by: 86_400_000)
        let rest = milliseconds - day * 86_400_000
        let date = CivilDate(daysSince1970: day)
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { bytes in
            var place = 0
            func put(_ number: Int64, _ width: Int, _ separator: Unicode.Scalar) {
                var number = number
                for digit in stride(from: place + width - 1, through: place, by: -1) {
                    // Proof: the initializers keep to the years 0 to 9999, so no part is negative.
                    bytes[digit] = UInt8(ascii: "0") + UInt8(number % 10)
                    number /= 10
                }
                bytes[place + width] = UInt8(ascii: separator)
                place += width + 1
            }
            put(date.year, 4, "-")
            put(date.month, 2, "-")
            put(date.day, 2, "T")
            put(rest / 3_600_000, 2, ":")
            put(rest / 60_000 % 60, 2, ":")
            put(rest / 1_000 % 60, 2, ".")
            put(rest % 1_000, 3, "Z")
            return body(UnsafeBufferPointer(bytes))
        }
    }

    public static func < (lhs: WireTime, rhs: WireTime) -> Bool {
        lhs.milliseconds < rhs.milliseconds
    }

    private static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999
}

extension WireTime: WireValue {
    public static func read(_ json: JSONValue, at place: WirePlace) throws(WireError) -> WireTime {
        let text = try String.read(json, at: place)
        guard let time = WireTime(text: text) else {
            throw WireError(
                .invalidValue, path: place.path,
                message: "Field '\(place.path)' must be a time such as 2026-07-31T09:30:00.000Z, not '\(text)'"
            )
        }
        return time
    }

    public func write(to writer: inout JSONWriter) { withBytes { writer.quoted(plain: $0) } }
}
