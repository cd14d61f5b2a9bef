import WorkflowSpelling

/// Finds the states that words refer to: siblings and descendants by key, any state by id.
///
/// Keys may contain dots, but no two states have the same path. So following keys from a state is one lookup by path.
struct TargetResolver {
    private let states: [StateDraft]
    private let paths: [String: StateIndex]
    /// The states by id, and by path if no other state has the path as its id. The root's id yields to another state's.
    private let ids: [String: StateIndex]

    /// Collects the names of all states, and reports each name that two states share.
    init(_ draft: MachineDraft, diagnostics: inout DiagnosticList) {
        states = draft.states
        var paths: [String: StateIndex] = [:]
        for state in draft.states.dropFirst() {
            if let other = paths[state.path] {
                let message =
                    "the path \(state.path.quoted) is also that of the state on line \(draft[other].position.line)"
                diagnostics.error(message, at: state.position)
            } else {
                paths[state.path] = state.index
            }
        }
        var ids = [draft.name: StateIndex.root].merging(paths) { _, path in path }
        var written: [String: SourcePosition] = [:]
        for state in draft.states {
            guard let id = state.id else { continue }
            if let other = written.updateValue(id.position, forKey: id.text) {
                diagnostics.error("the id \(id.text.quoted) is also used on line \(other.line)", at: id.position)
            } else if let other = paths[id.text], other != state.index {
                let message =
                    "the id \(id.text.quoted) is also the path of the state on line \(draft[other].position.line)"
                diagnostics.error(message, at: id.position)
            }
            ids[id.text] = state.index
        }
        self.paths = paths
        self.ids = ids
    }

    /// The state from which a word is looked up.
    enum Base {
        /// The keys are those of the state's siblings.
        case transition(of: StateIndex)
        /// The keys are those of the state's children.
        case initial(of: StateIndex)
    }

    /// Returns the state that a word refers to; `nil` if there is none.
    func state(_ word: String, from base: Base) -> StateIndex? {
        // No path and no id is longer, so the check bounds the lookups.
        guard word.utf8.count <= 2 * DefinitionLimits.pathBytes else { return nil }
        if word.hasPrefix("#") { return identified(word.dropFirst()) }
        let (start, keys) = start(of: word, from: base)
        return start.flatMap { paths[states[$0.offset].path(ofChild: keys)] }
    }

    /// Returns the state whose children's keys a word begins with, and the word without its leading dot.
    private func start(of word: String, from base: Base) -> (StateIndex?, Substring) {
        let isBelow = word.hasPrefix(".")
        let keys = isBelow ? word.dropFirst() : word[...]
        switch base {
        case .initial(of: let index): return (index, keys)
        case .transition(of: let index): return (isBelow ? index : states[index.offset].parent, keys)
        }
    }

    /// Returns the state of `id` or `id.child`; the longest matching id wins.
    private func identified(_ word: Substring) -> StateIndex? {
        if let state = ids[String(word)] { return state }
        var id = word
        while let dot = id.lastIndex(of: ".") {
            id = id[..<dot]
            guard let start = ids[String(id)] else { continue }
            let keys = word[word.index(after: dot)...]
            if let state = paths[states[start.offset].path(ofChild: keys)] { return state }
        }
        return nil
    }
}

extension TargetResolver {
    /// Returns the message about a word that refers to no state.
    func message(_ word: String, from base: Base, _ diagnostics: DiagnosticList) -> String {
        if case .transition(of: .root) = base, !word.hasPrefix("."), !word.hasPrefix("#") {
            return "the root has no siblings: write \(("." + word).quoted) for one of its states"
        }
        let hint = diagnostics.isWorthSuggesting ? hint(word, from: base) : ""
        return "target \(word.quoted) does not exist\(hint)"
    }

    private func hint(_ word: String, from base: Base) -> String {
        if word.hasPrefix("#") {
            return Spelling.closest(to: String(word.dropFirst()), among: ids.keys.sorted())
                .map { "; did you mean \("#\($0)".quoted)?" } ?? "; no state has this id"
        }
        let (start, keys) = start(of: word, from: base)
        guard let start else { return "" }
        let prefix = word.hasPrefix(".") ? "." : ""
        let parent = states[start.offset]
        let near = keys.contains(".") ? descendants(of: parent) : parent.children.map { states[$0.offset].key }
        if let closest = Spelling.closest(to: String(keys), among: near) {
            return "; did you mean \((prefix + closest).quoted)?"
        }
        if let other = states.first(where: { $0.key == keys && $0.parent != nil }) {
            return "; did you mean \("#\(other.id?.text ?? other.path)".quoted)?"
        }
        let shown = near.prefix(8).map { (prefix + $0).quoted }.joined(separator: ", ")
        if near.isEmpty { return "; \(parent.nameInMessages) has no states" }
        return near.count > 8 ? "; there are \(shown) and \(near.count - 8) more" : "; there are \(shown)"
    }

    private func descendants(of state: StateDraft) -> [String] {
        guard state.lastDescendant > state.index else { return [] }
        let skipped = state.parent == nil ? 0 : state.path.utf8.count + 1
        return states[(state.index.offset + 1)...state.lastDescendant.offset].map {
            String(decoding: $0.path.utf8.dropFirst(skipped), as: UTF8.self)
        }
    }
}
