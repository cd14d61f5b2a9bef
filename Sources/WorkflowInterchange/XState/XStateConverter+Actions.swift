import Statechart

extension XStateConverter {
    /// The kinds of actions in a definition.
    private static let kinds: Set = ["assign", "raise", "send", "cancel", "log", "choose", "foreach", "emit"]

    /// Returns an action or a list of actions.
    mutating func actions(_ value: DefinitionNode) -> DefinitionNode {
        guard let elements = value.elements else { return action(value) ?? .list([], at: value.place) }
        return .list(elements.compactMap { action($0) }, at: value.place)
    }

    private mutating func action(_ value: DefinitionNode) -> DefinitionNode? {
        if let name = value.text { return .string(namedAction(name, name, at: value.place), at: value.place) }
        guard let members = value.members else { return value }
        if members.count == 1, Self.kinds.contains(members[0].key) { return nested(value) }
        if value["function"] != nil { return .string(codedAction(at: value.place), at: value.place) }
        guard let type = value["type"]?.text else {
            let message = "an action without 'type' has no counterpart and is left out"
            notes.warning(message, at: value.place, touching: .allKeys)
            return nil
        }
        if type.hasPrefix("xstate.") { return builtIn(String(type.dropFirst(7)), value) }
        let rest = members.filter { $0.key != "type" && $0.value != .map([]) }
        if let params = rest.first {
            let message = "the parameters of the action \(type.quoted) are left out"
            notes.warning(message, at: params.place, touching: .allKeys)
        }
        // The same action with other parameters is a separate action.
        let identity = rest.isEmpty ? type : type + DefinitionNode.map(rest).text(as: .json)
        return .string(namedAction(type, identity, at: value.place), at: value.place)
    }

    /// Returns the name of a new action for an action that is code.
    private mutating func codedAction(at place: DefinitionPlace?) -> String {
        let key = uniqueActions.numbered("inline")
        add(action: key, logging: key, at: place)
        let message = "this action is code; it is called '\(key)' here, and logs that name until it is written"
        notes.warning(message, at: place, touching: .allKeys)
        return key
    }

    private mutating func add(action key: String, logging name: String, at place: DefinitionPlace?) {
        let log = DefinitionNode.map(
            [DefinitionNode.Member("log", .string(ExpressionText.string(name), at: place))], at: place)
        addedActions.append(DefinitionNode.Member(key, .list([log], at: place), at: place))
    }

    /// Returns an action of a definition, with its nested actions converted.
    private mutating func nested(_ value: DefinitionNode) -> DefinitionNode {
        value.mappingMembers { member in
            switch member.key {
            case "foreach": return member.value.mappingMembers { $0.key == "actions" ? actions($0.value) : $0.value }
            case "choose":
                guard let branches = member.value.elements else { return member.value }
                let written = branches.map { branch in
                    branch.mappingMembers { part in
                        switch part.key {
                        case "actions": actions(part.value)
                        case "guard": condition(part.value)
                        default: part.value
                        }
                    }
                }
                return .list(written, at: member.value.place)
            default: return member.value
            }
        }
    }

    /// Returns the name of an action. An action that the configuration only names gets an entry that logs the name.
    ///
    /// - Parameter identity: The name with its parameters.
    private mutating func namedAction(_ name: String, _ identity: String, at place: DefinitionPlace?) -> String {
        if let known = actionNames[identity] { return known }
        // Actions that are written out read no parameters.
        if writtenActions.contains(name) { return name }
        let isKept = StateName.isValid(name) && name.utf8.count <= DefinitionLimits.nameBytes
        let key = uniqueActions.name(isKept ? name : UniqueNames.stateName(like: name))
        actionNames[identity] = key
        add(action: key, logging: name, at: place)
        let called = key == name ? "" : ", called '\(key)' here,"
        let message = "the action \(name.quoted)\(called) is only named; it logs its name until it is written"
        // Only the code knows which keys the action assigns.
        notes.warning(message, at: place, touching: .allKeys)
        return key
    }

