package import Statechart

/// The states of a machine as a tree: the twin of a drawing for readers, and for machines that are too large to draw.
package struct StateOutline: Sendable, Equatable {
    /// The path; empty for the root.
    package let path: String
    /// The last part of the path; the machine's name for the root.
    package let name: String
    package let kind: State.Kind
    /// The states inside, with history states, in document order.
    package private(set) var children: [StateOutline]

    /// Returns the tree of a machine.
    package init(of machine: Machine) {
        var inner: [[StateOutline]] = Array(repeating: [], count: machine.states.count)
        // Children follow their parents in the list.
        for state in machine.states.dropFirst().reversed() {
            let outline = StateOutline(of: state, in: machine, children: inner[state.index.offset].reversed())
            inner[state.index.offset] = []
            if let parent = state.parent { inner[parent.offset].append(outline) }
        }
        self.init(of: machine[.root], in: machine, children: inner[0].reversed())
    }

    private init(of state: State, in machine: Machine, children: [StateOutline]) {
        path = state.path
        name = machine.key(of: state.index)
        kind = state.kind
        self.children = children
    }
}
