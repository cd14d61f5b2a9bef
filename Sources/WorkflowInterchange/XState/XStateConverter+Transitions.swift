import Statechart

extension XStateConverter {
    /// Returns `on`: descriptors and their transitions; `nil` if none is left. The transitions of `""` are left to
    /// `always`.
    mutating func handlers(_ value: DefinitionNode, of state: DefinitionNode, _ path: String) -> DefinitionNode? {
        guard let members = value.members ?? grouped(value, by: "event") else { return value }
        var handlers: [DefinitionNode.Member] = []
        for member in members where !member.key.isEmpty {
            if let key = replacement(of: member.key, in: state, path) {
                let message = "'\(key)' replaces \(member.key.quoted) in XState; this is never taken and is left out"
                notes.warning(message, at: member.place, touching: .nothing)
                continue
            }
            guard let descriptor = descriptor(member.key, at: member.place),
                let written = transitions(member.value, path)
            else { continue }
            handlers.append(DefinitionNode.Member(descriptor, written, at: member.place))
        }
        return handlers.isEmpty && !members.isEmpty ? nil : .map(handlers, at: value.place)
    }

    /// Returns the key that XState 5 uses instead of `on` for an event of a state; `nil` if XState uses `on`.
    private func replacement(of word: String, in state: DefinitionNode, _ path: String) -> String? {
        let done = "xstate.done.state."
        if word.hasPrefix(done), state["onDone"]?.content.isPresent == true {
            return names.path(ofStateID: String(word.dropFirst(done.count))) == path ? "onDone" : nil
        }
        for (prefix, key) in [("xstate.done.actor.", "onDone"), ("xstate.error.actor.", "onError")]
        where word.hasPrefix(prefix) {
            let id = String(word.dropFirst(prefix.count))
            let isReplaced = Self.invocations(state["invoke"]).contains { invocation in
                invocation["id"]?.text == id && invocation[key]?.content.isPresent == true
            }
            return isReplaced ? key : nil
        }
        return nil
    }

    /// Returns `after`: delays and their transitions; `nil` if none is left.
    mutating func timeouts(_ value: DefinitionNode, _ path: String) -> DefinitionNode? {
        guard let members = value.members ?? grouped(value, by: "delay") else { return value }
        var timeouts: [DefinitionNode.Member] = []
        for member in members {
            let key = delays[member.key] ?? member.key
            guard DelayText.isDelay(key) || test.mistake(in: key) == nil else {
                let message = "the delay \(member.key.quoted) is only named; its transitions are left out"
                notes.warning(message, at: member.place, touching: .course)
                continue
            }
            guard let written = transitions(member.value, path) else { continue }
            if let index = timeouts.firstIndex(where: { $0.key == key }) {
                // Two names may stand for the same delay.
                let earlier = timeouts[index].value
                timeouts[index].value = .list((earlier.elements ?? [earlier]) + (written.elements ?? [written]))
            } else {
                timeouts.append(DefinitionNode.Member(key, written, at: member.place))
            }
        }
        return timeouts.isEmpty && !members.isEmpty ? nil : .map(timeouts, at: value.place)
    }

    /// Returns a version 4 list of transitions, grouped by the key that enables each.
    private func grouped(_ value: DefinitionNode, by key: String) -> [DefinitionNode.Member]? {
        guard let elements = value.elements else { return nil }
        var order: [String] = []
        var groups: [String: [DefinitionNode]] = [:]
        for element in elements {
            let name: String
            switch element[key]?.content {
            case .string(let text): name = text
            case .number(let number): name = number
            default: continue
            }
            if groups[name] == nil { order.append(name) }
            let rest = (element.members ?? []).filter { $0.key != key }
            groups[name, default: []].append(.map(rest, at: element.place))
        }
        return order.map { DefinitionNode.Member($0, .list(groups[$0] ?? [], at: value.place)) }
    }

    /// Returns a descriptor of a definition; `nil`, with a note, if it has no counterpart.
    private mutating func descriptor(_ word: String, at place: DefinitionPlace?) -> String? {
        guard word != "*" else { return word }
        if let event = endOfActor(word) ?? doneEvent(word) { return event }
        if ["xstate.", "done.invoke.", "error.platform."].contains(where: word.hasPrefix) {
            guard EventName.isValid(word) else {
                let message = "the event \(word.quoted) does not come here; what takes it is left out"
                notes.warning(message, at: place, touching: .course)
                return nil
            }
            notes.warning("the event \(word.quoted) does not come here", at: place, touching: .course)
        }
        let isFamily = word.hasSuffix(".*")
        guard !(isFamily ? word.dropLast(2) : word[...]).split(separator: ".").contains("*") else {
            let message = "'*' stands for events only at the end; what takes \(word.quoted) never runs and is left out"
            // XState also reports such a descriptor, and matches no event with it.
            notes.warning(message, at: place, touching: .nothing)
            return nil
        }
        return event(isFamily ? String(word.dropLast(2)) : word, at: place) + (isFamily ? ".*" : "")
    }

    /// Returns `done.state.<id>` with the state's name for an id of XState; `nil` for any other event.
    private func doneEvent(_ word: String) -> String? {
        for prefix in ["xstate.done.state.", "done.state."] where word.hasPrefix(prefix) {
            let id = String(word.dropFirst(prefix.count))
            return names.exists(id) ? nil : names.doneEvent(ofID: id)
        }
        return nil
    }

    /// Returns the name of an event. An invalid name is replaced, with a note.
    mutating func event(_ name: String, at place: DefinitionPlace?) -> String {
        if EventName.isValid(name) { return name }
        if let known = events[name] { return known }
        let event = uniqueEvents.name(UniqueNames.eventName(like: name))
        events[name] = event
        notes.info("the event \(name.quoted) is called '\(event)' here", at: place)
        return event
    }

