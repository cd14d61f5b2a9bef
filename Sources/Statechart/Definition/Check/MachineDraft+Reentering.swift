extension MachineDraft {
    /// Warns about regions that reenter themselves. Their parallel state is left and entered too, so timers of other
    /// regions start again.
    ///
    /// - Complexity: O(n) in the size of the machine.
    /// - Precondition: The definition has no mistakes.
    func checkReentering(_ diagnostics: inout DiagnosticList) {
        var hasTimers: [StateIndex: Bool] = [:]
        for region in states {
            guard let parent = region.parent.map({ self[$0] }), parent.kind == .parallel, parent.parent != nil else {
                continue
            }
            for transition in region.transitions where reenters(transition, region) {
                // The restart of the region's own timers is intended.
                let known = hasTimers[region.index] ?? hasTimersBeside(region, in: parent)
                hasTimers[region.index] = known
                guard known else { continue }
                diagnostics.warning(
                    "'reenter: true' in a region leaves the parallel state \(parent.path.quoted) with all its regions, "
                        + "so that their 'after' begins anew; put the transition on a state inside the region",
                    at: transition.position)
            }
        }
    }

    private func reenters(_ transition: TransitionDraft, _ region: StateDraft) -> Bool {
        transition.reenters && !transition.targets.isEmpty
            && transition.targets.allSatisfy { target in
                target.state.map { $0 == region.index || isAncestor(region.index, of: $0) } ?? false
            }
    }

    private func hasTimersBeside(_ region: StateDraft, in parallel: StateDraft) -> Bool {
        let all = states[parallel.index.offset...parallel.lastDescendant.offset]
        return all.contains { state in
            !state.timeouts.isEmpty && state.index != region.index && !isAncestor(region.index, of: state.index)
        }
    }
}
