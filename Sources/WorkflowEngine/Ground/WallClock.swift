package import Foundation
import Synchronization
package import WorkflowStore

/// The engine's source of the current time.
package protocol WallClock: Sendable {
    /// Returns the current time, which may jump.
    func now() -> Timestamp

    /// Returns when the machine's clock shows a time; `nil` for a clock that does not move by itself.
    func date(of time: Timestamp) -> Date?
}

extension WallClock {
    /// Returns when the machine's clock will have advanced by a pause.
    func date(after pause: Duration) -> Date { Date(timeIntervalSinceNow: pause / .seconds(1)) }
}

/// The machine's real-time clock.
package struct SystemClock: WallClock {
    package init() {}

    package func date(of time: Timestamp) -> Date? {
        Date(timeIntervalSince1970: Double(time.rawValue) / 1_000)
    }

    package func now() -> Timestamp {
        Timestamp(rawValue: Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down)))
    }
}

/// A clock that stands still until it is moved: a year passes in a moment.
package final class VirtualClock: WallClock {
    private let time: Mutex<Timestamp>

    package init(at time: Timestamp) {
        self.time = Mutex(time)
    }

    package func now() -> Timestamp { time.withLock { $0 } }

    package func date(of time: Timestamp) -> Date? { nil }

    /// Moves the clock forward; a past time changes nothing.
    func move(to next: Timestamp) {
        time.withLock { $0 = max($0, next) }
    }
}

/// A clock that always shows the same time.
struct StandingClock: WallClock {
    let time: Timestamp

    func now() -> Timestamp { time }

    func date(of time: Timestamp) -> Date? { nil }
}
