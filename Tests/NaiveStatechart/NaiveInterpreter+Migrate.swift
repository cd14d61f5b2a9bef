import WorkflowJSON

/// The migration to another version, which SCXML does not have. It is written from its issue and from the manual,
/// "Moving instances". If these leave something open, a comment says `Open`.
extension NaiveInterpreter {
    /// The facts about the instance in its new version before anything is done.
    private struct Arrival {
        let move: NaiveMove
        /// The targets of the active leaves, in the order of the leaves.
        let targets: [ModelState]
        /// The active states of the new machine, and those of them that begin with their `initial`.
        var active = OrderedSet<ModelState>()
        var begun = OrderedSet<ModelState>()
        /// The active states of the new machine that stand for active states of the old one, with these.
        var sources: [ModelState: [ModelState]] = [:]
        var ended: [NaivePending] = []
        var cancelled: [String] = []
    }

    /// Migrates the instance; `nil` if it has ended.
    package func migrate(
        to new: ModelMachine, version: Int64, by plan: ModelPlan, at now: Int64
    ) -> Observation? {
        guard running else { return nil }
        guard plan.isPossible(from: machine, to: new) else { return .refused(.mistake) }
        let move = NaiveMove(old: machine, new: new, plan: plan)
        let (memory, forgotten) = move.memory(historyValue)
        let data = move.data(datamodel.object)
        var misfits = Set(data.misfits)
        let targets = places(&misfits, move)
        var arrival = Arrival(move: move, targets: targets)
        var arriving: [NaivePending] = []
        if misfits.isSubset(of: data.misfits) {
            activate(&arrival, memory)
            if isAtAnEnd(arrival) { misfits.insert(targets.map(\.path).joined(separator: ", ")) }
        }
        if misfits.isSubset(of: data.misfits) {
            arriving = movedPending(&arrival, &misfits)
        }
        guard misfits.isEmpty else { return .misfits(misfits.sorted()) }
        let (numberBefore, enteredBefore) = (lastNumber, enteredAt)
        let wasRunning = !hasFailed && !isSuspended
        let observation = macrostep(of: Event(name: "migrate", at: now), settles: wasRunning) {
            self.become(new, version)
            self.historyValue = memory
            self.datamodel = data.after
            self.pending = arriving
            self.arrive(arrival, since: plan.countsFromNow ? now : enteredBefore)
        }
        guard case .accepted(let step) = observation else {
            return !wasRunning && observation == .refused(.notAccepted) ? .misfits(["entry"]) : observation
        }
        if !wasRunning { isUnsettled = true }
        // A new state around another one makes no difference to how long that has been active.
        let leaves = configuration.toList().filter(isAtomicState)
        let isMove = !step.exited.isEmpty || Set(leaves) != Set(targets)
        enteredAt = isMove ? now : enteredBefore
        amendMemory()
        return .migrated(
            step,
            told: [
                isMove ? "move" : "rename", "targets " + targets.map(\.path).joined(separator: ", "),
                "kept " + told { $0.number <= numberBefore }, "new " + told { $0.number > numberBefore },
                "ended " + arrival.ended.map(\.event).joined(separator: ", "),
                "cancelled " + arrival.cancelled.joined(separator: ", "),
                "forgotten " + forgotten.joined(separator: ", "),
                "undeclared " + data.undeclared.joined(separator: ", "),
            ])
    }

    private func told(_ isMeant: (NaivePending) -> Bool) -> String {
        pending.filter { !$0.isImmediate && !$0.isInvocation && !$0.isKept && isMeant($0) }
            .map { "\($0.event) at \($0.due)" }.joined(separator: ", ")
    }

    /// Returns the targets of the active leaves.
    private func places(_ misfits: inout Set<String>, _ move: NaiveMove) -> [ModelState] {
        let leaves = configuration.toList().filter { isAtomicState($0) && !move.isDropped($0) }
        if leaves.isEmpty { misfits.insert("drop") }
        var places: [ModelState] = []
        for leaf in leaves.sorted(by: documentOrder) {
            guard let place = move.place(of: leaf) else {
                misfits.insert(leaf.path)
                continue
            }
            // It is open which of two states that cannot be together is told. Here it is the later.
            if places.allSatisfy({ move.areTogether($0, place) }) {
                places.append(place)
            } else {
                misfits.insert(leaf.path)
            }
        }
        return places
    }

