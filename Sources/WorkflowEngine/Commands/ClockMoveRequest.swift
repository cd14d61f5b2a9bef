package import WorkflowStore

/// A virtual clock that somebody wants moved. The writer does that itself, between two batches: no batch holds it.
struct ClockMoveRequest: Sendable {
    let target: Timestamp
    /// Called once.
    let answered: @Sendable (Result<ClockMove, Rejection>) -> Void
}

/// How far a virtual clock was moved.
package struct ClockMove: Sendable, Equatable {
    /// What it shows now.
    package let now: Timestamp
    /// Timers that fired on the way.
    package let fired: Int
    /// Whether it is where it was to go; there are timers to fire on the way when it is not.
    package let isDone: Bool
}
