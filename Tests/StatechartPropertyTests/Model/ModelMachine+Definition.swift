import NaiveStatechart
import Statechart
import WorkflowJSON

extension ModelMachine {
    /// The machine in the definition language.
    var definition: DefinitionText {
        var fields: Fields = [("id", .string(root.key)), ("strict", .literal("\(isStrict)"))]
        let keys = context.object.members.map { ($0.key, DefinitionText.literal(JSONWriter.string($0.value))) }
        fields.append(("context", .map(keys)))
        return .map(fields + Self.fields(of: root))
    }

    private typealias Fields = [(key: String, value: DefinitionText)]

    private static func fields(of state: ModelState) -> Fields {
        var fields: Fields = []
        if let id = state.id { fields.append(("id", .string(id))) }
        switch state.kind {
        case .parallel, .final: fields.append(("type", .string(state.kind.rawValue)))
        case .shallowHistory: fields.append(("type", .string("history")))
        case .deepHistory: fields += [("type", .string("history")), ("history", .string("deep"))]
        case .atomic, .compound: break
        }
        if let initial = state.initial {
            fields.append((state.isHistory ? "target" : "initial", beginning(initial, isMap: !state.isHistory)))
        }
        if !state.entry.isEmpty { fields.append(("entry", actions(state.entry))) }
        if !state.exit.isEmpty { fields.append(("exit", actions(state.exit))) }
        fields += handlers(of: state)
        if !state.invocations.isEmpty {
            fields.append(("invoke", .list(state.invocations.map { text(of: $0, in: state) })))
        }
        if !state.children.isEmpty {
            fields.append(("states", .map(state.children.map { ($0.key, .map(Self.fields(of: $0))) })))
        }
        return fields
    }

    /// Returns `initial` of a compound state, or `target` of a history state.
    private static func beginning(_ initial: ModelTransition, isMap: Bool) -> DefinitionText {
        let target = targets(of: initial)
        if !isMap || initial.actions.isEmpty && initial.targets.count == 1 { return target }
        let actions = initial.actions.isEmpty ? [] : [("actions", actions(initial.actions))]
        return .map([("target", target)] + actions)
    }

    private static func handlers(of state: ModelState) -> Fields {
        var fields: Fields = []
        var byDescriptor: [(descriptor: String, transitions: [ModelTransition])] = []
        for transition in state.transitions {
            guard case .event(let descriptor) = transition.trigger else { continue }
            if let place = byDescriptor.firstIndex(where: { $0.descriptor == descriptor }) {
                byDescriptor[place].transitions.append(transition)
            } else {
                byDescriptor.append((descriptor, [transition]))
            }
        }
        if !byDescriptor.isEmpty {
            fields.append(("on", .map(byDescriptor.map { ($0.descriptor, transitions($0.transitions)) })))
        }
        let done = state.transitions.filter { $0.trigger == .done }
        if !done.isEmpty { fields.append(("onDone", transitions(done))) }
        let eventless = state.transitions.filter { $0.trigger == .always }
        if !eventless.isEmpty { fields.append(("always", transitions(eventless))) }
        let delays = state.timeouts.map { timeout in
            (timeout.text, transitions(state.transitions.filter { $0.trigger == .after(timeout.text) }))
        }
        if !delays.isEmpty { fields.append(("after", .map(delays))) }
        return fields
    }

    private static func text(of invocation: ModelInvocation, in state: ModelState) -> DefinitionText {
        var fields: Fields = [
            ("id", .string(invocation.id)), ("task", .string("work")),
            ("input", .string(invocation.fails ? "context.n / 0" : "event.name")),
        ]
        if let timeout = invocation.timeout { fields.append(("timeout", .string("\(timeout)ms"))) }
        for (key, event) in [("onDone", invocation.done), ("onError", invocation.failed)] {
            let takers = state.transitions.filter { $0.trigger == .ended(event) }
            if !takers.isEmpty { fields.append((key, transitions(takers))) }
        }
        return .map(fields)
    }

    private static func transitions(_ transitions: [ModelTransition]) -> DefinitionText {
        transitions.count == 1 ? text(of: transitions[0]) : .list(transitions.map(text))
    }