    /// Returns a transition or a list of transitions; `nil` if there are none.
    mutating func transitions(_ value: DefinitionNode, _ path: String) -> DefinitionNode? {
        guard let elements = value.elements else { return isCode(value) ? nil : transition(value, path) }
        let written = elements.compactMap { isCode($0) ? nil : transition($0, path) }
        return written.isEmpty ? nil : .list(written, at: value.place)
    }

    /// Returns true, and adds a note, if a transition is code.
    private mutating func isCode(_ value: DefinitionNode) -> Bool {
        guard let code = value["function"] else { return false }
        let text = code.text.map { ": " + $0.quoted(ImportLimits.quotedCode) } ?? ""
        let message = "this transition is code, and its targets are known to nobody else; it is left out\(text)"
        notes.warning(message, at: value.place, touching: .course)
        return true
    }

    private mutating func transition(_ value: DefinitionNode, _ path: String) -> DefinitionNode {
        switch value.content {
        case .null:
            // An empty transition takes the event and does nothing.
            return .map([], at: value.place)
        case .string:
            let written = targets(value, path)
            guard leavesByDefault(value, path) else { return written }
            return .map(
                [
                    DefinitionNode.Member("target", written),
                    DefinitionNode.Member("reenter", .bool(true, at: value.place)),
                ], at: value.place)
        case .map(let members): return .map(transition(members, value, path), at: value.place)
        default: return value
        }
    }

    private mutating func transition(
        _ members: [DefinitionNode.Member], _ value: DefinitionNode, _ path: String
    ) -> [DefinitionNode.Member] {
        var written: [DefinitionNode.Member] = []
        for member in members {
            switch member.key {
            case "target":
                guard member.value.elements?.isEmpty != true, member.value.content.isPresent else { continue }
                written.append(rewritten(member, targets(member.value, path)))
            case "actions":
                written.append(rewritten(member, actions(member.value)))
            case "guard", "cond", "in": continue
            case "internal":
                guard case .bool(false) = member.value.content, value["target"] != nil else { continue }
                written.append(DefinitionNode.Member("reenter", .bool(true, at: member.place), at: member.place))
            case "reenter", "description", "meta", "tags": written.append(member)
            default:
                let known = ["target", "guard", "actions", "reenter", "description", "meta"]
                let hint = notes.suggestion(for: member.key, among: known)
                let message = "unknown key \(member.key.quoted) of a transition is left out\(hint)"
                // XState does not know the key either.
                notes.warning(message, at: member.place, touching: .nothing)
            }
        }
        let isSaid = value["reenter"] != nil || value["internal"] != nil
        if !isSaid, let target = value["target"], leavesByDefault(target, path) {
            written.append(DefinitionNode.Member("reenter", .bool(true, at: value.place)))
        }
        return insertingGuard(into: written, of: value, path)
    }

    /// Returns the members with the guard at its original place.
    private mutating func insertingGuard(
        into written: [DefinitionNode.Member], of value: DefinitionNode, _ path: String
    ) -> [DefinitionNode.Member] {
        let members = value.members ?? []
        guard let place = members.firstIndex(where: { ["guard", "cond", "in"].contains($0.key) }) else {
            return written
        }
        let texts = members.compactMap { member -> DefinitionNode? in
            switch member.key {
            case "guard": condition(member.value)
            case "cond": conditionOfFour(member)
            case "in": .string(isActive(member.value, base: grandparent(of: path)), at: member.value.place)
            default: nil
            }
        }
        let node =
            texts.count == 1
            ? texts[0]
            : .string(texts.map { Self.operand($0.text ?? "false") }.joined(separator: " && "), at: texts[0].place)
        let before = members[..<place].map(\.key)
        let index = written.lastIndex { before.contains($0.key) }.map { $0 + 1 } ?? 0
        return written[..<index] + [DefinitionNode.Member("guard", node, at: members[place].place)] + written[index...]
    }

    private mutating func conditionOfFour(_ member: DefinitionNode.Member) -> DefinitionNode {
        notes.infoOnce("'cond' of version 4 is written as 'guard'", at: member.place)
        return condition(member.value)
    }

    /// Returns the state above the parent of a transition's state, from which version 4 reads `in`.
    private func grandparent(of path: String) -> String {
        path.split(separator: ".").dropLast(2).joined(separator: ".")
    }

    /// Returns true if a version 4 transition exits its state: it leads to the state itself, or below it without a
    /// leading dot.
    private func leavesByDefault(_ target: DefinitionNode, _ path: String) -> Bool {
        let words = target.elements?.compactMap(\.text) ?? target.text.map { [$0] } ?? []
        guard isVersion4, !words.isEmpty else { return false }
        return words.allSatisfy { word in
            guard !word.hasPrefix("."), let found = names.path(of: word, from: path) else { return false }
            return found == path || path.isEmpty || found.hasPrefix(path + ".")
        }
    }

    /// Returns a target or a list of targets.
    mutating func targets(_ value: DefinitionNode, _ path: String) -> DefinitionNode {
        if let elements = value.elements {
            return .list(elements.map { targets($0, path) }, at: value.place)
        }
        guard let text = value.text else { return value }
        // In version 4 the root could name its states without a dot.
        if path.isEmpty, !text.hasPrefix("#"), !text.hasPrefix("."), names.exists(text) {
            notes.info("the root's target \(text.quoted) is written as '.\(names.target(text))'", at: value.place)
            return .string("." + names.target(text), at: value.place)
        }
        return .string(names.target(text), at: value.place)
    }
}

extension DefinitionNode.Content {
    /// True for any content other than null.
    var isPresent: Bool {
        if case .null = self { false } else { true }
    }
}
