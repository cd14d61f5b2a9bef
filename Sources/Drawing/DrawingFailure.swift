/// The reason why a machine is not drawn: it is too large.
package enum DrawingFailure: Error, Sendable, Equatable {
    /// The machine has more states than `DrawingLimits.states`.
    case tooManyStates(Int)
    /// The machine has more arrows than `DrawingLimits.arrows`.
    case tooManyArrows(Int)
    /// The arrows of a level pass too many states.
    case tooManyBends

    /// The reason, for messages: `it has 1200 states, and a drawing has at most 1000`.
    package var reason: String {
        switch self {
        case .tooManyStates(let count):
            "it has \(count) states, and a drawing has at most \(DrawingLimits.states)"
        case .tooManyArrows(let count):
            "it has \(count) arrows, and a drawing has at most \(DrawingLimits.arrows)"
        case .tooManyBends: "its arrows pass too many states"
        }
    }
}
