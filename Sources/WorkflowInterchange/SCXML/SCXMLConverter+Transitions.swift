import Statechart

extension SCXMLConverter {
    /// A converted transition of the document.
    private struct Written {
        /// The event descriptors, without duplicates, in the order of the text; empty for an eventless transition.
        let descriptors: [String]
        let node: DefinitionNode
        let place: DefinitionPlace
    }

    /// Returns the transitions of a state: `always`, `on` and `onDone`.
    mutating func transitions(of index: Int) -> [DefinitionNode.Member] {
        let elements = states[index].element.children.filter { $0.name == "transition" }
        let written = elements.map { transition($0, of: index) }
        var members: [DefinitionNode.Member] = []
        let eventless = written.filter(\.descriptors.isEmpty)
        if let first = eventless.first {
            members.append(DefinitionNode.Member("always", Self.single(eventless.map(\.node), at: first.place)))
        }
        var (order, lists) = handlers(written)
        // The transitions of a state's own done event go to `onDone`, unless another descriptor precedes them.
        let done = "done.state." + states[index].id
        var onDone: DefinitionNode.Member?
        if states[index].isNested, let own = lists[done], !own.isShared {
            onDone = DefinitionNode.Member("onDone", Self.single(own.nodes, at: own.nodes[0].place))
            lists[done] = nil
            order.removeAll { $0 == done }
        }
        let handlers = order.compactMap { descriptor in
            lists[descriptor].map { DefinitionNode.Member(descriptor, Self.single($0.nodes, at: $0.nodes[0].place)) }
        }
        if let first = handlers.first {
            members.append(DefinitionNode.Member("on", .map(handlers, at: first.value.place)))
        }
        return members + (onDone.map { [$0] } ?? [])
    }

    /// Returns the transitions by descriptor, with the descriptors in the order of their first occurrence.
    ///
    /// SCXML tries transitions in document order, a definition by the longest descriptor first. If a shorter descriptor
    /// comes first in the document, its transition is also added to the list of the longer one. Then both find the same
    /// transition first.
    private mutating func handlers(
        _ written: [Written]
    ) -> (order: [String], lists: [String: (nodes: [DefinitionNode], isShared: Bool)]) {
        var order: [String] = []
        var own: [String: [Int]] = [:]
        for (number, transition) in written.enumerated() {
            for descriptor in transition.descriptors {
                if own[descriptor] == nil { order.append(descriptor) }
                own[descriptor, default: []].append(number)
            }
        }
        var lists: [String: (nodes: [DefinitionNode], isShared: Bool)] = [:]
        for descriptor in order {
            guard let numbers = own[descriptor], let last = numbers.last else { continue }
            let wider = Self.wider(than: descriptor).compactMap { own[$0] }
            let all = sharing(numbers, with: wider, written, descriptor)
            if all == nil, let earlier = wider.compactMap(\.first).min(), earlier < last {
                let line = written[earlier].place.line
                let message =
                    "for '\(descriptor)' SCXML tries the transition on line \(line) before this one, not behind it"
                notes.warning(message, at: written[last].place, touching: .course)
            }
            lists[descriptor] = ((all ?? numbers).map { written[$0].node }, all != nil && all != numbers)
        }
        return (order, lists)
    }

    /// Returns the transitions of a descriptor, together with those of wider descriptors that precede its last
    /// transition. Returns `nil` if too many would have to be repeated.
    private mutating func sharing(
        _ numbers: [Int], with wider: [[Int]], _ written: [Written], _ descriptor: String
    ) -> [Int]? {
        guard let last = numbers.last else { return numbers }
        let own = Set(numbers)
        var shared: Set<Int> = []
        for list in wider {
            for number in list.prefix(while: { $0 < last }) where !own.contains(number) {
                shared.insert(number)
                guard repeated + shared.count <= ImportLimits.repeatedTransitions else { return nil }
            }
        }
        repeated += shared.count
        for number in shared.sorted() {
            let line = written[last].place.line
            let reason = "so that it is tried before the one on line \(line) as in SCXML"
            notes.info("this transition also stands under '\(descriptor)', \(reason)", at: written[number].place)
        }
        return (numbers + shared).sorted()
    }

