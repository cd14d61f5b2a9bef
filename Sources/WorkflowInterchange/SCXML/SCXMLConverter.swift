import Statechart

/// Converts a document to a definition, state by state.
struct SCXMLConverter {
    /// The language of the document's expressions.
    enum Language: Equatable {
        case ecmascript
        /// The null data model, which has only `In` (SCXML B.1).
        case null
        /// A language that cannot be read.
        case other(String)
    }

    let root: MarkupElement
    let states: SCXMLStates
    let events: SCXMLEvents
    let language: Language
    var notes: ImportNoteList
    /// The meanings of the names in the document's expressions.
    let names: ScriptTranslator.Names
    /// The remarks about translations that are already noted.
    var remarks: Set<ScriptTranslator.Remark> = []
    let test: ExpressionTest
    /// The number of repeated transitions.
    var repeated = 0
    private let data: SCXMLData

    init(_ document: SCXMLDocument, _ notes: ImportNoteList) {
        var notes = notes
        root = document.root
        states = SCXMLStates(of: root, &notes)
        events = SCXMLEvents(of: root, states, &notes)
        data = SCXMLData(of: root, &notes)
        language = Self.language(of: root, &notes)
        let kinds = SCXMLKinds(of: root, data)
        names = ScriptTranslator.Names(
            contextKeys: data.keys, kinds: kinds.kinds, nullable: kinds.nullable, states: states.names,
            isComplete: !document.hasScripts)
        test = ExpressionTest(contextKeys: Array(data.keys.values), guards: [])
        self.notes = notes
    }

    private static func language(of root: MarkupElement, _ notes: inout ImportNoteList) -> Language {
        switch root.trimmed("datamodel") {
        case nil, "ecmascript"?: return .ecmascript
        case "null"?: return .null
        case let name?:
            let message = "expressions in the data model \(name.quoted) have no counterpart; only ECMAScript's are read"
            // Each expression has its own note.
            notes.warning(message, at: root.place(of: "datamodel"), touching: .nothing)
            return .other(name)
        }
    }

    /// Returns the definition of the machine.
    mutating func machine() -> DefinitionNode {
        var members = [DefinitionNode.Member("id", .string(name(), at: root.place(of: "name")))]
        if let initial = initial(of: root, below: nil, children: states.top) { members.append(initial) }
        // SCXML drops events that no transition takes.
        members.append(DefinitionNode.Member("strict", .bool(false, at: root.place)))
        let (context, assignments) = context(data)
        if !context.isEmpty { members.append(DefinitionNode.Member("context", .map(context, at: root.place))) }
        if !assignments.isEmpty { members.append(DefinitionNode.Member("entry", .list(assignments, at: root.place))) }
        members.append(nested(states.top, at: root.place))
        return .map(members, at: root.place)
    }

    private mutating func name() -> String {
        guard let written = root.trimmed("name") else {
            notes.info("the document has no name; the machine is called 'machine'", at: root.place)
            return "machine"
        }
        guard !StateName.isValid(written) || written.utf8.count > DefinitionLimits.nameBytes else { return written }
        let name = UniqueNames.stateName(like: written)
        notes.info("the machine \(written.quoted) is called '\(name)' here", at: root.place(of: "name"))
        return name
    }

    private mutating func nested(_ children: [Int], at place: DefinitionPlace) -> DefinitionNode.Member {
        let members = children.map { index in
            DefinitionNode.Member(states[index].key, state(index), at: states[index].element.place)
        }
        return DefinitionNode.Member("states", .map(members, at: place))
    }

    private mutating func state(_ index: Int) -> DefinitionNode {
        let state = states[index]
        let element = state.element
        var members: [DefinitionNode.Member] = []
        if state.isIDWritten { members.append(DefinitionNode.Member("id", .string(state.id, at: element.place))) }
        switch element.name {
        case "history": members += history(element)
        case "final": members.append(DefinitionNode.Member("type", .string("final", at: element.place)))
        case "parallel" where state.isNested:
            members.append(DefinitionNode.Member("type", .string("parallel", at: element.place)))
        case "parallel":
            let message = "a 'parallel' without states is an atomic state here"
            notes.warning(message, at: element.place, touching: .nothing)
        default:
            if let initial = initial(of: element, below: index, children: state.children) { members.append(initial) }
        }
        members += block("onentry", "entry", of: element) + block("onexit", "exit", of: element)
        if !state.isHistory { members += transitions(of: index) }
        if let output = output(of: element, isOfMachine: state.parent == nil) { members.append(output) }
        if !state.children.isEmpty { members.append(nested(state.children, at: element.place)) }
        return .map(members, at: element.place)
    }

