/// The bounds on the bytes that one macrostep writes and its instance keeps armed, and the rules for charging the
/// budget.
///
/// A macrostep that exceeds a bound is refused as a whole, whatever errors the machine handles. So a macrostep within
/// two different sets of bounds leads to the same snapshot under both.
package struct StepBounds: Sendable, Equatable {
    /// True if moving, arming and writing also cost units of `Budget`.
    let isWorkCharged: Bool
    /// The most bytes that the macrostep may write, roughly as JSON.
    let writtenBytes: Int
    /// The most bytes that the instance may have armed.
    let armedBytes: Int

    /// The bounds for new inputs.
    package static let live = StepBounds(
        isWorkCharged: true, writtenBytes: StepLimits.writtenBytes, armedBytes: StepLimits.armedBytes)

    /// The bounds for rows that were recorded before byte limits existed: only the budget, with the charges of that
    /// time. A GiB is more than a row in SQLite can hold (https://www.sqlite.org/limits.html, 1).
    package static let recorded = StepBounds(isWorkCharged: false, writtenBytes: 1 << 30, armedBytes: 1 << 30)
}

extension Outcome {
    /// True if other bounds may lead to another outcome.
    package var dependsOnBounds: Bool {
        switch self {
        case .refused(.expressionFailed), .failed(_, .expressionFailed): true
        case .accepted, .refused, .failed: false
        }
    }
}

/// The mode of a macrostep.
struct StepMode {
    /// True if the macrostep records its microsteps.
    let isTracing: Bool
    let bounds: StepBounds

    init(isTracing: Bool, _ bounds: StepBounds = .live) {
        self.isTracing = isTracing
        self.bounds = bounds
    }
}
