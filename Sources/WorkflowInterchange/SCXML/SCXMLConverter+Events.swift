import Statechart

extension SCXMLConverter {
    /// Returns the action for a `raise`.
    mutating func raise(_ element: MarkupElement) -> DefinitionNode? {
        guard let event = element.trimmed("event") else {
            notes.warning("'raise' needs an 'event'; it is left out", at: element.place, touching: .course)
            return nil
        }
        guard let name = sendable(event, of: element, isRaised: true) else { return nil }
        return action("raise", .string(name, at: element.place(of: "event")), element)
    }

    /// Returns the action for a `send`: `raise` for the internal queue, `send` for the machine itself. Any other target
    /// is omitted.
    mutating func send(_ element: MarkupElement) -> DefinitionNode? {
        for name in ["eventexpr", "targetexpr", "typeexpr"] where element[name] != nil {
            leaveOut("\(name.quoted) has no counterpart: events, targets and types are literal", element, name)
            return nil
        }
        guard let event = element.trimmed("event") else {
            leaveOut("a 'send' without 'event' has no counterpart", element, "event")
            return nil
        }
        guard isToItself(element) else { return nil }
        let isRaised = element.trimmed("target") == "#_internal"
        guard let name = sendable(event, of: element, isRaised: isRaised) else { return nil }
        if element["idlocation"] != nil {
            let message = "'idlocation' has no counterpart; the id of the event is not kept anywhere"
            let bearing = bearing(ofLocation: element.trimmed("idlocation") ?? "")
            notes.warning(message, at: element.place(of: "idlocation"), touching: bearing)
        }
        let sent = DefinitionNode.string(name, at: element.place(of: "event"))
        var members = [DefinitionNode.Member("event", sent)]
        if let data = data(of: element, touching: .eventData) { members.append(DefinitionNode.Member("data", data)) }
        guard let delay = delay(of: element, isRaised: isRaised) else { return nil }
        members += delay
        let key = isRaised ? "raise" : "send"
        return action(key, members.count == 1 ? sent : .map(members, at: element.place), element)
    }

    private mutating func isToItself(_ element: MarkupElement) -> Bool {
        let type = element.trimmed("type") ?? "scxml"
        let processor = "http://www.w3.org/TR/scxml/#SCXMLEventProcessor"
        guard ["scxml", processor, processor + "/"].contains(type) else {
            leaveOut("the type \(type.quoted) has no counterpart", element, "type")
            return false
        }
        let target = element.trimmed("target")
        guard target == nil || target == "#_internal" else {
            let message = "the target \((target ?? "").quoted) needs effects, which this version does not have"
            leaveOut(message, element, "target")
            return false
        }
        return true
    }

    private mutating func leaveOut(_ reason: String, _ element: MarkupElement, _ attribute: String) {
        let message = "\(reason); the '\(element.name)' is left out"
        notes.warning(message, at: element.place(of: attribute), touching: .course)
    }

    /// Returns the name of an event that a machine may send. For names of the engine adds a note and returns `nil`.
    private mutating func sendable(_ event: String, of element: MarkupElement, isRaised: Bool) -> String? {
        let name = events.name(event)
        let reserved = EventName.reservedPrefixes.filter { !isRaised || $0 != EventName.errorPrefix }
        guard let prefix = reserved.first(where: name.hasPrefix) else { return name }
        leaveOut("only the engine uses names under '\(prefix)'", element, "event")
        return nil
    }

    /// Returns the keys `delay` and `id`; `nil`, with a note, if the delay has no counterpart.
    private mutating func delay(of element: MarkupElement, isRaised: Bool) -> [DefinitionNode.Member]? {
        guard let attribute = ["delay", "delayexpr"].first(where: { element[$0] != nil }) else { return [] }
        let place = element.place(of: attribute)
        guard !isRaised else {
            leaveOut("an event of the internal queue cannot be delayed", element, attribute)
            return nil
        }
        let value: DefinitionNode
        if attribute == "delay" {
            let written = element.trimmed("delay") ?? ""
            guard let text = Self.delay(written) else {
                leaveOut("the delay \(written.quoted) is no number of 's' or 'ms'", element, attribute)
                return nil
            }
            value = .string(text, at: place)
        } else {
            guard let expression = delayExpression(of: element) else { return nil }
            value = expression
        }
        let id = element.trimmed("id").map { DefinitionNode.Member("id", .string($0, at: element.place(of: "id"))) }
        return [DefinitionNode.Member("delay", value)] + (id.map { [$0] } ?? [])
    }

