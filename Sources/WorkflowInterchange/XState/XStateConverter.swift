import Statechart

/// Converts a configuration to a definition. Keys keep their order, and parts that are valid in a definition stay
/// unchanged.
struct XStateConverter {
    var notes = ImportNoteList()
    let names: XStateNames
    /// Distinguishes expressions of a definition from names that XState finds in code.
    let test: ExpressionTest
    /// True if a part uses version 4's form. In version 4, transitions to the own state left it by default.
    let isVersion4: Bool
    /// The names of guards and actions by their names in the configuration.
    var guards: [String: String] = [:]
    var actionNames: [String: String] = [:]
    /// The guards that are code and were translated to expressions.
    var translatedGuards: Set<String> = []
    var uniqueGuards: UniqueNames
    var uniqueActions: UniqueNames
    /// The number of negations around the current guard; `negatedPlaceholder` is true if one negates an unknown guard.
    var negations = 0
    var negatedPlaceholder = false
    /// The guards and actions to add to the definition.
    var addedGuards: [DefinitionNode.Member] = []
    var addedActions: [DefinitionNode.Member] = []
    /// The new names of renamed events.
    var events: [String: String] = [:]
    var uniqueEvents = UniqueNames()
    /// The named delays with literal values, as texts.
    let delays: [String: String]
    /// The actions that the configuration writes out.
    let writtenActions: Set<String>
    /// The new names of renamed context keys.
    var contextNames: [String: String] = [:]
    /// The ids of each state's invocations by its path, in order; `actors` has them by the ids of the configuration.
    var invocationIDs: [String: [String]] = [:]
    var actors: [String: String] = [:]
    var uniqueInvocations = UniqueNames()
    let root: DefinitionNode

    init(_ root: DefinitionNode) {
        self.root = root
        let written = root["id"]?.text ?? root["key"]?.text
        names = XStateNames(of: root, name: written ?? XStateNames.unnamed, &notes)
        // A member that is code is only a name.
        let isWritten = { (member: DefinitionNode.Member) in member.value["function"] == nil }
        let guards = (root["guards"]?.members ?? []).filter(isWritten).map(\.key)
        let actions = (root["actions"]?.members ?? []).filter(isWritten).map(\.key)
        writtenActions = Set(actions)
        delays = Self.delays(root["delays"])
        test = ExpressionTest(contextKeys: (root["context"]?.members ?? []).map(\.key), guards: guards)
        isVersion4 = XStateVersion.isFour(root)
        uniqueGuards = UniqueNames(taken: Set(guards))
        uniqueActions = UniqueNames(taken: Set(actions))
        for name in actions { actionNames[name] = name }
    }

    private static func delays(_ value: DefinitionNode?) -> [String: String] {
        var delays: [String: String] = [:]
        for member in value?.members ?? [] {
            switch member.value.content {
            case .number(let text), .string(let text):
                if DelayText.isDelay(text) { delays[member.key] = text }
            default: break
            }
        }
        return delays
    }

    /// Returns the definition of the machine.
    mutating func machine() -> DefinitionNode {
        nameContext()
        nameInvocations(root, "")
        var members = state(root, path: "")
        if members.first(where: { $0.key == "id" }) == nil {
            noteName(written: root["key"]?.text)
            let message =
                root["key"] == nil
                ? "the configuration has no 'id'; the machine is called 'machine'" : "'key' is written as 'id'"
            notes.info(message, at: root["key"]?.place ?? root.place)
            members.insert(DefinitionNode.Member("id", .string(names.root, at: root.place)), at: 0)
        }
        add(addedGuards, to: "guards", of: &members)
        add(addedActions, to: "actions", of: &members)
        addState(to: &members)
        if root["strict"] == nil { addStrict(to: &members) }
        return .map(members, at: root.place)
    }

