import CEL

/// The forms of a delay: `250ms`, `30s`, `5m`, `2h`, `7d`, ISO 8601 such as `P3D` or `PT1H30M`, or a number of
/// milliseconds.
package enum DelayText {
    /// The forms, for messages.
    package static let rule = "such as 250ms, 30s, 5m, 2h, 7d, P3D or PT1H30M, or a number of milliseconds"

    /// The milliseconds of a text in one of the forms; nil for any other text, and for delays past `StepLimits.delay`.
    package static func milliseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, bytes.count <= 40 else { return nil }
        let parsed = bytes[0] == UInt8(ascii: "P") ? isoMilliseconds(bytes.dropFirst()) : plainMilliseconds(bytes[...])
        guard let parsed, parsed <= Double(StepLimits.delay) else { return nil }
        return Int64(parsed.rounded())
    }

    /// The milliseconds of an expression's value.
    static func milliseconds(of value: Value) throws(DelayError) -> Int64 {
        let milliseconds: Int64?
        switch value {
        case .duration(let duration):
            let (seconds, attoseconds) = duration.components
            let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
            milliseconds = overflow ? nil : whole + attoseconds / 1_000_000_000_000_000
        case .int(let int): milliseconds = int
        case .double(let double): milliseconds = Int64(exactly: double.rounded())
        case .string(let text):
            guard let parsed = Self.milliseconds(text) else {
                throw DelayError(message: "'\(text.prefix(40))' is no delay; one is written \(rule)")
            }
            milliseconds = parsed
        default:
            throw DelayError(
                message:
                    "a delay is a duration, milliseconds or a text, not \(value.typeName.word); one is written \(rule)")
        }
        guard let milliseconds, milliseconds >= 0, milliseconds <= StepLimits.delay else {
            throw DelayError(message: "a delay is between 0 and a hundred years")
        }
        return milliseconds
    }

    /// `90`, `1.5s`, `250ms`.
    private static func plainMilliseconds(_ bytes: ArraySlice<UInt8>) -> Double? {
        guard let (number, rest) = number(bytes) else { return nil }
        return switch String(decoding: rest, as: UTF8.self) {
        case "", "ms": number
        case "s": number * 1_000
        case "m": number * 60_000
        case "h": number * 3_600_000
        case "d": number * 86_400_000
        default: nil
        }
    }

    /// What follows `P`: weeks and days, then after `T` hours, minutes and seconds, each at most once, in this order.
    private static func isoMilliseconds(_ bytes: ArraySlice<UInt8>) -> Double? {
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
            guard let (number, tail) = number(rest), let unit = tail.first,
                let place = units.firstIndex(where: { $0.0 == unit })
            else { return nil }
            total += number * units[place].1
            units.removeFirst(place + 1)
            rest = tail.dropFirst()
            parts += 1
        }
        return parts > 0 ? total : nil
    }

    /// A decimal number at the beginning, and what follows it.
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

/// Why a value is no delay.
struct DelayError: Error {
    let message: String
}
