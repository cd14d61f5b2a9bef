internal import Statechart
internal import WorkflowJSON

/// Assembles a definition from its pieces. The tree comes from the names of states, the order from their cases.
struct DefinitionTree {
    private var places: [SwiftPlace]
    private var mistakes: [String] = []
    private var warnings: [String] = []
    private var rootMembers: [DefinitionNode.Member] = []
    private var contextKeys: Set<String> = []
    private var pieces: [String?: [PieceContent]] = [:]
    private var transitions: [String?: [TransitionContent]] = [:]
    private var invocations: [String?: [InvocationContent]] = [:]
    private var children: [String?: [String]] = [:]
    private let initial: String?
    private let isStrict: Bool
    /// False if the context could not be written.
    private var hasContext = true
    private var contextOwner = ""
    /// One for the context and the events, because both may have values of the same types.
    private let recorder = TypeRecorder()

    init(_ name: String, initial: String?, isStrict: Bool, at place: SwiftPlace) {
        places = [place]
        self.initial = initial
        self.isStrict = isStrict
        rootMembers.append(.init("id", .string(name, at: .first), at: .first))
        if !isStrict { rootMembers.append(.init("strict", .bool(false, at: .first), at: .first)) }
    }

    /// The text, the places of its parts, and the mistakes found so far.
    var source: DefinitionSource {
        var copy = self
        let root = copy.node(of: nil)
        return DefinitionSource(
            tree: root, places: copy.places, mistakes: copy.mistakes, warnings: copy.warnings,
            isReadable: copy.hasContext)
    }

    /// Sets the context of a new instance, and the types of its keys.
    mutating func setContext<Context: Codable>(_ context: Context, named owner: String) {
        contextOwner = owner
        do throws(MachineMismatch) {
            let value = try MachineMismatch.told(owner) { try ValueEncoder.value(of: context) }
            guard case .object(let object) = value else {
                throw MachineMismatch("\(owner) must be a struct: its properties are the keys of the context")
            }
            contextKeys = Set(object.keys)
            guard !object.isEmpty else { return }
            rootMembers.append(.init("context", DefinitionNode(value, at: .first), at: .first))
            // In a strict machine a key has the type of its first value.
            let types = recorder.keys(of: Context.self, in: object).filter { key, type in
                !isStrict || object[key]?.kind != type.text
            }
            guard !types.isEmpty else { return }
            let nodes = types.map { DefinitionNode.Member($0, $1.node(at: .first), at: .first) }
            let keys = DefinitionNode.Member("context", .map(nodes, at: .first), at: .first)
            rootMembers.append(.init("types", .map([keys], at: .first), at: .first))
        } catch {
            mistakes.append("\(places[0]): \(error)")
            hasContext = false
        }
    }

    /// Sets the types of the events' data.
    mutating func setEvents(_ type: any EventValue.Type) {
        guard let type = type as? any (EventValue & Decodable).Type else { return }
        let nodes = recorder.data(of: type).map { event, type in
            let data = DefinitionNode.Member("data", type.node(at: .first), at: .first)
            return DefinitionNode.Member(event, .map([data], at: .first), at: .first)
        }
        warnings += recorder.remedies.map { "\(places[0]): the data of '\($0.event)' is not checked: \($0.text)" }
        if !nodes.isEmpty { rootMembers.append(.init("events", .map(nodes, at: .first), at: .first)) }
    }

    /// Adds the pieces of the definition and all states.
    mutating func add(_ contents: [PieceContent], states: [String]) {
        var known = Set(states)
        for state in states {
            if let parent = Self.parent(of: state), !known.contains(parent) {
                mistakes.append("\(places[0]): '\(key(of: state))' has no parent '\(parent)'")
                addMissing(parent, with: state, to: &known)
            }
            children[Self.parent(of: state), default: []].append(state)
        }
        for content in contents {
            pieces[content.state, default: []].append(content)
            check(content.entry + content.exit, at: content.place)
            for part in content.parts { add(part, to: content.state) }
        }
        // Rows are added last, when the kinds of all states are known: some states take no events.
        for row in contents.flatMap(\.table) {
            let kinds = pieces[row.state, default: []].map(\.kind)
            guard !kinds.contains(where: { [.final, .history, .deepHistory].contains($0) }) else { continue }
            add(row.transition, to: row.state)
        }
    }

    /// Adds a state that only the names of its children have, so that the reader finds the other mistakes.
    private mutating func addMissing(_ state: String, with child: String, to known: inout Set<String>) {
        known.insert(state)
        pieces[state] = [PieceContent(state: state, initial: child, place: places[0])]
        let parent = Self.parent(of: state)
        if let parent, !known.contains(parent) { addMissing(parent, with: state, to: &known) }
        children[parent, default: []].append(state)
    }

