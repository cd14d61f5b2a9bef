import WorkflowSpelling

/// The offset of a place's clocks from UTC.
enum ZoneOffset {
    /// A constant number of seconds.
    case fixed(Int64)
    /// The offsets of a place in the time zone database.
    case place(TimeZoneData)

    /// Finds a zone by its name: `UTC`, an IANA name or `±HH:MM`, whose sign is optional.
    init(of zone: String, _ budget: inout Budget) throws(EvaluationError) {
        try budget.take(2)
        if zone == "UTC" {
            self = .fixed(0)
        } else if let fixed = Self.fixed(zone) {
            self = .fixed(fixed)
        } else if let place = TimeZoneFolder.system.zone(zone) {
            self = .place(place)
        } else {
            // The search for a similar name is expensive, and also runs if `||` drops the error.
            try budget.take(5000)
            throw Self.unknown(zone)
        }
    }

    /// Returns the seconds ahead of UTC at a moment, given in seconds since 1970.
    func seconds(at moment: Int64) -> Int64 {
        switch self {
        case .fixed(let seconds): seconds
        case .place(let place): place.offset(at: moment)
        }
    }

    private static func fixed(_ zone: String) -> Int64? {
        guard zone.utf8.count <= 6 else { return nil }
        var digits = zone.utf8[...]
        let isWest = digits.first == UInt8(ascii: "-")
        if isWest || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
        let numbers = digits.map { Int64($0) - 0x30 }
        guard numbers.count == 5, numbers[2] == 10,
            [0, 1, 3, 4].allSatisfy({ (0...9).contains(numbers[$0]) })
        else { return nil }
        let (hours, minutes) = (numbers[0] * 10 + numbers[1], numbers[3] * 10 + numbers[4])
        guard hours <= 23, minutes <= 59 else { return nil }
        return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
    }

    private static func unknown(_ zone: String) -> EvaluationError {
        let hint =
            Spelling.closest(to: zone, among: TimeZoneFolder.system.names).map { "; did you mean '\($0)'?" }
            ?? (TimeZoneFolder.system.isEmpty
                ? "; this system has no time zones: install tzdata"
                : "; zones are named as 'Europe/Paris', 'UTC' or '+02:00'")
        return EvaluationError(.invalidArgument, "unknown time zone '\(zone.prefix(64))'\(hint)")
    }
}
