import Foundation
package import WorkflowStore

/// Where the engine learns what time it is.
package protocol WallClock: Sendable {
    /// The time now; it may jump.
    func now() -> Timestamp
}

/// The machine's real-time clock.
package struct SystemClock: WallClock {
    package init() {}

    package func now() -> Timestamp {
        Timestamp(rawValue: Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down)))
    }
}
