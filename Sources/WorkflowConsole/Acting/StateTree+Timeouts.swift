import Statechart

extension StateTree {
    /// True if instances of the machine can wait for effects.
    var hasEffects: Bool { machine.hasEffects }

    /// Returns the paths of some leaves and of all states around them, each once.
    func lineages(_ leaves: [String]) -> [String] {
        let all = Set(leaves.flatMap(lineage))
        return machine.states.map(\.path).filter(all.contains)
    }

    /// Returns the events of the timers that begin with a state.
    func timeouts(of path: String) -> [String] {
        machine.state(atPath: path).map { machine[$0].timeouts.map(\.event) } ?? []
    }
}
