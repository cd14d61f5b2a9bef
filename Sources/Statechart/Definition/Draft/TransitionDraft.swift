/// A transition as written in its definition.
struct TransitionDraft {
    /// The condition that enables a transition.
    enum Trigger: Hashable {
        case event(String)
        case always
        /// A time has passed since the state was entered; the value is the delay as written.
        case after(String)
        /// The state is done (`onDone`).
        case done
        /// The invocation at a place in the state has returned its result (its `onDone`).
        case invocationDone(Int)
        /// The invocation at a place in the state has failed permanently (its `onError`).
        case invocationFailed(Int)

        /// The trigger's rank among triggers for the same event: `onDone` and `onError` of invocations come before
        /// `on`, and `onDone` of the state comes after `on`.
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
    /// True if the transition has a guard, so that the next candidate may be tried.
    var isGuarded = false
    /// The guard; `nil` if there is none or if it could not be read.
    var condition: ExpressionDraft?
    /// The rule for a late timer; only for `after`.
    var misfire: Misfire?
}

/// A delay of `after`.
struct TimeoutDraft {
    let word: SourceWord
    let delay: DelayDraft
}

/// The beginning of a state: the target of `initial`, or the default of a history state.
struct InitialDraft {
    var targets: [TargetDraft]
    var actions: [ActionDraft] = []
    let position: SourcePosition
}

/// A target: the word in the definition, and its state after resolution.
struct TargetDraft {
    let word: SourceWord
    var state: StateIndex?
}