    /// Finds the active states in the new version. The targets of the leaves are entered, with the states around and
    /// below them, as by a transition. But a state that stands for an active one is active already.
    private func activate(_ arrival: inout Arrival, _ memory: [ModelState: [ModelState]]) {
        let targets = arrival.targets
        let lowest = targets.filter { target in !targets.contains { $0.isDescendant(of: target) } }
        let remembered = historyValue
        historyValue = memory
        defer { historyValue = remembered }
        for target in lowest { addDescendantStatesToEnter(target, &arrival.active, &arrival.begun) }
        for target in lowest { addAncestorStatesToEnter(target, nil, &arrival.active, &arrival.begun) }
        for state in configuration.toList().sorted(by: documentOrder) where !arrival.move.isDropped(state) {
            guard let image = arrival.move.image(of: state), arrival.active.isMember(image),
                arrival.move.isReached(image, from: state)
            else { continue }
            arrival.sources[image, default: []].append(state)
        }
    }

    /// Returns true if a machine with a parallel root has ended before anything is entered, which it would not notice.
    private func isAtAnEnd(_ arrival: Arrival) -> Bool {
        func hasEnded(_ state: ModelState) -> Bool {
            switch state.kind {
            case .parallel: state.childStates.allSatisfy(hasEnded)
            case .compound: state.childStates.contains { $0.kind == .final && arrival.sources[$0] != nil }
            default: false
            }
        }
        let root = arrival.move.new.root
        return root.kind == .parallel && hasEnded(root)
    }

    /// Returns the pending items as they are in the new version.
    private func movedPending(_ arrival: inout Arrival, _ misfits: inout Set<String>) -> [NaivePending] {
        var moved: [NaivePending] = []
        for own in pending {
            var place: NaivePending?
            var image: ModelState?
            switch own.owner {
            case .send:
                let isKnown = arrival.move.new.states.contains { state in
                    state.transitions.contains { $0.descriptor.map { fits($0, own.event) } ?? false }
                }
                if isKnown { place = own }
            case .state(let owner):
                image = arrival.sources.first { $0.value.contains(owner) }?.key
                place = image.flatMap { self.place(of: own, from: owner, in: $0) }
            }
            if own.isKept {
                // An invocation that a person has to look at waits, whatever the new version has. But if the new
                // version begins it in another state, there would be two of it.
                let isElsewhere = arrival.move.new.states.contains { state in
                    state.invocations.contains { $0.id == own.invocation }
                }
                if let id = own.invocation, place == nil, isElsewhere { misfits.insert(id) }
                moved.append(place ?? own.owned(by: image ?? arrival.move.new.root))
            } else if let place {
                moved.append(place)
            } else {
                if own.invocation == nil { arrival.ended.append(own) }
                guard own.isInvocation, let id = own.invocation else { continue }
                arrival.cancelled.append(id)
                if !arrival.move.plan.cancelsInvocations { misfits.insert(id) }
            }
        }
        return moved
    }

    /// Returns the place of a timer or an invocation in the state that stands for its own; `nil` if that state has no
    /// such item.
    private func place(of own: NaivePending, from owner: ModelState, in image: ModelState) -> NaivePending? {
        if let id = own.invocation {
            return image.invocations.contains { $0.id == id } ? own.owned(by: image) : nil
        }
        guard let delay = owner.timeouts.first(where: { owner.event(of: $0) == own.event }),
            let timeout = image.timeouts.first(where: { $0.text == delay.text })
        else { return nil }
        var moved = own.owned(by: image)
        moved.event = image.event(of: timeout)
        moved.skip = timeout.skip
        return moved
    }

    /// Begins the new items of states that are active already, and enters the other states.
    ///
    /// Open: the order. First come the timers, then the invocations, then the states; each in document order.
    private func arrive(_ arrival: Arrival, since: Int64) {
        let kept = arrival.sources.keys.sorted(by: documentOrder)
        configuration.clear()
        for state in kept { configuration.add(state) }
        for state in kept {
            for timeout in state.timeouts {
                let sources = arrival.sources[state] ?? []
                // A timer that an old state had, and that runs no more, has fired.
                if sources.contains(where: { $0.timeouts.contains { $0.text == timeout.text } }) { continue }
                arm(timeout, of: state, due: since + timeout.milliseconds)
            }
        }
        for state in kept {
            for invocation in state.invocations {
                let sources = arrival.sources[state] ?? []
                if sources.contains(where: { $0.invocations.contains { $0.id == invocation.id } }) { continue }
                // The invocation that the instance has failed on waits for a person.
                if pending.contains(where: { $0.isKept && $0.invocation == invocation.id }) { continue }
                invoke(invocation, in: state)
            }
        }
        var entering = arrival.active
        // An end that was reached before is not reached again.
        for state in kept where state.kind == .final { entering.delete(state) }
        enter(entering, arrival.begun)
    }
}

extension NaivePending {
    /// Returns the same item, owned by another state. A sent event has no owner and stays as it is.
    fileprivate func owned(by state: ModelState) -> NaivePending {
        var own = self
        if case .state = owner { own.owner = .state(state) }
        return own
    }
}
