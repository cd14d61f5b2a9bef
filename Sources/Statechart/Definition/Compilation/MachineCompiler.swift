import WorkflowCEL

/// Builds the tables of a machine from its draft, and compiles all expressions.
struct MachineCompiler {
    private let draft: MachineDraft
    private var expressions: ExpressionCompiler
    private var actions: ActionCompiler
    private var transitions: [Transition] = []
    /// The default targets of history states without a target, by parent: the history states share one list.
    private var borrowedTargets: [StateIndex: [StateIndex]] = [:]

    init(_ draft: MachineDraft, _ diagnostics: DiagnosticList) {
        self.draft = draft
        expressions = ExpressionCompiler(draft, diagnostics)
        actions = ActionCompiler(draft)
    }

    /// Returns the machine; `nil` if the draft, or an expression in it, has mistakes. `diagnostics` receives the
    /// mistakes.
    mutating func machine(_ diagnostics: inout DiagnosticList) -> Machine? {
        let guards = expressions.namedGuards()
        for list in draft.namedActions { _ = actions.list(list.name, &expressions) }
        let states = draft.states.map { state($0) }
        diagnostics = expressions.found
        guard diagnostics.errors.isEmpty else { return nil }
        return Machine(
            name: draft.name, semantics: draft.semantics, isStrict: draft.isStrict, description: draft.description,
            states: states, transitions: transitions, context: draft.context, contextTypes: draft.contextTypes,
            guards: guards, eventData: draft.eventData, emits: draft.emits)
    }

    private mutating func state(_ state: StateDraft) -> State {
        let first = transitions.count
        for transition in state.transitions { transitions.append(self.transition(transition, of: state)) }
        return State(
            index: state.index, parent: state.parent, path: state.path, id: draft.id(of: state), kind: state.kind,
            lastDescendant: state.lastDescendant,
            children: state.children.filter { !draft[$0].isHistory },
            histories: state.children.filter { draft[$0].isHistory },
            initial: initial(of: state), entry: actions.actions(state.entry, &expressions),
            exit: actions.actions(state.exit, &expressions), timeouts: timeouts(of: state),
            invocations: state.invocations.compactMap { invocation($0, of: state) },
            output: state.output.flatMap { expressions.template($0) }, tags: state.isHistory ? [] : state.tags,
            candidates: candidates(of: state, firstTransition: first),
            eventless: indices(of: state, firstTransition: first) { $0.trigger == .always },
            line: state.position.line)
    }

    private mutating func initial(of state: StateDraft) -> Initial? {
        if let initial = state.initial {
            return Initial(
                targets: initial.targets.compactMap(\.state), actions: actions.actions(initial.actions, &expressions))
        }
        // A history state without a target defaults to its parent's beginning.
        guard state.isHistory, let parent = state.parent else { return nil }
        return Initial(targets: borrowedTargets(from: draft[parent]), actions: [])
    }

    private mutating func borrowedTargets(from parent: StateDraft) -> [StateIndex] {
        if let known = borrowedTargets[parent.index] { return known }
        let targets =
            parent.initial?.targets.compactMap(\.state) ?? parent.children.filter { !draft[$0].isHistory }
        borrowedTargets[parent.index] = targets
        return targets
    }

    private mutating func timeouts(of state: StateDraft) -> [Timeout] {
        // Under later semantics each transition has its own rule.
        let misfires = draft.semantics == .first ? draft.misfires(in: state) : [:]
        return state.timeouts.compactMap { timeout in
            expressions.delay(timeout.delay).map { delay in
                Timeout(
                    event: draft.timeoutEvent(timeout.word.text, of: state), delay: delay,
                    misfire: misfires[.after(timeout.word.text)] ?? .fire,
                    line: timeout.word.position.line)
            }
        }
    }

    private mutating func invocation(_ invocation: InvocationDraft, of state: StateDraft) -> Invocation? {
        guard let action = invocation.action.flatMap({ expressions.action($0) }) else { return nil }
        return Invocation(
            id: draft.id(of: invocation, in: state), action: action,
            timeout: invocation.timeout.flatMap { expressions.delay($0) }, retry: invocation.retry,
            line: invocation.position.line)
    }

    private mutating func transition(_ transition: TransitionDraft, of state: StateDraft) -> Transition {
        // The event is certain only if its exact name is given.
        let event: String? = if case .event(let descriptor) = transition.trigger { descriptor } else { nil }
        return Transition(
            index: TransitionIndex(transitions.count), source: state.index,
            targets: transition.targets.compactMap(\.state),
            condition: transition.condition.flatMap { expressions.condition($0, event: event) },
            reenters: transition.reenters, actions: actions.actions(transition.actions, event: event, &expressions),
            descriptor: draft.descriptor(of: transition, in: state),
            misfire: draft.semantics == .first ? .fire : transition.misfire ?? .fire, line: transition.position.line)
    }

    private func indices(
        of state: StateDraft, firstTransition: Int, where isWanted: (TransitionDraft) -> Bool
    ) -> [TransitionIndex] {
        state.transitions.indices.filter { isWanted(state.transitions[$0]) }
            .map { TransitionIndex(firstTransition + $0) }
    }

    private func candidates(of state: StateDraft, firstTransition: Int) -> CandidateTable {
        var byDescriptor: [String: [TransitionIndex]] = [:]
        let indices = indices(of: state, firstTransition: firstTransition) { $0.trigger != .always }
        for index in indices.ranked(by: { state.transitions[$0.offset - firstTransition].trigger.rank }) {
            let transition = state.transitions[index.offset - firstTransition]
            guard let descriptor = draft.descriptor(of: transition, in: state) else { continue }
            byDescriptor[descriptor, default: []].append(index)
        }
        // A timeout's name is never a family, even if its delay ends with `.*`.
        let isFamily = { (descriptor: String) in
            descriptor.hasSuffix(".*") && !descriptor.hasPrefix(EventName.timeoutPrefix)
        }
        let any = byDescriptor.removeValue(forKey: "*") ?? []
        let prefixes = byDescriptor.filter { isFamily($0.key) }
        return CandidateTable(
            exact: byDescriptor.filter { !isFamily($0.key) },
            prefixes: prefixes.map { CandidateTable.Prefix(name: String($0.key.dropLast(2)), transitions: $0.value) },
            any: any)
    }
}
