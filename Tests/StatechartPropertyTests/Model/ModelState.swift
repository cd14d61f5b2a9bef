/// A state of a random machine, as the specification speaks of it: a node in a tree of objects.
final class ModelState {
    enum Kind: String {
        case atomic, compound, parallel, final, shallowHistory, deepHistory
    }

    /// Unique in the whole machine.
    let key: String
    /// The written id; nil when the path is the id.
    var id: String?
    var kind: Kind
    /// Nil for the root only. The machine keeps the tree alive.
    unowned var parent: ModelState?
    /// All children, history states among them, in document order.
    var children: [ModelState] = []
    /// Of a compound state its initial transition; of a history state its default, nil when it borrows its parent's.
    var initial: ModelTransition?
    var entry: [ModelAction] = []
    var exit: [ModelAction] = []
    var transitions: [ModelTransition] = []
    /// The place in document order; the root's is 0.
    fileprivate(set) var number = 0
    /// The keys from below the root, joined by dots; empty for the root.
    fileprivate(set) var path = ""

    init(key: String, kind: Kind) {
        self.key = key
        self.kind = kind
    }

    /// What `#id` and `done.state.<id>` name; the root's id is its key.
    var name: String { id ?? (parent == nil ? key : path) }

    var isHistory: Bool { kind == .shallowHistory || kind == .deepHistory }

    /// `getChildStates`: without history states.
    var childStates: [ModelState] { children.filter { !$0.isHistory } }

    /// The state and all below it, in document order.
    var subtree: [ModelState] { [self] + children.flatMap(\.subtree) }

    /// `isDescendant`: whether this state is a child of another, or a child of a child, and so on.
    func isDescendant(of other: ModelState) -> Bool {
        var next = parent
        while let ancestor = next {
            if ancestor === other { return true }
            next = ancestor.parent
        }
        return false
    }

    /// Appends a child.
    func add(_ child: ModelState) {
        child.parent = self
        children.append(child)
    }
}

extension ModelState: Hashable {
    static func == (lhs: ModelState, rhs: ModelState) -> Bool { lhs === rhs }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A random machine.
final class ModelMachine {
    let root: ModelState
    var isStrict: Bool
    /// In document order, the root first.
    private(set) var states: [ModelState] = []

    /// Takes a whole tree; `index()` must follow every change of it.
    init(root: ModelState, isStrict: Bool) {
        self.root = root
        self.isStrict = isStrict
        index()
    }

    /// Numbers the states and finds their paths.
    func index() {
        states = root.subtree
        for (number, state) in states.enumerated() {
            state.number = number
            guard let parent = state.parent else { continue }
            state.path = parent.parent == nil ? state.key : "\(parent.path).\(state.key)"
        }
    }
}
