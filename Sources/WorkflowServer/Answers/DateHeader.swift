import Foundation
import Synchronization
import WorkflowEngine
import WorkflowStore

/// The time in a `Date` header, written once a second.
final class DateHeader: Sendable {
    private let clock = SystemClock()
    private let written = Mutex<(second: Int64, text: String)>((.min, ""))

    /// The time now.
    var now: String {
        let second = clock.now().rawValue / 1_000
        return written.withLock { written in
            if written.second != second {
                written = (second, Self.text(of: second))
            }
            return written.text
        }
    }

    /// A time in the form of RFC 9110, as `Sat, 21 Nov 2026 08:30:00 GMT`.
    static func text(of second: Int64) -> String {
        var time = time_t(second)
        var parts = tm()
        gmtime_r(&time, &parts)
        return String(unsafeUninitializedCapacity: 32) { strftime($0.baseAddress, 32, "%a, %d %b %Y %T GMT", &parts) }
    }
}
