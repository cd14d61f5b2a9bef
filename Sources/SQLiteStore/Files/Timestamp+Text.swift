import Statechart
import WorkflowStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Timestamp {
    /// The time in a file's name: `20260731T093000Z`.
    var fileName: String {
        let parts = parts
        return "\(parts.date.joined())T\(parts.time.joined())Z"
    }

    /// The time in a message, in ISO 8601: `2026-07-31T09:30:00.000Z`.
    var text: String {
        let parts = parts
        let milliseconds = Self.digits(Int((rawValue % 1_000 + 1_000) % 1_000), 3)
        return "\(parts.date.joined(separator: "-"))T\(parts.time.joined(separator: ":")).\(milliseconds)Z"
    }

    private var parts: (date: [String], time: [String]) {
        var seconds = time_t(rawValue / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let date = [Self.digits(Int(parts.tm_year) + 1_900, 4), Self.digits(Int(parts.tm_mon) + 1, 2)]
        return (
            date + [Self.digits(Int(parts.tm_mday), 2)],
            [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Self.digits(Int($0), 2) }
        )
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}
