/// The bounds of what one macrostep writes and its instance keeps armed, and what draws from the budget of evaluation.
///
/// A macrostep that passes one of these bounds is refused as a whole, whatever the machine handles. So one that is
/// within either of them leads to the same snapshot.
package struct StepBounds: Sendable, Equatable {
    /// Whether moving, arming and writing cost units of `Budget` too.
    let isWorkCharged: Bool
    /// Bytes of all that the macrostep writes, roughly as JSON.
    let writtenBytes: Int
    /// Bytes of all that the instance has armed.
    let armedBytes: Int

    /// Of what happens now.
    package static let live = StepBounds(
        isWorkCharged: true, writtenBytes: StepLimits.writtenBytes, armedBytes: StepLimits.armedBytes)

    /// Of what was recorded before there were bounds of bytes: the budget alone, charged as it was then. A GiB is more
    /// than a row of the store can have (https://www.sqlite.org/limits.html, 1).
    package static let recorded = StepBounds(isWorkCharged: false, writtenBytes: 1 << 30, armedBytes: 1 << 30)
}

extension Outcome {
    /// Whether other bounds may lead to another outcome.
    package var dependsOnBounds: Bool {
        switch self {
        case .refused(.expressionFailed), .failed(_, .expressionFailed): true
        case .accepted, .refused, .failed: false
        }
    }
}

/// How a macrostep is made.
struct StepMode {
    /// Whether it tells its microsteps.
    let isTracing: Bool
    let bounds: StepBounds

    init(isTracing: Bool, _ bounds: StepBounds = .live) {
        self.isTracing = isTracing
        self.bounds = bounds
    }
}
