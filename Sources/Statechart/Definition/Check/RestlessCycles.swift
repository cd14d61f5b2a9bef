extension MachineDraft {
    /// Warns of `after` with short literal delays that without any guard lead back to where they started: such a
    /// machine writes history as fast as it can, until the disk is full.
    ///
    /// - Precondition: The definition has no mistakes.
    func checkRestlessCycles(_ diagnostics: inout DiagnosticList) {
        RestlessCycles(self).report(&diagnostics)
    }
}

/// Follows what a machine does by itself and soon: `always`, and `after` with a short literal delay. A leaf where a
/// guard may end it, or where something else comes first, has no next step.
private struct RestlessCycles {
    /// What an active leaf does next by itself.
    private struct Step {
        let source: StateDraft
        let transition: TransitionDraft
        /// Nil for an `always`.
        let delay: Int64?
    }

    private let draft: MachineDraft
    /// By state; nil for those that are no leaves, or wait for more than a short time.
    private var steps: [Step?] = []

    init(_ draft: MachineDraft) {
        self.draft = draft
        steps = draft.states.map { $0.kind == .atomic ? step(from: $0.index) : nil }
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
                "'after' goes round without end, every \(delays.reduce(0, +)) ms: "
                + "\(path.joined(separator: " -> ")); give it a guard, or a delay of \(DefinitionLimits.restingDelay)ms"
            diagnostics.warning(message, at: first)
        }
    }

    /// What is entered after a state: by a leaf's next step, else with the state.
    private func next(_ state: StateDraft) -> [StateIndex] {
        switch state.kind {
        case .atomic: steps[state.index.offset]?.transition.targets.compactMap(\.state) ?? []
        case .final: []
        case .compound: state.initial?.targets.compactMap(\.state) ?? []
        case .parallel: state.children.filter { !draft[$0].isHistory }
        case .shallowHistory, .deepHistory:
            state.initial?.targets.compactMap(\.state) ?? state.parent.map { next(draft[$0]) } ?? []
        }
    }

    private func step(from leaf: StateIndex) -> Step? {
        let way = Array(sequence(first: leaf) { draft[$0].parent }).map { draft[$0] }
        for state in way {
            guard let first = state.transitions.first(where: { $0.trigger == .always }) else { continue }
            return first.isGuarded ? nil : Step(source: state, transition: first, delay: nil)
        }
        let timers = way.flatMap { state in
            state.timeouts.compactMap { timeout -> Step? in
                guard case .milliseconds(let delay) = timeout.delay, delay < DefinitionLimits.restingDelay,
                    let first = state.transitions.first(where: { $0.trigger == .after(timeout.word.text) })
                else { return nil }
                return Step(source: state, transition: first, delay: delay)
            }
        }
        guard !timers.contains(where: \.transition.isGuarded) else { return nil }
        // A timer that does not leave its state fires once; one that does comes again with it.
        let leaving = timers.filter { isArmedAgain($0, in: [$0]) }
        return (leaving.isEmpty ? timers : leaving).min { ($0.delay ?? 0) < ($1.delay ?? 0) }
    }

    /// Whether the source of a step's timer is left on the way round, so that it is armed when it is entered again.
    private func isArmedAgain(_ step: Step, in cycle: [Step]) -> Bool {
        step.delay == nil
            || cycle.contains { other in
                domain(of: other).map { draft.isAncestor($0, of: step.source.index) } ?? false
            }
    }

    /// The innermost state that a step does not leave; nil when it leaves none.
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
