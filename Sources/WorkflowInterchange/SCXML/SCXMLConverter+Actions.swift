import Statechart

extension SCXMLConverter {
    /// Returns the actions for the executable content of an element (SCXML 4).
    mutating func actions(of element: MarkupElement) -> [DefinitionNode] {
        actions(element.children)
    }

    private mutating func actions(_ elements: [MarkupElement]) -> [DefinitionNode] {
        elements.compactMap { action($0) }
    }

    private mutating func action(_ element: MarkupElement) -> DefinitionNode? {
        switch element.name {
        case "raise": raise(element)
        case "send": send(element)
        case "cancel": cancel(element)
        case "log": log(element)
        case "assign": assign(element)
        case "if": choose(element)
        case "foreach": foreach(element)
        default: nil
        }
    }

    /// Returns a map with one key.
    func action(_ key: String, _ value: DefinitionNode, _ element: MarkupElement) -> DefinitionNode {
        .map([DefinitionNode.Member(key, value, at: element.place)], at: element.place)
    }

    private mutating func cancel(_ element: MarkupElement) -> DefinitionNode? {
        if let id = element.trimmed("sendid") {
            return action("cancel", .string(id, at: element.place(of: "sendid")), element)
        }
        guard element["sendidexpr"] != nil else {
            notes.warning("'cancel' needs a 'sendid'; it is left out", at: element.place, touching: .course)
            return nil
        }
        let failure = ScriptFailure(reason: "'cancel' names its event literally")
        report("the id", "sendidexpr", of: element, failure, "the 'cancel' is left out", touching: .course)
        return nil
    }

    private mutating func log(_ element: MarkupElement) -> DefinitionNode? {
        let label = element.trimmed("label").map(ExpressionText.string)
        guard element["expr"] != nil else {
            return action("log", .string(label ?? "''", at: element.place), element)
        }
        let instead = "the 'log' is left out"
        guard let value = expression("expr", of: element, "the value", instead, touching: .nothing) else { return nil }
        let text = label.map { "{\($0): \(value.text ?? "")}" } ?? value.text ?? ""
        return action("log", .string(text, at: value.place), element)
    }

    private mutating func assign(_ element: MarkupElement) -> DefinitionNode? {
        guard element["location"] != nil else {
            notes.warning(
                "'assign' needs a 'location'; it is left out", at: element.place,
                touching: Bearing.allKeys.union(.errors))
            return nil
        }
        let location = translated("location", of: element, touching: .allKeys) {
            translator, expression, converter throws(ScriptFailure) in
            // Translating the location as an expression also checks the expressions in brackets.
            try converter.check(translator.text(expression))
            return try translator.path(expression)
        }
        let path: String
        switch location {
        case .success(let text): path = text
        case .failure(let failure):
            let instead = "the 'assign' is left out"
            let bearing = Bearing.allKeys.union(.errors)
            report("the location", "location", of: element, failure, instead, touching: bearing)
            return nil
        }
        let value: DefinitionNode?
        let bearing = Bearing.keys(ofPath: path).union(.errors)
        if element["expr"] != nil {
            value = self.value("expr", of: element, "the value", "the 'assign' is left out", touching: bearing)
        } else {
            let content = content(of: element, touching: bearing)
            value = content.map(\.template) ?? DefinitionNode(.null, at: element.place)
        }
        guard let value else { return nil }
        return action("assign", .map([DefinitionNode.Member(path, value)], at: element.place), element)
    }

    private mutating func choose(_ element: MarkupElement) -> DefinitionNode? {
        var parts: [(head: MarkupElement, body: [MarkupElement])] = [(element, [])]
        for child in element.children {
            if child.name == "elseif" || child.name == "else" {
                parts.append((child, []))
            } else {
                parts[parts.count - 1].body.append(child)
            }
        }
        var isKnown = true
        let bearing = parts.reduce(Bearing.nothing) { $0.union(self.bearing(of: $1.body)) }
        let branches = parts.map { branch($0.head, $0.body, &isKnown, touching: bearing) }
        return action("choose", .list(branches, at: element.place), element)
    }

    /// Returns a branch. Branches after a condition without a counterpart depend on that condition, so they never run
    /// either.
    private mutating func branch(
        _ head: MarkupElement, _ body: [MarkupElement], _ isKnown: inout Bool, touching bearing: Bearing
    ) -> DefinitionNode {
        var members: [DefinitionNode.Member] = []
        if !isKnown {
            members.append(DefinitionNode.Member("guard", .bool(false, at: head.place)))
            let message = "whether this branch runs depends on a condition without counterpart; it never does here"
            notes.warning(message, at: head.place, touching: self.bearing(of: body))
        } else if head.name != "else", !head.hasBlankCondition {
            let condition = condition(of: head, touching: bearing)
            isKnown = condition != nil
            let node = condition ?? .bool(false, at: head.place(of: "cond"))
            members.append(DefinitionNode.Member("guard", node))
        }
        members.append(DefinitionNode.Member("actions", .list(actions(body), at: head.place)))
        return .map(members, at: head.place)
    }

    private mutating func foreach(_ element: MarkupElement) -> DefinitionNode? {
        guard element["array"] != nil, let item = element.trimmed("item") else {
            let message = "'foreach' needs an 'array' and an 'item'; it is left out"
            notes.warning(message, at: element.place, touching: bearing(of: [element]))
            return nil
        }
        let (instead, bearing) = ("the 'foreach' is left out", bearing(of: [element]).union(.errors))
        guard let array = expression("array", of: element, "the list", instead, touching: bearing) else { return nil }
        let names = names.contextKeys
        var members = [DefinitionNode.Member("array", array)]
        members.append(DefinitionNode.Member("item", .string(names[item] ?? item, at: element.place(of: "item"))))
        if let index = element.trimmed("index") {
            members.append(
                DefinitionNode.Member("index", .string(names[index] ?? index, at: element.place(of: "index"))))
        }
        members.append(DefinitionNode.Member("actions", .list(actions(of: element), at: element.place)))
        return action("foreach", .map(members, at: element.place), element)
    }
}

// MARK: What is left out

extension SCXMLConverter {
    /// Returns the bearing of actions that are omitted as a whole.
    func bearing(of actions: [MarkupElement]) -> Bearing {
        actions.reduce(.nothing) { $0.union(bearing(of: $1)) }
    }

    private func bearing(of action: MarkupElement) -> Bearing {
        switch action.name {
        case "log", "elseif", "else": return .nothing
        case "assign": return bearing(ofLocation: action.trimmed("location") ?? "")
        case "if": return bearing(of: action.children)
        case "foreach":
            let variables = ["item", "index"].compactMap { action.trimmed($0) }
            return bearing(of: action.children).union(.keys(Set(variables.map { names.contextKeys[$0] ?? $0 })))
        default: return .course
        }
    }

    /// Returns the bearing of writing to a location.
    func bearing(ofLocation location: String) -> Bearing {
        var translator = ScriptTranslator(names: names)
        guard let location = try? ScriptParser.expression(location), let path = try? translator.path(location) else {
            // An unreadable location may be any key.
            return .allKeys
        }
        return .keys(ofPath: path)
    }
}

extension Bearing {
    /// Returns the bearing on the first key of a path into the context.
    fileprivate static func keys(ofPath path: String) -> Bearing {
        .keys([String(path.prefix { $0 != "." && $0 != "[" })])
    }
}

extension MarkupElement {
    /// True if the element has a blank `cond`, which counts as no condition.
    var hasBlankCondition: Bool { self["cond"] != nil && trimmed("cond") == nil }
}