    private mutating func delayExpression(of element: MarkupElement) -> DefinitionNode? {
        let place = element.place(of: "delayexpr")
        let result = translated("delayexpr", of: element, touching: .course) {
            translator, expression, converter throws(ScriptFailure) in
            if case .string(let text) = expression, let delay = Self.delay(text) { return delay }
            let text = try translator.text(expression)
            try converter.check(text)
            return text
        }
        switch result {
        case .success(let text): return .string(text, at: place)
        case .failure(let failure):
            report("the delay", "delayexpr", of: element, failure, "the 'send' is left out", touching: .course)
            return nil
        }
    }

    /// Returns a CSS time (SCXML 6.2.4), which is a number with `s` or `ms`; `nil` for any other text.
    private static func delay(_ text: String) -> String? {
        guard text.hasSuffix("s") else { return nil }
        let delay = text.hasPrefix(".") ? "0" + text : text
        return DelayText.isDelay(delay) ? delay : nil
    }
}

// MARK: Data

extension SCXMLConverter {
    /// Returns the data of `send` or `donedata`: a single `content`, or values by name.
    private mutating func data(of element: MarkupElement, touching bearing: Bearing) -> DefinitionNode? {
        if let content = element.children.first(where: { $0.name == "content" }) {
            guard content["expr"] != nil else { return self.content(of: content, touching: bearing)?.template }
            return value("expr", of: content, "the content", "it is left out", touching: bearing)
        }
        var members: [DefinitionNode.Member] = []
        for name in element["namelist"]?.value.words ?? [] {
            let place = element.place(of: "namelist")
            guard let text = location(name, at: place, touching: bearing) else { continue }
            add(DefinitionNode.Member(name, .string(text, at: place)), to: &members, touching: bearing)
        }
        for param in element.children where param.name == "param" {
            guard let name = param.trimmed("name"),
                let attribute = ["expr", "location"].first(where: { param[$0] != nil })
            else {
                let message = "'param' needs a 'name' and a value; it is left out"
                notes.warning(message, at: param.place, touching: bearing)
                continue
            }
            let instead = "the 'param' is left out"
            guard let value = value(attribute, of: param, "the value", instead, touching: bearing) else { continue }
            add(DefinitionNode.Member(name, value), to: &members, touching: bearing)
        }
        return members.isEmpty ? nil : .map(members, at: element.place)
    }

    private mutating func add(
        _ member: DefinitionNode.Member, to members: inout [DefinitionNode.Member], touching bearing: Bearing
    ) {
        guard !members.contains(where: { $0.key == member.key }) else {
            let message = "the data have \(member.key.quoted) already; this is left out"
            notes.warning(message, at: member.place, touching: bearing)
            return
        }
        members.append(member)
    }

    /// Returns a name of `namelist` as an expression.
    private mutating func location(
        _ name: String, at place: DefinitionPlace, touching bearing: Bearing
    ) -> String? {
        let attribute = MarkupElement.Attribute(name: "namelist", value: name, place: place)
        let element = MarkupElement(name: "send", namespace: "", attributes: [attribute], place: place)
        return expression("namelist", of: element, "the name", "it is left out", touching: bearing)?.text
    }

    /// Returns the key `output` of a final state. At the top this is the output of the machine.
    mutating func output(of element: MarkupElement, isOfMachine: Bool) -> DefinitionNode.Member? {
        let bearing: Bearing = isOfMachine ? .course : .eventData
        guard let data = element.children.first(where: { $0.name == "donedata" }),
            let output = self.data(of: data, touching: bearing)
        else { return nil }
        return DefinitionNode.Member("output", output, at: data.place)
    }
}
