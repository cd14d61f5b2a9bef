import Drawing
import Statechart

/// Finds the places where a machine behaves differently because definitions follow SCXML, not XState.
/// `docs/semantics.md` lists all differences.
struct XStateDifferences {
    let machine: Machine
    var found: [ImportDifference] = []
    /// The remaining comparisons. The limit bounds the cost of a hostile text; a real machine needs a fraction.
    var comparisons = 5_000_000

    /// Returns the differences of a machine, at lines of its definition.
    static func found(in machine: Machine) -> [ImportDifference] {
        var differences = XStateDifferences(machine)
        for transition in machine.transitions {
            differences.findIdleLoop(transition)
            differences.findLeaving(transition)
            differences.findBoth(transition)
            differences.findBeginningAgain(transition)
            differences.findReentering(transition)
            differences.findHistoryOfItself(transition)
            differences.findHistoryBelow(transition)
        }
        differences.findInitialActions()
        differences.findCancelled()
        return differences.found
    }

    private init(_ machine: Machine) {
        self.machine = machine
    }

    /// Finds an `always` that changes nothing: XState checks for a change, SCXML does not.
    private mutating func findIdleLoop(_ transition: Transition) {
        guard transition.descriptor == nil, !transition.actions.contains(where: \.assigns) else { return }
        let isStaying = transition.targets == [transition.source] && !transition.reenters
        guard transition.targets.isEmpty || isStaying else { return }
        let message = "XState takes an 'always' that changes nothing once; here it is taken until the event fails"
        found.append(ImportDifference(line: transition.line, message: message))
    }

    /// Finds a transition from one region to another. Such a transition stays inside a compound state (SCXML 3.13), but
    /// never inside a parallel state.
    private mutating func findLeaving(_ transition: Transition) {
        let (source, states) = (machine[transition.source], ancestors(of: transition.source))
        for target in transition.targets where target != source.index && !source.isProperAncestor(of: target) {
            guard let common = states.first(where: { machine[$0].isProperAncestor(of: target) }),
                machine[common].kind == .parallel
            else { continue }
            let name = machine.key(of: common)
            let message = "this transition between regions leaves '\(name)' and enters it again; XState stays in it"
            found.append(ImportDifference(line: transition.line, message: message))
            return
        }
    }

    /// Finds a transition of an ancestor, and another for the same event in a region below. If either has no target,
    /// they do not exclude each other.
    private mutating func findBoth(_ outer: Transition) {
        let source = machine[outer.source]
        guard let descriptor = outer.descriptor, !source.children.isEmpty else { return }
        for inner in machine.transitions {
            guard comparisons > 0 else { return }
            comparisons -= 1
            guard outer.targets.isEmpty || inner.targets.isEmpty, source.isProperAncestor(of: inner.source),
                let other = inner.descriptor,
                Self.takes(descriptor, other) || Self.takes(other, descriptor),
                let region = region(of: inner.source, below: outer.source)
            else { continue }
            let runs =
                outer.targets.isEmpty ? "this transition runs for the other regions too" : "this one is taken too"
            found.append(
                ImportDifference(
                    line: outer.line,
                    message: "when the region '\(region)' takes '\(other)', \(runs); in XState it does not",
                    decides: !outer.targets.isEmpty))
            return
        }
    }

    /// Returns the region of a parallel state in which a state lies below another state.
    private func region(of state: StateIndex, below ancestor: StateIndex) -> String? {
        var index = state
        while index != ancestor, let parent = machine[index].parent {
            if machine[parent].kind == .parallel, machine[parent].children.count > 1 { return machine.key(of: index) }
            index = parent
        }
        return nil
    }

    func ancestors(of state: StateIndex) -> [StateIndex] {
        var ancestors: [StateIndex] = []
        var index = state
        while let parent = machine[index].parent {
            ancestors.append(parent)
            index = parent
        }
        return ancestors
    }

    /// Returns true if a descriptor matches all events of another.
    static func takes(_ descriptor: String, _ other: String) -> Bool {
        if descriptor == "*" || descriptor == other { return true }
        guard descriptor.hasSuffix(".*") else { return false }
        let family = descriptor.dropLast(2)
        return other == family || other.hasPrefix(family + ".")
    }
}

extension Action {
    /// True if the action changes the context.
    fileprivate var assigns: Bool {
        switch self {
        case .assign, .foreach: true
        case .choose(let branches, _): branches.contains { $0.actions.contains(where: \.assigns) }
        case .raise, .send, .emit, .cancel, .log, .call: false
        }
    }
}