    /// Adds a state to a machine without states, because a definition has at least one.
    private mutating func addState(to members: inout [DefinitionNode.Member]) {
        guard (root["states"]?.members ?? []).isEmpty else { return }
        var unique = UniqueNames(taken: [members.first { $0.key == "id" }?.value.text ?? names.root])
        let state = unique.name("active")
        members.removeAll { ["states", "initial", "type"].contains($0.key) }
        members.append(DefinitionNode.Member("initial", .string(state, at: root.place)))
        let states = [DefinitionNode.Member(state, .map([], at: root.place))]
        members.append(DefinitionNode.Member("states", .map(states, at: root.place)))
        notes.info("a machine without states gets one, '\(state)'", at: root.place)
    }

    private mutating func addStrict(to members: inout [DefinitionNode.Member]) {
        let index = members.firstIndex { $0.key == "id" }.map { $0 + 1 } ?? 0
        members.insert(DefinitionNode.Member("strict", .bool(false, at: root.place)), at: index)
        let ignored = "XState ignores events that nothing takes, so 'strict: false' is written"
        let more = "it also lets failed actions and keys that the context lacks pass, where XState stops the machine"
        notes.info("\(ignored); \(more); 'strict: true' refuses all three", at: root.place)
    }

    private func add(
        _ added: [DefinitionNode.Member], to key: String, of members: inout [DefinitionNode.Member]
    ) {
        guard !added.isEmpty else { return }
        if let index = members.firstIndex(where: { $0.key == key }) {
            members[index].value.content = .map((members[index].value.members ?? []) + added)
        } else {
            // The additions precede the states, which are long.
            let index = members.firstIndex { $0.key == "states" } ?? members.endIndex
            members.insert(DefinitionNode.Member(key, .map(added, at: root.place)), at: index)
        }
    }

    private mutating func noteName(written: String?, at place: DefinitionPlace? = nil) {
        guard let written, written != names.root else { return }
        notes.info("the machine \(written.quoted) is called '\(names.root)' here", at: place)
    }
}

// MARK: States

extension XStateConverter {
    /// The kind of a state, as far as it determines the allowed keys.
    private enum Kind {
        case atomic, compound, parallel, final, history
    }

    /// The keys that only XState's own tools and TypeScript use.
    private static let meaningless: Set = [
        "types", "tsTypes", "schema", "schemas", "version", "predictableActionArguments", "preserveActionOrder",
        "delimiter", "order", "key", "parent", "actors", "services", "$schema",
    ]

    /// The keys that count as absent if they are null.
    private static let nullable = behaviour.union(["entry", "exit", "onEntry", "onExit"])

    private static let behaviour: Set = ["on", "always", "after", "onDone", "initial", "states", "invoke"]

    private static func kind(of state: DefinitionNode) -> Kind {
        let isNested = !(state["states"]?.members ?? []).isEmpty
        switch state["type"]?.text {
        case "final": return .final
        case "history": return .history
        case "parallel" where isNested: return .parallel
        default: return isNested ? .compound : state["history"].map { $0 != .bool(false) } == true ? .history : .atomic
        }
    }

    /// Returns the members of a state.
    mutating func state(_ state: DefinitionNode, path: String) -> [DefinitionNode.Member] {
        let kind = Self.kind(of: state)
        var members: [DefinitionNode.Member] = []
        for member in state.members ?? [] {
            if case .null = member.value.content, Self.nullable.contains(member.key) { continue }
            if let reason = misplaced(member.key, kind, isRoot: path.isEmpty) {
                // XState reads these keys in a nested final state, and the output of the machine.
                let isOfFinal = kind == .final && Self.behaviour.contains(member.key)
                let isRead = isOfFinal || path.isEmpty && member.key == "output"
                let message = "'\(member.key)' is left out: \(reason)"
                notes.warning(message, at: member.place, touching: isRead ? .course : .nothing)
            } else if let written = self.member(member, of: state, path) {
                members.append(written)
            }
        }
        if let eventless = state["on"]?[""], let written = transitions(eventless, path) {
            notes.info("transitions on '' are written as 'always'", at: eventless.place)
            addEventless(written, to: &members)
        }
        if kind == .history, state["type"] == nil {
            members.insert(DefinitionNode.Member("type", .string("history", at: state.place)), at: 0)
        }
        return members
    }

