package import Statechart

/// A feature that the naive interpreter lacks: a machine that needs it cannot be compared.
package struct NotUnderstood: Error, CustomStringConvertible {
    let what: String

    package var description: String { "the naive interpreter does not understand \(what)" }
}

extension ModelMachine {
    /// Creates the machine of a definition that was read. It takes only the definition, and no table of the step.
    package convenience init(reading machine: Machine) throws {
        guard machine.eventData.isEmpty else { throw NotUnderstood(what: "types of events") }
        var models: [ModelState] = []
        for state in machine.states {
            let parent = state.parent.map { models[$0.offset] }
            let above = machine.states[state.parent?.offset ?? 0].path
            let key = state.path.dropFirst(above.isEmpty ? 0 : above.count + 1)
            guard let kind = ModelState.Kind(rawValue: state.kind.rawValue) else {
                throw NotUnderstood(what: "a state that is \(state.kind)")
            }
            let model = ModelState(key: parent == nil ? machine.name : String(key), kind: kind)
            model.id = state.id
            model.tags = state.tags
            model.output = state.output
            model.entry = try Self.actions(state.entry)
            model.exit = try Self.actions(state.exit)
            model.timeouts = try state.timeouts.map { try Self.timeout($0, of: state) }
            model.invocations = try state.invocations.map(Self.invocation)
            parent?.add(model)
            models.append(model)
        }
        for state in machine.states {
            guard let initial = state.initial else { continue }
            let model = ModelTransition(
                of: models[state.index.offset], on: .initial, to: Self.targets(initial.targets, models))
            model.actions = try Self.actions(initial.actions)
            models[state.index.offset].initial = model
        }
        for transition in machine.transitions {
            let source = models[transition.source.offset]
            let model = ModelTransition(
                of: source, on: transition.descriptor.map(ModelTransition.Trigger.event) ?? .always,
                to: Self.targets(transition.targets, models))
            model.reenters = transition.reenters
            model.misfire = transition.misfire.limit.map {
                ModelMisfire(limit: $0, rearms: transition.misfire.rearms)
            }
            model.condition = transition.condition.map(ModelGuard.written)
            model.actions = try Self.actions(transition.actions)
            source.transitions.append(model)
        }
        self.init(
            root: models[0], isStrict: machine.isStrict, context: ModelContext(machine.context),
            guards: machine.guards, isFirst: machine.semantics == .first)
    }

    private static func targets(_ indices: [StateIndex], _ models: [ModelState]) -> [ModelTarget] {
        indices.map { ModelTarget(state: models[$0.offset], spelling: 0) }
    }

    private static func timeout(_ timeout: Timeout, of state: State) throws -> ModelTimeout {
        guard case .milliseconds(let milliseconds) = timeout.delay else {
            throw NotUnderstood(what: "a delay that is computed")
        }
        let text = timeout.event.dropFirst("after.".count).dropLast(state.id.count + 1)
        return ModelTimeout(text: String(text), milliseconds: milliseconds, skip: timeout.misfire.limit)
    }

    private static func invocation(_ invocation: Invocation) throws -> ModelInvocation {
        var model = ModelInvocation(id: invocation.id)
        switch invocation.timeout {
        case .milliseconds(let milliseconds)?: model.timeout = milliseconds
        case .expression?: throw NotUnderstood(what: "a timeout that is computed")
        case nil: break
        }
        return model
    }

    private static func actions(_ actions: [Action]) throws -> [ModelAction] {
        try actions.map {
            try check($0)
            return .written($0)
        }
    }

    private static func check(_ action: Action) throws {
        switch action {
        case .assign(let assignments, _):
            for assignment in assignments where assignment.path.count > 1 {
                throw NotUnderstood(what: "the path '\(assignment.text)'")
            }
        case .choose(let branches, _): for branch in branches { try branch.actions.forEach(check) }
        case .foreach(let loop): try loop.actions.forEach(check)
        case .call: throw NotUnderstood(what: "calls")
        case .emit: throw NotUnderstood(what: "emitted events")
        case .raise, .send, .cancel, .log: break
        }
    }
}
