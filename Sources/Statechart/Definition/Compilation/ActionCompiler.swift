/// Compiles the actions of a definition; named lists are copied into every place that uses them.
struct ActionCompiler {
    private let lists: [String: [ActionDraft]]
    private var expanded: [String: [Action]] = [:]
    private var isExpanding: [SourceWord] = []
    private var total = 0
    private var isTooLarge = false

    init(_ draft: MachineDraft) {
        lists = Dictionary(draft.namedActions.map { ($0.name.text, $0.actions) }) { first, _ in first }
    }

    /// Compiles a block.
    ///
    /// - Parameter event: The only event that runs the block, whose data may have a declared type; `nil` for any event.
    mutating func actions(
        _ drafts: [ActionDraft], event: String? = nil, _ compiler: inout ExpressionCompiler
    ) -> [Action] {
        var actions: [Action] = []
        for draft in drafts where !isTooLarge {
            if case .named(let name) = draft {
                let list = list(name, &compiler)
                count(list.count, at: name.position, &compiler)
                actions += list
            } else if let action = action(draft, event, &compiler) {
                count(1, at: draft.position, &compiler)
                actions.append(action)
            }
        }
        return actions
    }

    /// Returns the actions of a named list. Reports a name that does not exist, or a list that contains itself.
    mutating func list(_ name: SourceWord, _ compiler: inout ExpressionCompiler) -> [Action] {
        if let known = expanded[name.text] { return known }
        guard let drafts = lists[name.text] else {
            let suggestion = compiler.suggestion(for: name.text, among: lists.keys.sorted())
            compiler.report("the machine has no actions named \(name.text.quoted)\(suggestion)", at: name.position)
            return []
        }
        if let start = isExpanding.firstIndex(where: { $0.text == name.text }) {
            let way = (isExpanding[start...].map(\.text) + [name.text]).joined(separator: " -> ")
            compiler.report("named actions that contain themselves: \(way)", at: name.position)
            return []
        }
        guard isExpanding.count < DefinitionLimits.nesting else {
            let message = "named actions lie in each other deeper than \(DefinitionLimits.nesting) levels"
            compiler.report(message, at: name.position)
            return []
        }
        isExpanding.append(name)
        defer { isExpanding.removeLast() }
        // Named lists run for any event.
        let actions = actions(drafts, &compiler)
        expanded[name.text] = actions
        return actions
    }

    private mutating func action(
        _ draft: ActionDraft, _ event: String?, _ compiler: inout ExpressionCompiler
    ) -> Action? {
        switch draft {
        case .assign(let drafts, let position):
            return .assign(drafts.compactMap { assignment($0, event, &compiler) }, line: position.line)
        case .raise(let name, let data, let position):
            let data = compiler.data(data, of: name, at: position, event: event)
            return .raise(event: name, data: data, line: position.line)
        case .send(let draft):
            return .send(
                Send(
                    event: draft.event,
                    data: compiler.data(draft.data, of: draft.event, at: draft.position, event: event),
                    delay: draft.delay.flatMap { compiler.delay($0, event: event) }, id: draft.id,
                    misfire: draft.misfire, line: draft.position.line))
        case .emit(let name, let data, let position):
            let data = compiler.data(data, of: name, at: position, event: event)
            return .emit(event: name, data: data, line: position.line)
        case .cancel(let id, let position): return .cancel(id: id, line: position.line)
        case .log(let draft): return compiler.expression(draft, event: event).map { .log($0) }
        case .choose(let drafts, let position):
            let branches = drafts.map { branch in
                Branch(
                    condition: branch.condition.flatMap { compiler.condition($0, event: event) },
                    actions: actions(branch.actions, event: event, &compiler))
            }
            return .choose(branches, line: position.line)
        case .foreach(let draft):
            let actions = actions(draft.actions, event: event, &compiler)
            return compiler.expression(draft.array, event: event).map { array in
                compiler.check(draft, array)
                return .foreach(
                    Loop(
                        array: array, item: draft.item, index: draft.index, actions: actions,
                        line: draft.position.line))
            }
        case .call(let draft):
            return compiler.action(draft.action, event: event).map {
                .call(Call(action: $0, retry: draft.retry, line: draft.position.line))
            }
        case .named: return nil
        }
    }

    private func assignment(
        _ draft: AssignmentDraft, _ event: String?, _ compiler: inout ExpressionCompiler
    ) -> Assignment? {
        var path: [Assignment.Step] = []
        for step in draft.path {
            switch step {
            case .key(let key): path.append(.key(key))
            case .computed(let draft):
                guard let expression = compiler.expression(draft, event: event) else { return nil }
                path.append(.computed(expression))
            }
        }
        return compiler.value(of: draft, at: path, event: event).map {
            Assignment(text: draft.key.text, path: path, value: $0.template, type: $0.type)
        }
    }

    private mutating func count(
        _ count: Int, at position: SourcePosition, _ compiler: inout ExpressionCompiler
    ) {
        total += count
        guard total > DefinitionLimits.actions, !isTooLarge else { return }
        isTooLarge = true
        let limit = DefinitionLimits.actions
        compiler.report(
            "the machine has more than \(limit) actions when named ones are written out", at: position)
    }
}

extension ActionDraft {
    /// The position of the action.
    var position: SourcePosition {
        switch self {
        case .assign(_, let position), .raise(_, _, let position), .emit(_, _, let position), .cancel(_, let position),
            .choose(_, let position):
            position
        case .send(let draft): draft.position
        case .log(let draft): draft.position
        case .foreach(let draft): draft.position
        case .call(let draft): draft.position
        case .named(let name): name.position
        }
    }
}
