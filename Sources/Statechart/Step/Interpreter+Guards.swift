import WorkflowCEL
import WorkflowJSON

/// The result of evaluating one guard.
enum Verdict {
    case holds
    case rejected
    case failed(ActionFailure)
}

/// The results of evaluating several guards.
struct VerdictTable {
    // Most selections evaluate one guard.
    private var first: (index: TransitionIndex, verdict: Verdict)?
    private var others: [TransitionIndex: Verdict] = [:]

    /// Returns the result of a transition's guard; `nil` if the guard was not evaluated.
    subscript(index: TransitionIndex) -> Verdict? {
        if let first, first.index == index { return first.verdict }
        return others.isEmpty ? nil : others[index]
    }

    /// Stores the result of a guard that was not evaluated before.
    mutating func note(_ verdict: Verdict, of index: TransitionIndex) {
        if first == nil { first = (index, verdict) } else { others[index] = verdict }
    }

    mutating func removeAll() {
        if first != nil { first = nil }
        if !others.isEmpty { others.removeAll(keepingCapacity: true) }
    }
}

extension Interpreter {
    /// Returns true if a transition's guard is true and its timer is not too late for it. A guard that fails counts as
    /// false and raises `error.execution`.
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

    /// Evaluates a guard.
    mutating func verdict(of condition: Expression, in state: StateIndex) -> Verdict {
        do throws(EvaluationError) {
            return try condition.holds(in: scope, &budget) ? .holds : .rejected
        } catch {
            return .failed(ActionFailure(EvaluationFailure(expression: condition, error: error), in: state))
        }
    }

    /// Returns the guards that the last selection evaluated, in order, with the values that they read.
    func findings() -> [GuardFinding] {
        candidates(for: .event(event)).compactMap { index in
            guard let condition = machine[index].condition, let verdict = verdicts[index] else { return nil }
            var reason: String?
            if case .failed(let failure) = verdict { reason = failure.message }
            return GuardFinding(
                transition: index, expression: condition.source, failure: reason, reads: condition.reads(in: scope))
        }
    }

    /// Returns all transitions of the configuration that a selector could enable, each once, in the order in which
    /// they are tried.
    func candidates(for selector: Selector) -> [TransitionIndex] {
        var all: [TransitionIndex] = []
        var seen: Set<TransitionIndex> = []
        for leaf in configuration where machine[leaf].isLeaf {
            var next: StateIndex? = leaf
            while let current = next {
                let state = machine[current]
                _ = state.first(for: selector) { index in
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
    /// Creates the failure of an expression, located at the expression's place in the definition.
    init(_ failure: EvaluationFailure, in state: StateIndex, prefix: String = "") {
        let program = failure.expression.program
        let line = failure.error.range.map { program.location(of: $0).line } ?? 1
        self.init(
            state: state, line: failure.expression.line + line - 1, expression: prefix + program.source,
            message: failure.error.message, discreet: failure.error.discreet)
    }
}