    /// Returns the descriptors that match every event that a descriptor matches, and more.
    private static func wider(than descriptor: String) -> [String] {
        guard descriptor != "*" else { return [] }
        let isFamily = descriptor.hasSuffix(".*")
        let name = isFamily ? descriptor.dropLast(2) : descriptor[...]
        var wider = ["*"] + (isFamily ? [] : [name + ".*"])
        var rest = name
        while let dot = rest.lastIndex(of: ".") {
            rest = rest[..<dot]
            wider.append(rest + ".*")
        }
        return wider
    }

    /// Returns several nodes as a list, and a single node as itself.
    private static func single(_ nodes: [DefinitionNode], at place: DefinitionPlace?) -> DefinitionNode {
        nodes.count == 1 ? nodes[0] : .list(nodes, at: place)
    }

    private mutating func transition(_ element: MarkupElement, of source: Int) -> Written {
        var members: [DefinitionNode.Member] = []
        let found = targets(of: element, "target")
        if let target = Self.target(found.map { states[$0].id }, at: element.place(of: "target")) {
            members.append(target)
        }
        if element["cond"] != nil, !element.hasBlankCondition {
            let guardNode = condition(of: element, touching: .course) ?? .bool(false, at: element.place(of: "cond"))
            members.append(DefinitionNode.Member("guard", guardNode))
        }
        if reenters(element, from: source, to: found) {
            members.append(DefinitionNode.Member("reenter", .bool(true, at: element.place)))
        }
        let actions = actions(of: element)
        if !actions.isEmpty { members.append(DefinitionNode.Member("actions", .list(actions, at: element.place))) }
        var node = DefinitionNode.map(members, at: element.place)
        if members.count == 1, members[0].key == "target", members[0].value.text != nil { node = members[0].value }
        return Written(descriptors: descriptors(of: element), node: node, place: element.place)
    }

    private mutating func descriptors(of element: MarkupElement) -> [String] {
        var descriptors: [String] = []
        for word in element["event"]?.value.words ?? [] {
            let (text, isNarrower) = events.descriptor(word)
            if !descriptors.contains(text) { descriptors.append(text) }
            if text.hasPrefix("done.invoke.") || text.hasPrefix("error.communication") {
                notes.info("the event '\(text)' does not come without effects", at: element.place(of: "event"))
            }
            if isNarrower {
                let rule = "a descriptor below which the document has no event takes exactly its name here"
                notes.infoOnce("\(rule); in SCXML it takes every name below it", at: element.place(of: "event"))
            }
        }
        return descriptors
    }

    /// Returns true if a transition exits its source state. A transition to the source or below does, unless it is
    /// `internal` and the source compound (SCXML 3.13). History around the source may also lead below it.
    private mutating func reenters(_ element: MarkupElement, from source: Int, to targets: [Int]) -> Bool {
        guard !targets.isEmpty, targets.allSatisfy({ mayLeadBelow(source, $0) }) else { return false }
        switch element.trimmed("type") {
        case nil, "external"?: return true
        case "internal"?:
            let isCompound = states[source].element.name == "state" && states[source].isNested
            return !isCompound || targets.contains(source)
        case let type?:
            let message = "the type \(type.quoted) is read as 'external'"
            notes.warning(message, at: element.place(of: "type"), touching: .course)
            return true
        }
    }

    private func mayLeadBelow(_ source: Int, _ target: Int) -> Bool {
        if states.isWithin(target, source) { return true }
        guard states[target].isHistory, let parent = states[target].parent else { return false }
        return states.isWithin(source, parent)
    }

    /// Returns the states that an attribute names, and adds an error for each that does not exist.
    mutating func targets(of element: MarkupElement, _ attribute: String) -> [Int] {
        var found: [Int] = []
        for word in element[attribute]?.value.words ?? [] {
            if let state = states.index(ofID: word) {
                found.append(state)
            } else {
                let hint = notes.suggestion(for: word, among: states.ids)
                notes.error("the state \(word.quoted) does not exist\(hint)", at: element.place(of: attribute))
            }
        }
        return found
    }

    /// Returns the key `target` for ids of states; `nil` if there are none.
    static func target(_ ids: [String], at place: DefinitionPlace) -> DefinitionNode.Member? {
        let words = ids.map { DefinitionNode.string("#" + $0, at: place) }
        return words.isEmpty ? nil : DefinitionNode.Member("target", single(words, at: place))
    }
}
