extension MachineDraft {
    /// Warns about transitions that are never tried, and about parts of transitions that have no effect.
    func checkCandidates(_ diagnostics: inout DiagnosticList) {
        for state in states {
            var takers: [String?: TransitionDraft] = [:]
            let misfires = semantics == .first ? misfires(in: state) : [:]
            for transition in state.transitions.ranked(by: \.trigger.rank) {
                let descriptor = descriptor(of: transition, in: state)
                if let taker = takers[descriptor], !mayBeTaken(transition, after: taker) {
                    warn(transition, after: taker, descriptor, &diagnostics)
                } else if !transition.isGuarded {
                    takers[descriptor] = transition
                }
                checkTimeout(transition, of: state, misfires, &diagnostics)
                if transition.reenters, transition.targets.isEmpty {
                    diagnostics.warning("'reenter' does nothing without a 'target'", at: transition.position)
                }
            }
            checkDone(of: state, &diagnostics)
        }
        if semantics != .first { checkLateTimers(&diagnostics) }
    }

    /// Returns true if a transition takes a timer that is too late for an earlier transition without a guard.
    func mayBeTaken(_ transition: TransitionDraft, after taker: TransitionDraft) -> Bool {
        guard semantics != .first, let limit = taker.misfire?.limit else { return false }
        return transition.misfire?.limit.map { $0 > limit } ?? true
    }

    /// Returns the descriptor of the event that enables a transition; `nil` for `always`.
    func descriptor(of transition: TransitionDraft, in state: StateDraft) -> String? {
        switch transition.trigger {
        case .event(let descriptor): descriptor
        case .always: nil
        case .done: "done.state.\(id(of: state))"
        case .after(let delay): timeoutEvent(delay, of: state)
        case .invocationDone(let place): EventName.done + id(of: state.invocations[place], in: state)
        case .invocationFailed(let place): EventName.failed + id(of: state.invocations[place], in: state)
        }
    }

    /// Returns the event name for a delay of `after`.
    func timeoutEvent(_ delay: String, of state: StateDraft) -> String {
        "\(EventName.timeoutPrefix)\(delay).\(id(of: state))"
    }

    /// Returns the id that `#id` and `done.state.<id>` refer to.
    func id(of state: StateDraft) -> String {
        state.parent == nil ? name : state.id?.text ?? state.path
    }

    private func warn(
        _ transition: TransitionDraft, after taker: TransitionDraft, _ descriptor: String?,
        _ diagnostics: inout DiagnosticList
    ) {
        let what = descriptor?.quoted ?? "'always'"
        let isLimited = semantics != .first && taker.misfire?.limit != nil
        let message =
            "this transition is never taken: the one on line \(taker.position.line) always takes \(what) first"
            + (isLimited ? ", or both come too late" : "")
        diagnostics.warning(message, at: transition.position)
    }

    /// Warns about an `after` that targets its own state without `reenter`. The state is not left, so its timers are
    /// not armed again.
    private func checkTimeout(
        _ transition: TransitionDraft, of state: StateDraft, _ misfires: [TransitionDraft.Trigger: Misfire],
        _ diagnostics: inout DiagnosticList
    ) {
        if semantics == .first, let misfire = transition.misfire, misfire != misfires[transition.trigger] {
            diagnostics.error(
                "the transitions of one delay share its timer; they have different rules for 'misfire'",
                at: transition.position)
        }
        guard case .after = transition.trigger, !transition.reenters,
            transition.targets.contains(where: { $0.state == state.index })
        else { return }
        diagnostics.warning(
            "this 'after' leads to its own state and will not fire again; add 'reenter: true'", at: transition.position)
    }

    /// Returns the rules for late timers by delay under `Semantics.first`. The first transition of a delay that has a
    /// rule decides.
    func misfires(in state: StateDraft) -> [TransitionDraft.Trigger: Misfire] {
        var misfires: [TransitionDraft.Trigger: Misfire] = [:]
        for transition in state.transitions {
            guard let misfire = transition.misfire, misfires[transition.trigger] == nil else { continue }
            misfires[transition.trigger] = misfire
        }
        return misfires
    }

    private func checkDone(of state: StateDraft, _ diagnostics: inout DiagnosticList) {
        guard let transition = state.transitions.first(where: { $0.trigger == .done }) else { return }
        if state.parent == nil {
            diagnostics.warning("'onDone' of the machine never runs: the machine ends then", at: transition.position)
        } else if !canBeDone(state) {
            diagnostics.warning(
                "'onDone' never runs: \(state.nameInMessages) has no final state to reach", at: transition.position)
        }
    }

    private func canBeDone(_ state: StateDraft) -> Bool {
        let children = state.children.lazy.map { self[$0] }.filter { !$0.isHistory }
        return switch state.kind {
        case .compound: children.contains { $0.kind == .final }
        case .parallel: children.allSatisfy { canBeDone($0) }
        case .atomic, .final, .shallowHistory, .deepHistory: false
        }
    }
}

extension Collection {
    /// Returns the elements sorted by a rank from 0 to 2; elements of equal rank stay in order.
    func ranked(by rank: (Element) -> Int) -> [Element] {
        (0...2).flatMap { wanted in filter { rank($0) == wanted } }
    }
}
