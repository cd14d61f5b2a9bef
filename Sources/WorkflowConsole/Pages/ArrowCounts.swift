import Drawing
import Statechart
import WorkflowAPI
import WorkflowTerminal

/// The numbers at the arrows of a drawing: how often each was taken.
///
/// The journal says which event came, and which leaves were left and entered. The transitions are those of the shortest
/// chain that explains a leaf that was entered: one that takes the event, then those without an event and `onDone`. If
/// several chains are as short, the transitions that all of them have are counted.
struct ArrowCounts {
    private let machine: Machine
    /// The transitions without an event and those of `onDone`, each arrow once.
    private let following: [Transition]
    /// The first transition with the same ends as a transition: transitions with the same ends have the same arrow.
    private let firsts: [TransitionIndex]
    private var counts: [TransitionIndex: Int64] = [:]
    /// The steps for which no transition was found.
    private(set) var unexplained: Int64 = 0

    /// The most transitions of a chain.
    private static let longestChain = 8

    init(_ transitions: [TransitionStats], in machine: Machine) {
        self.machine = machine
        struct Ends: Hashable {
            let source: StateIndex
            let targets: [StateIndex]
        }
        var known: [Ends: TransitionIndex] = [:]
        let firsts = machine.transitions.map { transition in
            let ends = Ends(source: transition.source, targets: transition.targets)
            let first = known[ends] ?? transition.index
            known[ends] = first
            return first
        }
        self.firsts = firsts
        let own = Set(
            machine.transitions.filter { transition in
                transition.descriptor.map { $0 == "done.state." + machine[transition.source].id } ?? true
            }.map { firsts[$0.index.offset] })
        following = own.sorted().map { machine[$0] }
        for item in transitions {
            let taken = self.transitions(of: item)
            if taken.isEmpty, !item.from.isEmpty { unexplained &+= item.count }
            for transition in taken { counts[transition, default: 0] &+= item.count }
        }
    }

    /// The numbers as texts, which differ if the numbers differ.
    var texts: [String] { ["counts"] + counts.sorted { $0.key < $1.key }.map { "\($0.key.rawValue) \($0.value)" } }

    /// Returns the number at an arrow.
    func count(of transitions: [TransitionIndex]) -> SceneCount {
        let count = Set(transitions.map { firsts[$0.offset] }).reduce(0) { $0 &+ (counts[$1] ?? 0) }
        return SceneCount(
            text: Words.short(count) + "×", title: count == 1 ? "taken once" : "taken \(CountText.grouped(count)) times"
        )
    }

    // MARK: Chains

    /// Returns the transitions that a step took.
    private func transitions(of item: TransitionStats) -> Set<TransitionIndex> {
        let from = item.from.compactMap { machine.state(atPath: $0) }
        var sources: Set<StateIndex> = []
        for leaf in from {
            var next: StateIndex? = leaf
            while let state = next, sources.insert(state).inserted { next = machine[state].parent }
        }
        let beginnings = Set(sources.flatMap { machine[$0].transitions(on: item.event) }.map { firsts[$0.offset] })
        var taken: Set<TransitionIndex> = []
        for leaf in item.to.compactMap({ machine.state(atPath: $0) }) {
            taken.formUnion(chain(from: beginnings, leaving: from, to: leaf))
        }
        return taken
    }

    /// Returns what all of the shortest chains to a leaf have in common.
    private func chain(
        from beginnings: Set<TransitionIndex>, leaving from: [StateIndex], to leaf: StateIndex
    ) -> Set<TransitionIndex> {
        // The transitions that every chain to a transition has, by the last of them.
        var chains = Dictionary(uniqueKeysWithValues: beginnings.map { ($0, Set([$0])) })
        var known = beginnings
        for _ in 1...Self.longestChain where !chains.isEmpty {
            let landings = chains.keys.map { (index: $0, leaves: landing(of: machine[$0], leaving: from)) }
            let ends = landings.filter { $0.leaves.contains(leaf) }.compactMap { chains[$0.index] }
            if let first = ends.first { return ends.dropFirst().reduce(first) { $0.intersection($1) } }
            var longer: [TransitionIndex: Set<TransitionIndex>] = [:]
            for next in following where !known.contains(next.index) {
                for last in landings where follows(next, last.leaves) {
                    let chain = (chains[last.index] ?? []).union([next.index])
                    longer[next.index] = longer[next.index]?.intersection(chain) ?? chain
                }
            }
            chains = longer
            known.formUnion(longer.keys)
        }
        return []
    }

    /// Returns true if a transition without an event, or of `onDone`, is possible where some leaves are active.
    private func follows(_ transition: Transition, _ leaves: Set<StateIndex>) -> Bool {
        let source = machine[transition.source]
        return leaves.contains { leaf in
            transition.descriptor == nil
                ? leaf == source.index || source.isProperAncestor(of: leaf)
                : source.isProperAncestor(of: leaf) && machine[leaf].kind == .final
        }
    }

    // MARK: Leaves

    /// Returns the leaves that may be active after a transition; without a target it stays where it is.
    private func landing(of transition: Transition, leaving from: [StateIndex]) -> Set<StateIndex> {
        let source = machine[transition.source]
        guard !transition.targets.isEmpty else {
            return Set(from.filter { $0 == source.index || source.isProperAncestor(of: $0) })
        }
        return landing(on: transition.targets) { $0.index != source.index && !$0.isProperAncestor(of: source.index) }
    }

    /// - Parameter isEntered: Returns true for a state around a target that is entered with the target.
    private func landing(on targets: [StateIndex], isEntered: (State) -> Bool) -> Set<StateIndex> {
        var leaves = Set(targets.flatMap(landing(in:)))
        for target in targets {
            var next = machine[target].parent.map { machine[$0] }
            while let state = next, isEntered(state) {
                if state.kind == .parallel {
                    let others = state.children.filter { region in
                        !targets.contains { $0 == region || machine[region].isProperAncestor(of: $0) }
                    }
                    leaves.formUnion(others.flatMap(landing(in:)))
                }
                next = state.parent.map { machine[$0] }
            }
        }
        return leaves
    }

    /// Returns the leaves that may be active in a state that is entered.
    private func landing(in index: StateIndex) -> Set<StateIndex> {
        let state = machine[index]
        switch state.kind {
        case .atomic, .final: return [index]
        case .parallel: return Set(state.children.flatMap(landing(in:)))
        case .compound:
            return landing(on: state.initial?.targets ?? []) { state.isProperAncestor(of: $0.index) }
        case .shallowHistory, .deepHistory:
            // The leaves that were active before are not known.
            guard let parent = state.parent.map({ machine[$0] }) else { return [] }
            return Set(machine.states.filter { $0.isLeaf && parent.isProperAncestor(of: $0.index) }.map(\.index))
        }
    }
}