    private func addEventless(_ transitions: DefinitionNode, to members: inout [DefinitionNode.Member]) {
        guard let index = members.firstIndex(where: { $0.key == "always" }) else {
            members.append(DefinitionNode.Member("always", transitions))
            return
        }
        let always = members[index].value
        let all = (always.elements ?? [always]) + (transitions.elements ?? [transitions])
        members[index].value = .list(all, at: always.place)
    }

    /// Returns the reason that a key of XState has no effect at its place; `nil` if it has an effect.
    private func misplaced(_ key: String, _ kind: Kind, isRoot: Bool) -> String? {
        let behaviour = Self.behaviour
        switch (kind, key) {
        case (.atomic, "initial"), (.atomic, "onDone"), (.atomic, "states"): return "the state has no states"
        case (.parallel, "initial"): return "all states of a parallel state are active"
        case (.final, let key) where behaviour.contains(key): return "the state is final"
        case (.history, let key) where behaviour.contains(key) || key == "entry" || key == "exit":
            return "the state is a history state"
        case (_, "output") where kind != .final:
            return isRoot ? "the machine's output is that of its final states" : "the state is not final"
        case (_, "data") where kind != .final: return "the state is not final"
        case (_, "target") where kind != .history: return "the state is no history state"
        default: return nil
        }
    }

    private mutating func member(
        _ member: DefinitionNode.Member, of state: DefinitionNode, _ path: String
    ) -> DefinitionNode.Member? {
        let value = member.value
        let isData = member.key == "output" || member.key == "data"
        if isData && Self.hasCode(value) || member.key == "context" && value["function"] != nil {
            return coded(member, path)
        }
        switch member.key {
        case "id": return rewritten(member, path.isEmpty ? id(value) : value.mappingText { names.name($0) })
        case "initial": return rewritten(member, initial(value))
        case "states": return rewritten(member, states(value, path))
        case "on": return handlers(value, of: state, path).map { rewritten(member, $0) }
        case "after": return timeouts(value, path).map { rewritten(member, $0) }
        case "always", "onDone": return transitions(value, path).map { rewritten(member, $0) }
        case "entry", "exit": return rewritten(member, actions(value))
        case "onEntry", "onExit":
            let key = member.key == "onEntry" ? "entry" : "exit"
            notes.info("'\(member.key)' is written as '\(key)'", at: member.place)
            return DefinitionNode.Member(key, actions(value), at: member.place)
        case "invoke": return rewritten(member, invocations(value, path))
        case "history": return history(member)
        case "target": return rewritten(member, targets(value, path))
        case "output": return rewritten(member, output(value))
        case "data":
            notes.info("'data' of a final state is written as 'output'", at: member.place)
            return DefinitionNode.Member("output", output(value), at: member.place)
        case "type", "tags", "meta", "description": return member
        case "context" where path.isEmpty: return rewritten(member, context(value))
        case "actions" where path.isEmpty:
            return rewritten(member, written(in: value).mappingMembers { actions($0.value) })
        case "guards" where path.isEmpty:
            let written = written(in: value)
            return rewritten(
                member, written.mappingMembers { $0.value.members == nil ? $0.value : condition($0.value) })
        case "delays" where path.isEmpty: return nil
        case "events", "strict": return path.isEmpty ? member : unknown(member)
        default: return unknown(member)
        }
    }

    /// Returns the entries of a map of implementations that are not code.
    private func written(in value: DefinitionNode) -> DefinitionNode {
        guard let members = value.members else { return value }
        return .map(members.filter { $0.value["function"] == nil }, at: value.place)
    }

    /// Omits a value that is code, with a note.
    private mutating func coded(_ member: DefinitionNode.Member, _ path: String) -> DefinitionNode.Member? {
        let isOfMachine = !path.contains(".")
        let bearing: Bearing = member.key == "context" ? .allKeys : isOfMachine ? .course : .eventData
        notes.warning("'\(member.key)' is code; it is left out", at: member.place, touching: bearing)
        return nil
    }

