/// The moment when the power is cut.
struct PowerCut {
    /// The phase in a store's life.
    enum Phase: String, CaseIterable {
        case creating, opening, serving, closing, closed

        /// The number of calls that change something in the phase, approximately.
        fileprivate var calls: ClosedRange<Int> {
            switch self {
            case .creating: 1...90
            case .opening: 1...24
            case .serving: 1...200
            case .closing: 1...16
            case .closed: 1...1
            }
        }
    }

    /// The phase in which calls are counted.
    let phase: Phase
    /// The call at which the power is cut; 1 is the first of the phase.
    let call: Int

    /// - Parameter isNew: True if the store's file does not exist yet.
    init(isNew: Bool, using random: inout some RandomNumberGenerator) {
        let weights: [(Phase, Int)] = [
            (isNew ? .creating : .opening, isNew ? 5 : 3), (.serving, 12), (.closing, 2), (.closed, 1),
        ]
        var draw = Int.random(in: 0..<weights.reduce(0) { $0 + $1.1 }, using: &random)
        var chosen = Phase.serving
        for (phase, weight) in weights {
            if draw < weight {
                chosen = phase
                break
            }
            draw -= weight
        }
        phase = chosen
        // Most phases are shorter than their longest.
        let last = Int.random(in: chosen.calls, using: &random)
        call = Int.random(in: 1...last, using: &random)
    }
}
