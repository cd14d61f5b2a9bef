import NaiveStatechart
import WorkflowJSON

extension MachineGenerator {
    /// Returns events for one instance, among them its migration to another version, and sometimes back.
    mutating func stimuli(for machine: ModelMachine, _ next: NextVersion) -> [Stimulus] {
        var stimuli = stimuli(for: machine, next: next.machine)
        let back = Dictionary(next.images.map { ($0.value, $0.key) }) { first, _ in first }
        var place = random.below(stimuli.count + 1)
        for turn in 0..<1 + random.below(4) {
            let plan =
                turn.isMultiple(of: 2)
                ? plan(from: machine, to: next.machine, next.images) : plan(from: next.machine, to: machine, back)
            var moving = [Stimulus.migrate(to: turn.isMultiple(of: 2) ? 2 : 1, plan)]
            if random.chance(15) { moving.insert(.repair(.suspend), at: 0) }
            if hasInvocations, random.chance(25) { moving.insert(.end(random.below(6), isDone: false), at: 0) }
            if random.chance(40) { moving.append(.repair(random.chance(50) ? .resume : .retry)) }
            stimuli.insert(contentsOf: moving, at: place)
            place = min(stimuli.count, place + moving.count + random.below(4))
        }
        return stimuli
    }

    /// Returns a plan that usually has a place for everything.
    private mutating func plan(
        from old: ModelMachine, to new: ModelMachine, _ images: [ModelState: ModelState]
    ) -> ModelPlan {
        var plan = ModelPlan()
        let isCareless = random.chance(45)
        for state in old.states.dropFirst() {
            if isCareless, random.chance(50) { continue }
            let image = images[state]
            if let image, fits(image, state) {
                if plan.path(of: state) != image.path { plan.map[state.path] = image.path }
            } else if state.childStates.isEmpty, !state.isHistory {
                settle(state, &plan, new, images)
            }
        }
        addNoise(&plan, old, new)
        changeData(&plan, old, new)
        plan.countsFromNow = random.chance(30)
        plan.cancelsInvocations = random.chance(50)
        return plan
    }

    private func fits(_ image: ModelState, _ state: ModelState) -> Bool {
        image.isHistory == state.isHistory && (image.kind != .final || state.kind == .final)
    }

    /// Finds a place for a leaf that is gone: usually the nearest remaining state above it.
    private mutating func settle(
        _ leaf: ModelState, _ plan: inout ModelPlan, _ new: ModelMachine, _ images: [ModelState: ModelState]
    ) {
        var above = leaf.parent
        while let state = above, state.parent != nil, images[state].map({ $0.isHistory || $0.kind == .final }) ?? true {
            above = state.parent
        }
        let isRegionGone = above?.parent == nil && above?.kind == .parallel
        if random.chance(isRegionGone ? 60 : 12) { return plan.drop.append(leaf.path) }
        let nearest = above.flatMap { images[$0] }.flatMap { $0.parent == nil ? nil : $0 }
        let places = new.states.dropFirst().filter { !$0.isHistory && $0.kind != .final }
        if leaf.kind == .final, random.chance(40), let end = random.pick(new.states.filter({ $0.kind == .final })) {
            plan.map[leaf.path] = end.path
            return
        }
        let target = random.chance(80) ? nearest ?? random.pick(places) : random.pick(places)
        if let target { plan.map[leaf.path] = target.path }
    }

    private mutating func addNoise(_ plan: inout ModelPlan, _ old: ModelMachine, _ new: ModelMachine) {
        let (states, targets) = (Array(old.states.dropFirst()), Array(new.states.dropFirst()))
        if random.chance(18), let state = random.pick(states) {
            let places = targets.filter { !$0.isHistory || state.isHistory }
            if let place = random.pick(places) { plan.map[state.path] = place.path }
        }
        if random.chance(8), let state = random.pick(states.filter(\.isHistory)) {
            if let place = random.pick(targets.filter(\.isHistory)) { plan.map[state.path] = place.path }
        }
        if random.chance(8), let state = random.pick(states) { plan.drop.append(state.path) }
        if random.chance(2), let state = random.pick(states) { plan.map[state.path] = "nowhere" }
        if random.chance(1), let target = random.pick(targets) { plan.map["nowhere"] = target.path }
        if random.chance(2), let state = random.pick(states), let place = random.pick(targets.filter(\.isHistory)) {
            plan.map[state.path] = place.path
        }
    }

    private mutating func changeData(_ plan: inout ModelPlan, _ old: ModelMachine, _ new: ModelMachine) {
        for key in Self.keys {
            guard let after = new.context[key] else {
                // A key that neither version declares is dropped by its long name only.
                let isKnown = old.context[key] != nil
                if random.chance(20) { plan.drop.append(isKnown && random.chance(50) ? key : "context.\(key)") }
                continue
            }
            let isSame = old.context[key].map { $0.kind == after.kind } ?? true
            if !isSame, after != .null, random.chance(75) {
                if random.chance(40) { plan.drop.append(key) } else { plan.assign[key] = .literal(after) }
            }
            if random.chance(5) {
                plan.assign[key] = random.pick([.key("n"), .key(random.pick(Self.keys) ?? ""), .literal("b"), .fails])
            }
        }
        if random.chance(10) { plan.assign["n"] = .literal(.int(Int64(random.below(4)))) }
        if random.chance(1) { plan.assign["nothing"] = .literal(1) }
    }
}

extension ModelPlan {
    /// Returns the path to which the plan moves a state.
    fileprivate func path(of state: ModelState) -> String {
        var keys: [String] = []
        var next: ModelState? = state
        while let ancestor = next, ancestor.parent != nil {
            if let target = map[ancestor.path] { return ([target] + keys).joined(separator: ".") }
            keys.insert(ancestor.key, at: 0)
            next = ancestor.parent
        }
        return state.path
    }
}
