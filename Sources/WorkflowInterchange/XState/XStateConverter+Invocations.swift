import Statechart

/// The conversion of actors: each becomes a task for a worker.
extension XStateConverter {
    /// Assigns the ids of all invocations, which are unique in a definition's machine.
    mutating func nameInvocations(_ state: DefinitionNode, _ path: String) {
        let own = path.isEmpty ? "actor" : names.name(ofPath: path)
        for (number, invocation) in Self.invocations(state["invoke"]).enumerated() {
            let written = invocation["id"]?.text
            let wanted = written ?? (number == 0 ? own : "\(own).\(number + 1)")
            let isName = StateName.isValid(wanted) && wanted.utf8.count <= DefinitionLimits.nameBytes
            let id = uniqueInvocations.name(isName ? wanted : UniqueNames.stateName(like: wanted))
            invocationIDs[path, default: []].append(id)
            guard let written else { continue }
            if actors[written] == nil { actors[written] = id }
            if id != written {
                notes.info("the actor \(written.quoted) is called '\(id)' here", at: invocation["id"]?.place)
            }
        }
        for child in state["states"]?.members ?? [] {
            nameInvocations(child.value, path.isEmpty ? child.key : path + "." + child.key)
        }
    }

    /// Returns `invoke`: an actor or a list of actors.
    mutating func invocations(_ value: DefinitionNode, _ path: String) -> DefinitionNode {
        let written = zip(Self.invocations(value), invocationIDs[path] ?? []).map { invocation, id in
            self.invocation(invocation, id: id, isOwn: !path.isEmpty && id == names.name(ofPath: path), path)
        }
        return value.elements == nil && written.count == 1 ? written[0] : .list(written, at: value.place)
    }

    /// Returns the name here of the event at an actor's end; `nil` for any other event.
    func endOfActor(_ word: String) -> String? {
        let ends = [
            ("xstate.done.actor.", EventName.done), ("done.invoke.", EventName.done),
            ("xstate.error.actor.", EventName.failed), ("error.platform.", EventName.failed),
        ]
        for (prefix, name) in ends where word.hasPrefix(prefix) {
            return actors[String(word.dropFirst(prefix.count))].map { name + $0 }
        }
        return nil
    }

    private mutating func invocation(
        _ value: DefinitionNode, id: String, isOwn: Bool, _ path: String
    ) -> DefinitionNode {
        // An invocation without `src` may already be in a definition's form.
        guard let source = value["src"] else { return value }
        var members: [DefinitionNode.Member] = []
        if !isOwn { members.append(DefinitionNode.Member("id", .string(id, at: value["id"]?.place ?? value.place))) }
        let queue = queue(of: source)
        members.append(DefinitionNode.Member("task", .string(queue, at: source.place), at: source.place))
        for member in value.members ?? [] {
            switch member.key {
            case "id", "src": continue
            case "input", "data":
                if let input = input(member) { members.append(input) }
            case "onDone", "onError":
                guard let written = transitions(member.value, path) else { continue }
                members.append(rewritten(member, written))
            case "onSnapshot":
                notes.warning("'onSnapshot' is left out: a task shows none", at: member.place, touching: .course)
            default:
                notes.warning("'\(member.key)' of an actor is left out", at: member.place, touching: .nothing)
            }
        }
        return .map(members, at: value.place)
    }

    /// Returns the queue of an actor.
    private mutating func queue(of source: DefinitionNode) -> String {
        let rest = "a worker gives its result; what else an actor sends does not come"
        guard let name = source.text ?? source["type"]?.text else {
            notes.warning(
                "this actor is code; it is the task 'actor' here: \(rest)", at: source.place, touching: .nothing)
            return "actor"
        }
        let isName = StateName.isValid(name) && name.utf8.count <= DefinitionLimits.nameBytes
        let queue = isName ? name : UniqueNames.stateName(like: name)
        notes.warning(
            "the actor \(name.quoted) is the task '\(queue)' here: \(rest)", at: source.place, touching: .nothing)
        return queue
    }

    /// Returns the worker's input. Input that code computes is omitted.
    private mutating func input(_ member: DefinitionNode.Member) -> DefinitionNode.Member? {
        guard !Self.hasCode(member.value) else {
            let message = "the '\(member.key)' of this actor is code; it is left out"
            notes.warning(message, at: member.place, touching: .course)
            return nil
        }
        return DefinitionNode.Member("input", member.value.template, at: member.place)
    }

    static func hasCode(_ value: DefinitionNode) -> Bool {
        value["function"] != nil || (value.members ?? []).contains { hasCode($0.value) }
            || (value.elements ?? []).contains(where: hasCode)
    }

    static func invocations(_ value: DefinitionNode?) -> [DefinitionNode] {
        guard let value, value.content.isPresent else { return [] }
        return value.elements ?? [value]
    }
}