    private static func text(of transition: ModelTransition) -> DefinitionText {
        var fields: Fields = []
        if let condition = transition.condition { fields.append(("guard", .string(condition.expression))) }
        if !transition.actions.isEmpty { fields.append(("actions", actions(transition.actions))) }
        if transition.reenters { fields.append(("reenter", .literal("true"))) }
        if let rule = transition.misfire { fields.append(("misfire", misfire(rule.limit, rearms: rule.rearms))) }
        if transition.targets.isEmpty { return .map(fields) }
        let target = targets(of: transition)
        if fields.isEmpty, case .string = target { return target }
        return .map([("target", target)] + fields)
    }

    private static func targets(of transition: ModelTransition) -> DefinitionText {
        let words = transition.targets.map { DefinitionText.string($0.word(for: transition)) }
        return words.count == 1 ? words[0] : .list(words)
    }

    private static func actions(_ actions: [ModelAction]) -> DefinitionText {
        let texts = actions.map(text)
        return texts.count == 1 ? texts[0] : .list(texts)
    }

    private static func text(of action: ModelAction) -> DefinitionText {
        switch action {
        case .raise(let event): .map([("raise", .string(event))])
        case .set(let number): assign([("last", .literal("\(number)"))])
        case .fail: assign([("last", .string("1 / 0"))])
        case .count: assign([("n", .string("context.n + 1"))])
        case .record(let number): assign(note(number))
        case .send(let send): .map([("send", text(of: send))])
        case .cancel(let id): .map([("cancel", .string(id))])
        case .written: preconditionFailure("random machines have no such action")
        }
    }

    private static func text(of send: ModelSend) -> DefinitionText {
        var fields: Fields = [("event", .string(send.event))]
        if send.hasData { fields.append(("data", .string("context.n"))) }
        if let delay = send.delay {
            fields.append(("delay", send.isMultiplied ? .string("context.n * \(delay)") : .string("\(delay)ms")))
        }
        if let id = send.id { fields.append(("id", .string(id))) }
        if let skip = send.skip { fields.append(("misfire", misfire(skip))) }
        return fields.count == 1 ? .string(send.event) : .map(fields)
    }

    private static func misfire(_ limit: Int64, rearms: Bool = false) -> DefinitionText {
        .map([(rearms ? "next" : "skip", .string("\(limit)ms"))])
    }

    private static func assign(_ fields: Fields) -> DefinitionText {
        .map([("assign", .map(fields))])
    }

    private static func note(_ number: Int) -> Fields {
        let isShort = "size(context.trace) < \(ModelContext.longestTrace)"
        return [
            ("order", .string("(context.order * 31 + \(number)) % 1000003")),
            ("trace", .string("\(isShort) ? context.trace + [\(number)] : context.trace")),
        ]
    }
}

extension ModelTarget {
    /// Returns one of the words that name the target in a transition.
    func word(for transition: ModelTransition) -> String {
        let words = words(for: transition)
        return words[spelling % words.count]
    }

    /// Returns every word that names the target: relative to the source or its parent, or by the id of a state.
    private func words(for transition: ModelTransition) -> [String] {
        let source = transition.source
        var words: [String] = []
        if transition.trigger == .initial, !source.isHistory {
            if state.isDescendant(of: source) { words.append(keys(below: source)) }
        } else {
            if let parent = source.parent, state.isDescendant(of: parent) { words.append(keys(below: parent)) }
            if state.isDescendant(of: source) { words.append("." + keys(below: source)) }
        }
        words.append("#" + state.name)
        var ancestor = state.parent
        while let above = ancestor {
            words.append("#\(above.name).\(keys(below: above))")
            ancestor = above.parent
        }
        return words
    }

    private func keys(below ancestor: ModelState) -> String {
        var keys: [String] = []
        var next = state
        while next != ancestor, let parent = next.parent {
            keys.insert(next.key, at: 0)
            next = parent
        }
        return keys.joined(separator: ".")
    }
}

extension ModelGuard {
    /// The condition as CEL.
    var expression: String {
        switch self {
        case .always: "true"
        case .never: "false"
        case .isIn(let target): "In('\(target.state.name)')"
        case .isNotIn(let target): "!In('\(target.state.name)')"
        case .countIsBelow(let bound): "context.n < \(bound)"
        case .fails: "context.n / 0 == 0"
        case .both(let left, let right): "(\(left.expression) && \(right.expression))"
        case .either(let left, let right): "(\(left.expression) || \(right.expression))"
        case .written(let expression): expression.source
        }
    }
}
