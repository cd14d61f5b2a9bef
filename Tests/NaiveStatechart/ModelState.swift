package import Statechart

/// A state of a machine, as the specification speaks of it: a node in a tree of objects.
package final class ModelState {
    /// The kind of a state.
    package enum Kind: String {
        case atomic, compound, parallel, final, shallowHistory, deepHistory
    }

    /// The key, which is unique among the children of the parent.
    package var key: String
    /// The id in the definition; `nil` if the path is the id.
    package var id: String?
    package var kind: Kind
    /// The parent; `nil` for the root only. The machine keeps the tree alive.
    package unowned var parent: ModelState?
    /// The children, including history states, in document order.
    package var children: [ModelState] = []
    /// The initial transition of a compound state, or the default of a history state; `nil` if that uses its parent's.
    package var initial: ModelTransition?
    package var entry: [ModelAction] = []
    package var exit: [ModelAction] = []
    /// The delays of `after`, in document order.
    package var timeouts: [ModelTimeout] = []
    /// The invocations, in document order.
    package var invocations: [ModelInvocation] = []
    package var transitions: [ModelTransition] = []
    package var tags: [String] = []
    /// The output of a final state, if it has one.
    package var output: Template?
    /// The place in document order; the root's is 0.
    package fileprivate(set) var number = 0
    /// The keys from below the root, joined by dots; empty for the root.
    package fileprivate(set) var path = ""

    package init(key: String, kind: Kind) {
        self.key = key
        self.kind = kind
    }

    /// The name in `#id` and `done.state.<id>`; the root's id is its key.
    package var name: String { id ?? (parent == nil ? key : path) }

    package var isHistory: Bool { kind == .shallowHistory || kind == .deepHistory }

    /// The children without history states: `getChildStates`.
    package var childStates: [ModelState] { children.filter { !$0.isHistory } }

    /// The state and all below it, in document order.
    package var subtree: [ModelState] { [self] + children.flatMap(\.subtree) }

    /// Returns true if this state is a child of another, or a child of a child, and so on: `isDescendant`.
    package func isDescendant(of other: ModelState) -> Bool {
        var next = parent
        while let ancestor = next {
            if ancestor === other { return true }
            next = ancestor.parent
        }
        return false
    }

    /// Appends a child.
    package func add(_ child: ModelState) {
        child.parent = self
        children.append(child)
    }

    /// Returns the event of a delay of `after`.
    package func event(of timeout: ModelTimeout) -> String { "after.\(timeout.text).\(name)" }
}

extension ModelState: Hashable {
    package static func == (lhs: ModelState, rhs: ModelState) -> Bool { lhs === rhs }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A delay of `after`: a timer that runs while its state is active.
package struct ModelTimeout {
    /// The delay as in the definition.
    package let text: String
    package let milliseconds: Int64
    /// The lateness in milliseconds beyond which the timer changes nothing, whatever its transitions say. Only in
    /// machines of 0.1; `nil` for a timer that always fires.
    package let skip: Int64?

    package init(text: String, milliseconds: Int64, skip: Int64? = nil) {
        self.text = text
        self.milliseconds = milliseconds
        self.skip = skip
    }
}

/// An `invoke`: work that lasts while its state is active.
package struct ModelInvocation {
    /// The id, which is unique in the machine.
    package let id: String
    /// The timeout in milliseconds; `nil` for no limit.
    package var timeout: Int64?
    /// True if the input cannot be computed, so that the invocation never begins.
    package var fails = false

    package init(id: String) {
        self.id = id
    }

    /// The event of its result.
    package var done: String { "done.invoke.\(id)" }

    /// The event of its failure.
    package var failed: String { "error.invoke.\(id)" }
}

/// A machine, random or read from a definition.
package final class ModelMachine {
    package let root: ModelState
    package var isStrict: Bool
    /// The initial data of an instance.
    package var context: ModelContext
    /// The named guards, in the order of the definition.
    package let guards: [Expression]
    /// True if the machine takes steps by the rules of 0.1.
    package var isFirst: Bool
    /// The states in document order, the root first.
    package private(set) var states: [ModelState] = []

    /// Creates a machine from a complete tree. Every later change of the tree must be followed by `index()`.
    package init(
        root: ModelState, isStrict: Bool, context: ModelContext = ModelContext(), guards: [Expression] = [],
        isFirst: Bool = false
    ) {
        self.root = root
        self.isStrict = isStrict
        self.context = context
        self.guards = guards
        self.isFirst = isFirst
        index()
    }

    /// Numbers the states and finds their paths.
    package func index() {
        states = root.subtree
        for (number, state) in states.enumerated() {
            state.number = number
            if let parent = state.parent {
                state.path = parent.parent == nil ? state.key : "\(parent.path).\(state.key)"
            }
            // A delay without a transition cannot be written.
            state.timeouts.removeAll { timeout in
                !state.transitions.contains { $0.descriptor == state.event(of: timeout) }
            }
        }
    }
}