    private static func parent(of state: String) -> String? {
        state.lastIndex(of: ".").map { String(state[..<$0]) }
    }

    private mutating func add(_ part: StatePart, to state: String?) {
        switch part {
        case .transition(let transition): add(transition, to: state)
        case .invocation(let invocation):
            invocations[state, default: []].append(invocation)
            for end in invocation.ends { check(end.actions, at: end.place) }
        }
    }

    private mutating func add(_ transition: TransitionContent, to state: String?) {
        transitions[state, default: []].append(transition)
        check(transition.actions, at: transition.place)
    }

    /// Reports keys that the context lacks. In a strict machine the reader does so.
    private mutating func check(_ actions: [ActionContent], at place: SwiftPlace) {
        guard !isStrict else { return }
        for key in actions.flatMap(\.assignedKeys).sorted() where !contextKeys.contains(key) {
            mistakes.append("\(place): \(contextOwner) lacks '\(key)', which the definition assigns")
        }
    }
}

extension DefinitionTree {
    private mutating func node(of state: String?) -> DefinitionNode {
        let own = pieces[state] ?? []
        let place = place(own.first?.place)
        var members = state == nil ? rootMembers : []
        addKind(of: own, state, to: &members)
        if state == nil {
            members.append(
                initial.map { begin($0, in: nil, at: .first) }
                    ?? .init("type", .string("parallel", at: .first), at: .first))
        }
        for piece in own { addInitial(of: piece, state, to: &members) }
        let tags = own.flatMap(\.tags)
        if !tags.isEmpty {
            members.append(.init("tags", .list(tags.map { .string($0, at: place) }, at: place), at: place))
        }
        addActions("entry", own.map { ($0.entry, $0.place) }, to: &members)
        addActions("exit", own.map { ($0.exit, $0.place) }, to: &members)
        addInvocations(of: state, to: &members)
        addTransitions(of: state, to: &members)
        for piece in own {
            guard let output = piece.output else { continue }
            let place = self.place(piece.place)
            members.append(.init("output", output.node(at: place), at: place))
        }
        let below = children[state] ?? []
        if !below.isEmpty {
            let nodes = below.map { child in
                DefinitionNode.Member(key(of: child), node(of: child), at: self.place(pieces[child]?.first?.place))
            }
            members.append(.init("states", .map(nodes, at: place), at: place))
        }
        return .map(members, at: place)
    }

    private mutating func addKind(
        of own: [PieceContent], _ state: String?, to members: inout [DefinitionNode.Member]
    ) {
        let kinds = own.filter { $0.kind != .normal }
        guard let first = kinds.first else { return }
        if let other = kinds.first(where: { $0.kind != first.kind }) {
            let name = state.map { "'\($0)'" } ?? "the root"
            mistakes.append("\(other.place): \(name) is \(first.kind.rawValue) and \(other.kind.rawValue)")
        }
        let place = place(first.place)
        let type = first.kind == .deepHistory ? StateKind.history : first.kind
        members.append(.init("type", .string(type.rawValue, at: place), at: place))
        if first.kind == .deepHistory { members.append(.init("history", .string("deep", at: place), at: place)) }
    }

    private mutating func addInitial(
        of piece: PieceContent, _ state: String?, to members: inout [DefinitionNode.Member]
    ) {
        guard let initial = piece.initial else { return }
        let place = place(piece.place)
        if piece.kind == .history || piece.kind == .deepHistory {
            members.append(.init("target", .string("#\(initial)", at: place), at: place))
        } else {
            members.append(begin(initial, in: state, at: place))
        }
    }

    /// Returns `initial`: the key of a child, or the path of a deeper state.
    private func begin(_ initial: String, in state: String?, at place: DefinitionPlace) -> DefinitionNode.Member {
        let isChild = children[state]?.contains(initial) ?? false
        return .init("initial", .string(isChild ? key(of: initial) : "#\(initial)", at: place), at: place)
    }

    private mutating func addActions(
        _ word: String, _ lists: [(actions: [ActionContent], place: SwiftPlace)],
        to members: inout [DefinitionNode.Member]
    ) {
        var nodes: [DefinitionNode] = []
        for (actions, place) in lists {
            let place = self.place(place)
            nodes += actions.map { $0.node(at: place) }
        }
        guard let first = nodes.first else { return }
        members.append(.init(word, nodes.count == 1 ? first : .list(nodes, at: first.place), at: first.place))
    }