    /// Returns a built-in XState action in its JSON form.
    private mutating func builtIn(_ kind: String, _ value: DefinitionNode) -> DefinitionNode? {
        let params = value["params"] ?? value
        switch kind {
        case "raise", "send":
            guard let sent = sent(params, isDelayed: kind == "send") else { break }
            return sent
        case "cancel":
            guard let id = params["sendId"]?.text ?? params["id"]?.text else { break }
            return .map([DefinitionNode.Member("cancel", .string(id, at: value.place))], at: value.place)
        case "log": return log(params)
        case "assign": return assign(params["assignment"], at: value.place)
        default: break
        }
        let message = "the action 'xstate.\(kind)' has no counterpart and is left out"
        // Emitted events go to other programs.
        notes.warning(message, at: value.place, touching: kind == "emit" ? .nothing : .course)
        return nil
    }

    /// Returns a log action. The label is kept, and a value computed by code is omitted.
    private mutating func log(_ params: DefinitionNode) -> DefinitionNode {
        let label = params["label"]?.text
        var text = label.map(ExpressionText.string) ?? "'log'"
        switch (params["value"] ?? params["expr"])?.content {
        case nil: break
        case .string(let written): text = ExpressionText.string((label.map { $0 + ": " } ?? "") + written)
        case .number(let number): text = label == nil ? number : "{\(text): \(number)}"
        default: notes.warning("the value of this log is left out", at: params.place, touching: .nothing)
        }
        return .map([DefinitionNode.Member("log", .string(text, at: params.place))], at: params.place)
    }

    /// Returns the literal assignments; `nil` if there are none.
    private mutating func assign(_ assignment: DefinitionNode?, at place: DefinitionPlace?) -> DefinitionNode? {
        guard let members = assignment?.members, assignment?["function"] == nil else {
            notes.warning("what this assigns is code; it is left out", at: place, touching: .allKeys)
            return nil
        }
        var written: [DefinitionNode.Member] = []
        for member in members {
            let key = contextNames[member.key] ?? member.key
            if member.value["function"] == nil {
                written.append(DefinitionNode.Member(key, member.value.template, at: member.place))
            } else {
                let message = "what this assigns to \(member.key.quoted) is code; it is left out"
                notes.warning(message, at: member.place, touching: .keys([key]))
            }
        }
        guard !written.isEmpty else { return nil }
        return .map([DefinitionNode.Member("assign", .map(written, at: place))], at: place)
    }

    /// Returns `raise` for the internal queue. With a delay, or from version 4's `send`, returns an event to the
    /// machine itself.
    private mutating func sent(_ params: DefinitionNode, isDelayed: Bool) -> DefinitionNode? {
        guard let written = params["event"], let name = written.text ?? written["type"]?.text else { return nil }
        guard params["to"].map({ $0 == .string("#_internal") }) ?? true else { return nil }
        let event = event(name, at: written.place)
        guard !EventName.isReserved(event) else { return nil }
        var members = [DefinitionNode.Member("event", .string(event, at: written.place))]
        let data = (written.members ?? []).filter { $0.key != "type" }
        if !data.isEmpty {
            members.append(DefinitionNode.Member("data", DefinitionNode.map(data, at: written.place).template))
        }
        if var delay = params["delay"] {
            if let name = delay.text, let literal = delays[name] { delay = .string(literal, at: delay.place) }
            switch delay.content {
            case .number: break
            case .string(let text) where DelayText.isDelay(text): break
            default: return nil
            }
            members.append(DefinitionNode.Member("delay", delay))
            if let id = params["id"], id.text != nil { members.append(DefinitionNode.Member("id", id)) }
        }
        let key = isDelayed || params["delay"] != nil ? "send" : "raise"
        let whole = members.count == 1 ? members[0].value : DefinitionNode.map(members, at: params.place)
        return .map([DefinitionNode.Member(key, whole)], at: params.place)
    }
}