    /// Returns the actions of all blocks of a kind, joined to one block.
    private mutating func block(_ name: String, _ key: String, of element: MarkupElement) -> [DefinitionNode.Member] {
        let blocks = element.children.filter { $0.name == name }
        if blocks.count > 1 {
            let message =
                "several \(name.quoted) of one state are one block here: what fails in one also ends those after it"
            notes.infoOnce(message, at: blocks[1].place)
        }
        let actions = blocks.flatMap { self.actions(of: $0) }
        guard let first = blocks.first, !actions.isEmpty else { return [] }
        return [DefinitionNode.Member(key, .list(actions, at: first.place))]
    }

    private mutating func history(_ element: MarkupElement) -> [DefinitionNode.Member] {
        var members = [DefinitionNode.Member("type", .string("history", at: element.place))]
        switch element.trimmed("type") {
        case nil, "shallow"?: break
        case "deep"?:
            members.append(DefinitionNode.Member("history", .string("deep", at: element.place(of: "type"))))
        case let type?:
            let message = "the history type \(type.quoted) is read as 'shallow'"
            notes.warning(message, at: element.place(of: "type"), touching: .course)
        }
        guard let transition = element.children.first(where: { $0.name == "transition" }) else {
            notes.info("a history state without a default begins where its parent does", at: element.place)
            return members
        }
        reportTriggers(of: transition)
        if !transition.children.isEmpty {
            let message = "the default of a history state has no actions here; these are left out"
            notes.warning(message, at: transition.place, touching: bearing(of: transition.children))
        }
        let found = targets(of: transition, "target")
        let place = transition.place(of: "target")
        if let target = Self.target(found.map { states[$0].id }, at: place) { members.append(target) }
        return members
    }

    /// Returns the key `initial` of a state: its declared initial state, or its first child (SCXML 3.3.1).
    private mutating func initial(
        of element: MarkupElement, below parent: Int?, children: [Int]
    ) -> DefinitionNode.Member? {
        guard let first = children.first(where: { !states[$0].isHistory }) else {
            if element["initial"] != nil {
                let message = "'initial' of a state without states means nothing and is left out"
                notes.warning(message, at: element.place(of: "initial"), touching: .nothing)
            }
            return nil
        }
        let transition = element.children.first { $0.name == "initial" }?.children.first { $0.name == "transition" }
        var found: [Int] = []
        var actions: [DefinitionNode] = []
        if let transition {
            reportTriggers(of: transition)
            found = targets(of: transition, "target")
            actions = self.actions(of: transition)
        } else if element["initial"] != nil {
            found = targets(of: element, "initial")
        }
        let place = transition?.place ?? element.place(of: "initial")
        if found.isEmpty { found = [first] }
        // A child is named by its key.
        let isChild = found.count == 1 && states[found[0]].parent == parent
        let names = isChild ? [states[found[0]].key] : found.map { "#" + states[$0].id }
        let words = names.map { DefinitionNode.string($0, at: place) }
        guard words.count > 1 || !actions.isEmpty else { return DefinitionNode.Member("initial", words[0]) }
        var members = [DefinitionNode.Member("target", words.count == 1 ? words[0] : .list(words, at: place))]
        if !actions.isEmpty { members.append(DefinitionNode.Member("actions", .list(actions, at: place))) }
        return DefinitionNode.Member("initial", .map(members, at: place))
    }

    private mutating func reportTriggers(of transition: MarkupElement) {
        for name in ["event", "cond"] where transition[name] != nil {
            let message = "\(name.quoted) means nothing in the transition of 'initial' and 'history' and is left out"
            notes.warning(message, at: transition.place(of: name), touching: .nothing)
        }
    }
}
