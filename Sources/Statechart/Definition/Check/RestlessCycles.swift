extension MachineDraft {
    /// Warns about unguarded `after` transitions with short literal delays that lead back to their start. Such a
    /// machine writes history as fast as it can, until the disk is full.
    ///
    /// - Precondition: The definition has no mistakes.
    func checkRestlessCycles(_ diagnostics: inout DiagnosticList) {
        RestlessCycles(self).report(&diagnostics)
    }
}

/// Follows the transitions that a machine soon takes by itself: `always`, and `after` with a short literal delay. A
/// leaf has no next step if a guard may end the cycle, or if another transition comes first.
private struct RestlessCycles {
    /// The next transition that an active leaf takes by itself.
    private struct Step {
        let source: StateDraft
        let transition: TransitionDraft
        /// The delay in milliseconds; `nil` for an `always`.
        let delay: Int64?
    }

    /// The automatic transitions of a state and its ancestors.
    private struct Motion {
        /// The first `always` of the nearest state that has one.
        var eventless: Step?
        /// True if the transition of some short timer has a guard.
        var isGuarded = false
        /// The short timer that is due first.
        var soonest: Step?
        /// The short timer that is due first among those that leave their state. Only these are armed again; others
        /// fire once.
        var leaving: Step?
    }

    private let draft: MachineDraft
    /// The next step by state; `nil` for a state that is not a leaf, or that waits longer than a short time.
    private var steps: [Step?] = []

    init(_ draft: MachineDraft) {
        self.draft = draft
        var motions: [Motion] = []
        // A parent precedes its children.
        for state in draft.states {
            motions.append(motion(of: state, below: state.parent.map { motions[$0.offset] } ?? Motion()))
        }
        steps = draft.states.map { $0.kind == .atomic ? step(after: motions[$0.index.offset]) : nil }
    }

    func report(_ diagnostics: inout DiagnosticList) {
        var told: Set<SourcePosition> = []
        for (_, way) in CycleWalk(next: draft.states.map { next($0).map(\.offset) }).cycles() {
            let cycle = way.dropLast().compactMap { steps[$0] }
            let delays = cycle.compactMap(\.delay)
            guard !delays.isEmpty, cycle.allSatisfy({ isArmedAgain($0, in: cycle) }),
                let first = cycle.filter({ $0.delay != nil }).map(\.transition.position).min(),
                told.insert(first).inserted
            else { continue }
            let leaves = way.dropLast().filter { steps[$0] != nil }.map { draft.states[$0].path }
            let shown = leaves + leaves.prefix(1)
            let path = shown.count > 6 ? shown.prefix(5) + ["…", shown[0]] : shown[...]
            let message =
                "'after' goes round without end, every \(DelayText.text(milliseconds: delays.reduce(0, +))): "
                + "\(path.joined(separator: " -> ")); give it a guard, or a delay of \(DefinitionLimits.restingDelay)ms"
            diagnostics.warning(message, at: first)
        }
    }

    /// Returns the states entered next: the targets of a leaf's next step, or the states entered with a state.
    private func next(_ state: StateDraft) -> [StateIndex] {
        switch state.kind {
        case .atomic: steps[state.index.offset]?.transition.targets.compactMap(\.state) ?? []
        case .final: []
        case .compound: state.initial?.targets.compactMap(\.state) ?? []
        case .parallel: state.children.filter { !draft[$0].isHistory }
        case .shallowHistory, .deepHistory:
            // A history state without a target leads to its parent's beginning.
            state.initial?.targets.compactMap(\.state) ?? state.parent.map { [$0] } ?? []
        }
    }

    /// Returns the next transition that a leaf takes by itself; `nil` if the leaf waits.
    private func step(after motion: Motion) -> Step? {
        if let eventless = motion.eventless { return eventless.transition.isGuarded ? nil : eventless }
        return motion.isGuarded ? nil : motion.leaving ?? motion.soonest
    }

    /// Returns the automatic transitions of a state and of its ancestors.
    private func motion(of state: StateDraft, below parent: Motion) -> Motion {
        var motion = parent
        if let first = state.transitions.first(where: { $0.trigger == .always }) {
            motion.eventless = Step(source: state, transition: first, delay: nil)
        }
        var own = Motion()
        for timer in timers(of: state) {
            own.isGuarded = own.isGuarded || timer.transition.isGuarded
            own.soonest = Self.sooner(own.soonest, timer)
            if isArmedAgain(timer, in: [timer]) { own.leaving = Self.sooner(own.leaving, timer) }
        }
        motion.isGuarded = own.isGuarded || parent.isGuarded
        motion.soonest = Self.sooner(own.soonest, parent.soonest)
        motion.leaving = Self.sooner(own.leaving, parent.leaving)
        return motion
    }

    /// Returns the timers of a state with short literal delays.
    private func timers(of state: StateDraft) -> [Step] {
        let short = state.timeouts.compactMap { timeout -> (word: String, delay: Int64)? in
            guard case .milliseconds(let delay) = timeout.delay, delay < DefinitionLimits.restingDelay else {
                return nil
            }
            return (timeout.word.text, delay)
        }
        if short.isEmpty { return [] }
        let firsts = Dictionary(state.transitions.map { ($0.trigger, $0) }) { first, _ in first }
        return short.compactMap { word, delay in
            firsts[.after(word)].map { Step(source: state, transition: $0, delay: delay) }
        }
    }

    /// Returns the timer that is due first; the first argument if both have the same delay.
    private static func sooner(_ one: Step?, _ other: Step?) -> Step? {
        guard let one else { return other }
        guard let other, (other.delay ?? 0) < (one.delay ?? 0) else { return one }
        return other
    }

    /// Returns true if the cycle leaves the source of the step's timer, so that reentering the source arms the timer
    /// again.
    private func isArmedAgain(_ step: Step, in cycle: [Step]) -> Bool {
        step.delay == nil
            || cycle.contains { other in
                domain(of: other).map { draft.isAncestor($0, of: step.source.index) } ?? false
            }
    }

    /// Returns the innermost state that a step does not leave; `nil` for a step without targets.
    private func domain(of step: Step) -> StateIndex? {
        let targets = step.transition.targets.compactMap(\.state)
        let source = step.source
        if targets.isEmpty { return nil }
        if !step.transition.reenters,
            targets.allSatisfy({ $0 == source.index || draft.isAncestor(source.index, of: $0) })
        {
            return source.index
        }
        let ancestors = sequence(first: source.index) { draft[$0].parent }.dropFirst()
        return ancestors.first { index in
            draft[index].kind == .compound && targets.allSatisfy { draft.isAncestor(index, of: $0) }
        } ?? .root
    }
}
