extension TimeSpan {
    /// Reads a duration: numbers with units, `30d`, `1h30m`, `1.5s`, `-2.5ms`, or ISO 8601 without years and months,
    /// `P3D`, `PT1H30M`.
    ///
    /// The units are `w`, `d`, `h`, `m`, `s`, `ms`, `us` (or `µs`) and `ns`; `0` needs none. Digits below a nanosecond
    /// are cut off. The first version of the language accepts neither weeks and days nor ISO 8601.
    package static func read(
        _ text: String, in version: LanguageVersion = .current
    ) throws(EvaluationError) -> Duration {
        let duration =
            switch version {
            case .first: try read(text, units)
            case .second: try read(iso(text) ?? text, longUnits + units)
            }
        guard let duration else { throw unreadable(version) }
        return duration
    }

    /// Reads numbers with units; `nil` for a text of another form.
    private static func read(_ text: String, _ units: [Unit]) throws(EvaluationError) -> Duration? {
        var rest = text[...].utf8
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        if rest.elementsEqual("0".utf8) { return .zero }
        guard !rest.isEmpty else { return nil }
        var nanoseconds: Int128 = 0
        while !rest.isEmpty {
            guard let part = try part(&rest, units) else { return nil }
            nanoseconds += part
            guard nanoseconds <= 1 << 64 else { throw outOfRange() }
        }
        guard let exact = Int64(exactly: isNegative ? -nanoseconds : nanoseconds) else { throw outOfRange() }
        return .nanoseconds(exact)
    }

    /// Converts `P1DT2H` to `1d2h`; `nil` for a text of another form.
    private static func iso(_ text: String) -> String? {
        let isNegative = text.hasPrefix("-")
        let form = isNegative ? text.dropFirst() : text[...]
        guard form.hasPrefix("P") else { return nil }
        let halves = form.dropFirst().split(separator: "T", omittingEmptySubsequences: false)
        let orders = ["WD", "HMS"]
        guard halves.count <= orders.count, halves.last?.isEmpty == false else { return nil }
        for (half, order) in zip(halves, orders) {
            guard half.last?.isLetter != false,
                half.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") })
            else { return nil }
            // Each unit occurs at most once, in this order.
            var left = order[...]
            for letter in half where letter.isLetter {
                guard let place = left.firstIndex(of: letter) else { return nil }
                left = left[left.index(after: place)...]
            }
        }
        return (isNegative ? "-" : "") + halves.joined().lowercased()
    }

    /// Returns the duration in seconds: `5400s`, `-0.0025s`.
    package static func text(_ duration: Duration) -> String {
        let nanoseconds = wholeNanoseconds(duration)
        var text = nanoseconds < 0 ? "-" : ""
        let (seconds, fraction) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        text.append(String(seconds))
        text.append(fraction: Int32(fraction))
        text.append("s")
        return text
    }

    /// Reads one number and its unit, in nanoseconds; `nil` for a text of another form.
    private static func part(
        _ rest: inout Substring.UTF8View, _ units: [Unit]
    ) throws(EvaluationError) -> Int128? {
        let whole = digits(&rest)
        var fraction: Substring.UTF8View?
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            fraction = digits(&rest)
        }
        guard !whole.isEmpty || fraction?.isEmpty == false else { return nil }
        let length = rest.prefix { !isDigit($0) && $0 != UInt8(ascii: ".") }
        guard let unit = units.first(where: { $0.name.utf8.elementsEqual(length) })?.nanoseconds else { return nil }
        rest = rest[length.endIndex...]
        var sum: Int128 = 0
        for digit in whole {
            sum = sum * 10 + Int128(digit - UInt8(ascii: "0"))
            guard sum <= 1 << 64 else { throw outOfRange() }
        }
        sum *= unit
        // An hour has 3600e9 ns, so later digits are less than a nanosecond.
        var below: Int128 = 0
        var scale: Int128 = 1
        for digit in (fraction ?? whole.prefix(0)).prefix(18) {
            below = below * 10 + Int128(digit - UInt8(ascii: "0"))
            scale *= 10
        }
        return sum + below * unit / scale
    }

    private static func digits(_ rest: inout Substring.UTF8View) -> Substring.UTF8View {
        let digits = rest.prefix(while: isDigit)
        rest = rest[digits.endIndex...]
        return digits
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func unreadable(_ version: LanguageVersion) -> EvaluationError {
        let examples =
            switch version {
            case .first: "'1h30m' or '1.5s'"
            case .second: "'30d', '1h30m', '1.5s' or 'PT1H'"
            }
        return EvaluationError(.invalidArgument, "the string is no duration; one is written as \(examples)")
    }

    private typealias Unit = (name: String, nanoseconds: Int128)

    private static let longUnits: [Unit] = [("w", 604_800_000_000_000), ("d", 86_400_000_000_000)]

    private static let units: [Unit] = [
        ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000),
        ("us", 1000), ("µs", 1000), ("μs", 1000), ("ns", 1),
    ]
}
