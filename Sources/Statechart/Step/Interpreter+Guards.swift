import WorkflowCEL
import WorkflowJSON

/// What came of asking one guard.
enum Verdict {
    case holds
    case rejected
    case failed(ActionFailure)
}

/// What came of asking several.
struct VerdictTable {
    // Most selections ask one guard.
    private var first: (index: TransitionIndex, verdict: Verdict)?
    private var others: [TransitionIndex: Verdict] = [:]

    /// Of a transition's guard; nil when it was not asked.
    subscript(index: TransitionIndex) -> Verdict? {
        if let first, first.index == index { return first.verdict }
        return others.isEmpty ? nil : others[index]
    }

    /// Notes what came of a guard that was not asked before.
    mutating func note(_ verdict: Verdict, of index: TransitionIndex) {
        if first == nil { first = (index, verdict) } else { others[index] = verdict }
    }

    mutating func removeAll() {
        if first != nil { first = nil }
        if !others.isEmpty { others.removeAll(keepingCapacity: true) }
    }
}

extension Interpreter {
    /// True when a transition's guard is true and its timer is not too late for it. A guard that fails counts as false
    /// and raises `error.execution`.
    mutating func holds(_ index: TransitionIndex) -> Bool {
        let transition = machine[index]
        if isTooLate(for: transition) { return false }
        guard let condition = transition.condition else { return true }
        if let verdict = verdicts[index] {
            if case .holds = verdict { return true } else { return false }
        }
        let verdict = verdict(of: condition, in: transition.source)
        verdicts.note(verdict, of: index)
        switch verdict {
        case .holds: return true
        case .rejected: return false
        case .failed(let failure):
            let isNew = transition.descriptor != nil || failedEventless.insert(index).inserted
            if isNew { raise(failure) }
            return false
        }
    }

    /// Asks a guard.
    mutating func verdict(of condition: Expression, in state: StateIndex) -> Verdict {
        do throws(EvaluationError) {
            return try condition.holds(in: scope, &budget) ? .holds : .rejected
        } catch {
            return .failed(ActionFailure(EvaluationFailure(expression: condition, error: error), in: state))
        }
    }

    /// The guards that were asked in the last selection, in that order, and what they read.
    func findings() -> [GuardFinding] {
        candidates(for: event).compactMap { index in
            guard let condition = machine[index].condition, let verdict = verdicts[index] else { return nil }
            var reason: String?
            if case .failed(let failure) = verdict { reason = failure.message }
            return GuardFinding(
                transition: index, expression: condition.source, failure: reason, reads: condition.reads(in: scope))
        }
    }

    /// All transitions of the configuration that an event could enable, in the order in which they are tried, each
    /// once.
    func candidates(for event: Event) -> [TransitionIndex] {
        var all: [TransitionIndex] = []
        var seen: Set<TransitionIndex> = []
        for leaf in configuration where machine[leaf].isLeaf {
            var next: StateIndex? = leaf
            while let current = next {
                let state = machine[current]
                _ = state.first(for: .event(event)) { index in
                    if seen.insert(index).inserted { all.append(index) }
                    return false
                }
                next = state.parent
            }
        }
        return all
    }
}

extension ActionFailure {
    /// What an expression's failure says in its place.
    init(_ failure: EvaluationFailure, in state: StateIndex, prefix: String = "") {
        let program = failure.expression.program
        let line = failure.error.range.map { program.location(of: $0).line } ?? 1
        self.init(
            state: state, line: failure.expression.line + line - 1, expression: prefix + program.source,
            message: failure.error.message, discreet: failure.error.discreet)
    }
}
