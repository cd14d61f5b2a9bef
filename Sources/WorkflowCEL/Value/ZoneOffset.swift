// The only file of this target that needs Foundation: it has the IANA zones (FoundationEssentials alone knows none).
import Foundation
import WorkflowSpelling

/// How far the clocks of a place are ahead of UTC.
enum ZoneOffset {
    /// The seconds that are added to UTC at a moment, for `UTC`, an IANA name or `±HH:MM`; the sign may be missing.
    static func seconds(
        of zone: String, at moment: Timestamp, _ budget: inout Budget
    ) throws(EvaluationError) -> Int64 {
        try budget.take(2)
        if zone == "UTC" { return 0 }
        if let fixed = fixed(zone) { return fixed }
        if zone.utf8.count <= longestName, let place = TimeZone(identifier: zone) {
            let date = Date(timeIntervalSince1970: Double(moment.seconds))
            return Int64(place.secondsFromGMT(for: date))
        }
        // Looking for a likeness is much work, also where `||` drops the error.
        try budget.take(5000)
        throw unknown(zone)
    }

    /// Names are shorter; a longer text need not be looked up.
    private static let longestName = 64

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
            Spelling.closest(to: zone, among: TimeZone.knownTimeZoneIdentifiers).map { "; did you mean '\($0)'?" }
            ?? "; zones are named as 'Europe/Paris', 'UTC' or '+02:00'"
        return EvaluationError(.invalidArgument, "unknown time zone '\(zone.prefix(longestName))'\(hint)")
    }
}
