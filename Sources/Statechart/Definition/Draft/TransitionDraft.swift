/// A transition as its definition tells it.
struct TransitionDraft {
    /// What enables a transition.
    enum Trigger: Hashable {
        case event(String)
        case always
        /// A time has passed since the state was entered; the delay as written.
        case after(String)
        /// The state is done (`onDone`).
        case done
        /// One of the state's invocations, by its place, has given its result (its `onDone`).
        case invocationDone(Int)
        /// It has failed for good (its `onError`).
        case invocationFailed(Int)

        /// Its rank among those that take the same event: what is said of an invocation comes before `on`, what is said
        /// of the state's own end behind.
        var rank: Int {
            switch self {
            case .invocationDone, .invocationFailed: 0
            case .event, .always, .after: 1
            case .done: 2
            }
        }
    }

    let trigger: Trigger
    let position: SourcePosition
    var targets: [TargetDraft] = []
    var reenters = false
    var actions: [ActionDraft] = []
    /// Whether it can say no, so that the next candidate is tried.
    var isGuarded = false
    /// Nil also where the guard could not be read.
    var condition: ExpressionDraft?
    /// Of `after` only.
    var misfire: Misfire?
}

/// A delay of `after`.
struct TimeoutDraft {
    let word: SourceWord
    let delay: DelayDraft
}

/// Where a state begins: the target of `initial`, or the default of a history state.
struct InitialDraft {
    var targets: [TargetDraft]
    var actions: [ActionDraft] = []
    let position: SourcePosition
}

/// A target: the word of the definition, and the state once it is found.
struct TargetDraft {
    let word: SourceWord
    var state: StateIndex?
}
