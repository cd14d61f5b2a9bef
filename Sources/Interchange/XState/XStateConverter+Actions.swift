import Statechart

extension XStateConverter {
    /// The kinds of actions that a definition has.
    private static let kinds: Set = ["assign", "raise", "send", "cancel", "log", "choose", "foreach", "emit"]

    /// One action or a list of them.
    mutating func actions(_ value: DefinitionNode) -> DefinitionNode {
        guard let elements = value.elements else { return action(value) ?? .list([], at: value.place) }
        return .list(elements.compactMap { action($0) }, at: value.place)
    }

    private mutating func action(_ value: DefinitionNode) -> DefinitionNode? {
        if let name = value.text { return .string(namedAction(name, at: value.place), at: value.place) }
        guard let members = value.members else { return value }
        if members.count == 1, Self.kinds.contains(members[0].key) { return nested(value) }
        guard let type = value["type"]?.text else {
            notes.warning("an action without 'type' has no counterpart and is left out", at: value.place)
            return nil
        }
        if type.hasPrefix("xstate.") { return builtIn(String(type.dropFirst(7)), value) }
        let rest = members.filter { $0.key != "type" && $0.value != .map([]) }
        if let params = rest.first {
            notes.info("the parameters of the action \(type.quoted) are left out", at: params.place)
        }
        return .string(namedAction(type, at: value.place), at: value.place)
    }

    /// An action of a definition, with the actions in it.
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

    /// The name of an action; one that the configuration only names gets an entry that logs it.
    private mutating func namedAction(_ name: String, at place: DefinitionPlace?) -> String {
        if let known = actionNames[name] { return known }
        let isKept = StateName.isValid(name) && name.utf8.count <= DefinitionLimits.nameBytes
        let key = uniqueActions.name(isKept ? name : UniqueNames.stateName(like: name))
        actionNames[name] = key
        let log = DefinitionNode.map(
            [DefinitionNode.Member("log", .string(ExpressionText.string(name), at: place))], at: place)
        addedActions.append(DefinitionNode.Member(key, .list([log], at: place), at: place))
        let called = key == name ? "" : ", called '\(key)' here,"
        let message = "the action \(name.quoted)\(called) is only named; it logs its name until it is written"
        notes.warning(message, at: place)
        return key
    }

    /// An action that XState's own functions make, as it is written to JSON.
    private mutating func builtIn(_ kind: String, _ value: DefinitionNode) -> DefinitionNode? {
        let params = value["params"] ?? value
        switch kind {
        case "raise", "send":
            guard let sent = sent(params, isDelayed: kind == "send") else { break }
            return sent
        case "cancel":
            guard let id = params["sendId"]?.text ?? params["id"]?.text else { break }
            return .map([DefinitionNode.Member("cancel", .string(id, at: value.place))], at: value.place)
        default: break
        }
        notes.warning("the action 'xstate.\(kind)' has no counterpart and is left out", at: value.place)
        return nil
    }

    /// `raise` for the internal queue; with a delay, or from version 4's `send`, an event to the machine itself.
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
        if let delay = params["delay"] {
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
