import WorkflowJSON

/// The mapping of an instance's states and data to another version.
struct NaiveMove {
    let old: ModelMachine
    let new: ModelMachine
    let plan: ModelPlan

    /// Returns the state of the new machine that stands for an old one: by the map, which applies to all states below,
    /// or the one with the same path.
    func image(of state: ModelState) -> ModelState? {
        if state == old.root { return new.root }
        var keys: [String] = []
        var next: ModelState? = state
        while let ancestor = next {
            if let target = plan.map[ancestor.path] { return new.state(at: ([target] + keys).joined(separator: ".")) }
            keys.insert(ancestor.key, at: 0)
            next = ancestor.parent
        }
        return new.state(at: state.path)
    }

    /// Returns true if the plan drops a state, or a state above it.
    func isDropped(_ state: ModelState) -> Bool {
        plan.drop.contains { path in
            old.state(at: path).map { $0 == state || state.isDescendant(of: $0) } ?? false
        }
    }

    /// Returns the target of an active leaf; `nil` if it has no place.
    func place(of leaf: ModelState) -> ModelState? {
        guard let image = image(of: leaf), !image.isHistory else { return nil }
        return isReached(image, from: leaf) && !isEnd(image) ? image : nil
    }

    /// Returns true if a state may stand for another without being entered: nothing is moved to an end that it has not
    /// reached.
    func isReached(_ image: ModelState, from state: ModelState) -> Bool {
        image.kind != .final || state.kind == .final
    }

    /// Returns true if the instance would be at its end, which it would not notice.
    private func isEnd(_ image: ModelState) -> Bool { image.kind == .final && image.parent == new.root }

    /// Returns true if two states can be active at the same time.
    func areTogether(_ one: ModelState, _ other: ModelState) -> Bool {
        if one == other || one.isDescendant(of: other) || other.isDescendant(of: one) { return true }
        var above = one.parent
        while let ancestor = above, !other.isDescendant(of: ancestor) { above = ancestor.parent }
        return above?.kind == .parallel
    }

    /// Returns the states that history states remember, and the paths of those that lose their memory.
    func memory(
        _ historyValue: [ModelState: [ModelState]]
    ) -> (memory: [ModelState: [ModelState]], forgotten: [String]) {
        var memory: [ModelState: [ModelState]] = [:]
        var forgotten: [String] = []
        for (history, states) in historyValue.sorted(by: { $0.key.number < $1.key.number }) {
            if let place = image(of: history), let moved = remembered(states, by: place), memory[place] == nil {
                memory[place] = moved
            } else {
                forgotten.append(history.path)
            }
        }
        return (memory, forgotten)
    }

    /// Returns states as a history state of the new machine could remember them; `nil` if it could not.
    private func remembered(_ states: [ModelState], by history: ModelState) -> [ModelState]? {
        guard history.isHistory, let parent = history.parent else { return nil }
        var moved = OrderedSet<ModelState>()
        for state in states {
            guard let image = image(of: state), !image.isHistory else { return nil }
            switch history.kind {
            case .deepHistory:
                guard image.childStates.isEmpty, image.isDescendant(of: parent) else { return nil }
            default:
                guard image.parent == parent else { return nil }
            }
            moved.add(image)
        }
        guard moved.every({ one in moved.every { areTogether(one, $0) } }) else { return nil }
        return moved.toList()
    }

    /// Returns the data in the new version, its misfits, and the keys that the new version does not declare.
    func data(_ before: JSONObject) -> (after: ModelContext, misfits: [String], undeclared: [String]) {
        var rest = before
        for path in plan.drop where old.state(at: path) == nil {
            rest[path.hasPrefix("context.") ? String(path.dropFirst("context.".count)) : path] = nil
        }
        var after = JSONObject()
        var misfits: [String] = []
        for first in new.context.object.members {
            var value = rest[first.key] ?? first.value
            // Only a strict machine holds an assigned value to its type.
            var isHeld = true
            if let asked = plan.assign[first.key] {
                isHeld = new.isStrict
                value = .null
                if let computed = asked.computed(over: before) { value = computed } else { misfits.append(first.key) }
            }
            if case (.int(let int), .double) = (value, first.value) { value = .double(Double(int)) }
            if isHeld, first.value != .null, value.kind != first.value.kind { misfits.append(first.key) }
            after[first.key] = value
        }
        let undeclared = rest.members.filter { new.context[$0.key] == nil }
        for member in undeclared { after[member.key] = member.value }
        return (ModelContext(after), misfits.map { "context.\($0)" }, undeclared.map(\.key))
    }
}

extension ModelPlan.Value {
    fileprivate func computed(over data: JSONObject) -> JSONValue? {
        switch self {
        case .literal(let value): value
        case .key(let key): data[key]
        case .fails: nil
        }
    }
}