    private mutating func addTransitions(of state: String?, to members: inout [DefinitionNode.Member]) {
        let own = transitions[state] ?? []
        var on: [(String, [TransitionContent])] = []
        var after = on
        var always: [TransitionContent] = []
        var done = always
        for transition in own {
            switch transition.trigger {
            case .event(let event): Self.add(transition, under: event, to: &on)
            case .delay(let delay): Self.add(transition, under: delay, to: &after)
            case .always: always.append(transition)
            case .done: done.append(transition)
            case .failed: preconditionFailure("the builder puts it into an invocation")
            }
        }
        for (word, groups) in [("on", on), ("after", after)] {
            guard let first = groups.first?.1.first else { continue }
            let place = place(first.place)
            let nodes = groups.map { DefinitionNode.Member($0.0, node(of: $0.1), at: self.place($0.1[0].place)) }
            members.append(.init(word, .map(nodes, at: place), at: place))
        }
        for (word, list) in [("always", always), ("onDone", done)] {
            guard let first = list.first else { continue }
            members.append(.init(word, node(of: list), at: place(first.place)))
        }
    }

    private mutating func addInvocations(of state: String?, to members: inout [DefinitionNode.Member]) {
        let nodes = (invocations[state] ?? []).map { node(of: $0) }
        guard let first = nodes.first else { return }
        members.append(.init("invoke", nodes.count == 1 ? first : .list(nodes, at: first.place), at: first.place))
    }

    private mutating func node(of invocation: InvocationContent) -> DefinitionNode {
        let place = place(invocation.place)
        let queue = DefinitionNode.string(invocation.queue, at: place)
        let task = invocation.priority.map { priority in
            let priority = DefinitionNode.string(priority.text, at: place)
            return DefinitionNode.map(
                [.init("queue", queue, at: place), .init("priority", priority, at: place)], at: place)
        }
        var members = [DefinitionNode.Member("task", task ?? queue, at: place)]
        if let id = invocation.id { members.append(.init("id", .string(id, at: place), at: place)) }
        if let input = invocation.input { members.append(.init("input", input.node(at: place), at: place)) }
        if let timeout = invocation.timeout {
            members.append(.init("timeout", .string(timeout, at: place), at: place))
        }
        if let retry = invocation.retry {
            members.append(.init("retry", DefinitionNode(retry.json, at: place), at: place))
        }
        for (word, trigger) in [("onDone", TransitionContent.Trigger.done), ("onError", .failed)] {
            let ends = invocation.ends.filter { $0.trigger == trigger }
            guard let first = ends.first else { continue }
            members.append(.init(word, node(of: ends), at: self.place(first.place)))
        }
        return .map(members, at: place)
    }

    private static func add(
        _ transition: TransitionContent, under key: String, to groups: inout [(String, [TransitionContent])]
    ) {
        if let index = groups.firstIndex(where: { $0.0 == key }) {
            groups[index].1.append(transition)
        } else {
            groups.append((key, [transition]))
        }
    }

    /// Returns one transition, or a list of several.
    private mutating func node(of transitions: [TransitionContent]) -> DefinitionNode {
        let nodes = transitions.map { node(of: $0) }
        return nodes.count == 1 ? nodes[0] : .list(nodes, at: nodes.first?.place)
    }

    private mutating func node(of transition: TransitionContent) -> DefinitionNode {
        let place = place(transition.place)
        var members: [DefinitionNode.Member] = []
        if let condition = transition.condition {
            members.append(.init("guard", .string(condition.text, at: place), at: place))
        }
        if let target = transition.target {
            members.append(.init("target", .string("#\(target)", at: place), at: place))
        }
        if transition.reenter { members.append(.init("reenter", .bool(true, at: place), at: place)) }
        addActions("actions", [(transition.actions, transition.place)], to: &members)
        if members.count == 1, transition.target != nil { return members[0].value }
        return .map(members, at: place)
    }

    private func key(of state: String) -> String {
        state.lastIndex(of: ".").map { String(state[state.index(after: $0)...]) } ?? state
    }

    /// Returns the line number that encodes a place, and stores a new place.
    private mutating func place(_ place: SwiftPlace?) -> DefinitionPlace {
        guard let place, place != places[0] else { return .first }
        if let index = places.lastIndex(of: place) { return DefinitionSource.line(ofPlace: index) }
        places.append(place)
        return DefinitionSource.line(ofPlace: places.count - 1)
    }
}

extension DefinitionPlace {
    /// The place of the definition itself.
    fileprivate static let first = DefinitionSource.line(ofPlace: 0)
}
