/// The check for timers that `skip` drops permanently.
extension MachineDraft {
    /// Warns about timers that rearm themselves only if they are on time, and about states that wait for nothing after
    /// their timers are skipped.
    func checkLateTimers(_ diagnostics: inout DiagnosticList) {
        var told: Set<SourcePosition> = []
        var awaited: [Awaited] = []
        for state in states {
            let rules = LateRules(of: state, in: self)
            for timeout in state.timeouts where rules.reentering.contains(timeout.word.text) {
                guard let limit = rules.limits[timeout.word.text] else { continue }
                told.insert(timeout.word.position)
                diagnostics.warning(
                    "more than \(DelayText.text(milliseconds: limit)) late this timer is skipped, and nothing arms it "
                        + "again; 'next' in place of 'skip' does", at: timeout.word.position)
            }
            let own = Awaited(state, rules, within: state.parent.map { awaited[$0.offset] } ?? .nothing)
            awaited.append(own)
            guard state.kind == .atomic, case .timers(let last, let limit) = own, told.insert(last).inserted else {
                continue
            }
            diagnostics.warning(
                "more than \(DelayText.text(milliseconds: limit)) late this timer is skipped, and "
                    + "\(state.nameInMessages) waits for nothing else; 'next' in place of 'skip' arms it anew",
                at: last)
        }
    }
}

/// The delays of a state whose timers are dropped if they are too late.
private struct LateRules {
    /// The largest lateness of a timer in milliseconds, by delay. A delay is missing if some transition takes the timer
    /// at any lateness, or if the delay starts again.
    private(set) var limits: [String: Int64] = [:]
    /// The delays with a transition that leaves the state and enters it again.
    private(set) var reentering: Set<String> = []

    init(of state: StateDraft, in draft: MachineDraft) {
        var others: Set<String> = []
        for transition in state.transitions {
            guard case .after(let delay) = transition.trigger else { continue }
            if case .skip(let limit)? = transition.misfire {
                limits[delay] = max(limits[delay] ?? 0, limit)
            } else {
                others.insert(delay)
            }
            let isInside = transition.targets.contains { target in
                target.state.map { $0 == state.index || draft.isAncestor(state.index, of: $0) } ?? false
            }
            if transition.reenters, isInside { reentering.insert(delay) }
        }
        for delay in others { limits[delay] = nil }
    }
}

/// The items that an instance waits for in a state and its ancestors.
private enum Awaited {
    case nothing
    /// Only timers that are dropped if they are too late, with the position and limit of the innermost one.
    case timers(SourcePosition, limit: Int64)
    /// Other items too. A parallel state counts as such, because another region may continue.
    case others

    init(_ state: StateDraft, _ rules: LateRules, within outer: Awaited) {
        let isDropped = state.timeouts.allSatisfy { rules.limits[$0.word.text] != nil }
        let hasOthers = state.transitions.contains { transition in
            switch transition.trigger {
            case .after, .done: false
            case .event, .always, .invocationDone, .invocationFailed: true
            }
        }
        if case .others = outer {
            self = .others
        } else if state.kind == .parallel || !state.invocations.isEmpty || hasOthers || !isDropped {
            self = .others
        } else if let timeout = state.timeouts.first, let limit = rules.limits[timeout.word.text] {
            self = .timers(timeout.word.position, limit: limit)
        } else {
            self = outer
        }
    }
}
