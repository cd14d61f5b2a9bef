import EngineFloor

/// The figures of the step and its expressions alone, on one core, beside the same work written by hand.
enum StepFigures {
    static let figures = [
        Figure(
            id: "step.flat", title: "step, flat machine / by hand", unit: .perSecond, goal: .atLeast(1_000_000),
            isQuick: true, begin: { try LoopContest($0, try StepLoops.flat()) }),
        Figure(
            id: "step.guard", title: "step, guard and assign in CEL / by hand", unit: .perSecond,
            goal: .atLeast(300_000), isQuick: true, begin: { try LoopContest($0, try StepLoops.guarded()) }),
        Figure(
            id: "step.expression", title: "the guard alone / by hand", unit: .perSecond, goal: nil, isQuick: false,
            begin: { try LoopContest($0, try StepLoops.expression()) }),
    ]
}