    func rewritten(_ member: DefinitionNode.Member, _ value: DefinitionNode) -> DefinitionNode.Member {
        DefinitionNode.Member(member.key, value, at: member.place)
    }

    /// Omits a key that definitions lack, with a note.
    private mutating func unknown(_ member: DefinitionNode.Member) -> DefinitionNode.Member? {
        let key = member.key.quoted
        switch member.key {
        case "activities":
            notes.warning("\(key) have no counterpart and are left out", at: member.place, touching: .nothing)
        case let key where Self.meaningless.contains(key):
            notes.info("\(key.quoted) means nothing here and is left out", at: member.place)
        default:
            let known = [
                "id", "initial", "type", "context", "states", "on", "always", "after", "entry", "exit", "onDone",
                "history", "target", "output", "tags", "meta", "description", "invoke", "guards", "actions", "events",
            ]
            let hint = notes.suggestion(for: member.key, among: known)
            // XState does not know the key either.
            notes.warning("unknown key \(key) is left out\(hint)", at: member.place, touching: .nothing)
        }
        return nil
    }

    private mutating func id(_ value: DefinitionNode) -> DefinitionNode {
        guard let text = value.text else { return value }
        noteName(written: text, at: value.place)
        return .string(names.root, at: value.place)
    }

    private mutating func states(_ value: DefinitionNode, _ path: String) -> DefinitionNode {
        guard let members = value.members else { return value }
        return .map(
            members.map { member in
                let path = path.isEmpty ? member.key : path + "." + member.key
                guard member.value.members != nil else { return member }
                let state = DefinitionNode.map(state(member.value, path: path), at: member.value.place)
                return DefinitionNode.Member(names.name(member.key), state, at: member.place)
            }, at: value.place)
    }

    private mutating func initial(_ value: DefinitionNode) -> DefinitionNode {
        guard value.members != nil else { return value.mappingText { names.target($0) } }
        return value.mappingMembers { member in
            switch member.key {
            case "target": member.value.mappingText { names.target($0) }
            case "actions": actions(member.value)
            default: member.value
            }
        }
    }

    /// Returns the kind of history; `history: true` means shallow.
    private mutating func history(_ member: DefinitionNode.Member) -> DefinitionNode.Member? {
        guard case .bool(let isHistory) = member.value.content else { return member }
        return isHistory ? DefinitionNode.Member("history", .string("shallow"), at: member.place) : nil
    }

    /// Finds names for invalid keys of the context.
    private mutating func nameContext() {
        guard let members = root["context"]?.members, root["context"]?["function"] == nil else { return }
        var unique = UniqueNames(taken: Set(members.map(\.key).filter(ExpressionText.isIdentifier)))
        for member in members where !ExpressionText.isIdentifier(member.key) {
            let name = unique.name(ExpressionText.identifier(like: member.key))
            contextNames[member.key] = name
            notes.info("the key \(member.key.quoted) of the context is called '\(name)' here", at: member.place)
        }
    }

    private func context(_ value: DefinitionNode) -> DefinitionNode {
        guard let members = value.members else { return value }
        return .map(
            members.map { member in
                guard let name = contextNames[member.key] else { return member }
                return DefinitionNode.Member(name, member.value, at: member.place)
            }, at: value.place)
    }

    /// Returns the output. Strings are expressions in a definition, but literals in a configuration.
    private mutating func output(_ value: DefinitionNode) -> DefinitionNode {
        switch value.content {
        case .string(let text) where test.mistake(in: text) != nil:
            let message = "texts in 'output' that are no expressions are written as texts in quotes"
            notes.infoOnce(message, at: value.place)
            return .string(ExpressionText.string(text), at: value.place)
        case .list(let elements): return .list(elements.map { output($0) }, at: value.place)
        case .map: return value.mappingMembers { output($0.value) }
        default: return value
        }
    }
}
