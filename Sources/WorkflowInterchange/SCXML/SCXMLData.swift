import Statechart

/// The data of a document, and their keys in the context.
struct SCXMLData {
    /// A `data` element that is used.
    struct Datum {
        let element: MarkupElement
        let key: String
    }

    /// The data in the order of the text.
    private(set) var data: [Datum] = []
    /// The keys by the names of the document.
    private(set) var keys: [String: String] = [:]
    /// The keys of `foreach` variables that no `data` declares.
    private(set) var loopKeys: [String] = []

    /// Collects the data below an element, and notes renamed data.
    init(of root: MarkupElement, _ notes: inout ImportNoteList) {
        var found: [(name: String, place: DefinitionPlace, element: MarkupElement?)] = []
        Self.collect(root, &found, &notes)
        let isKept = { (name: String) in ExpressionText.isIdentifier(name) }
        var unique = UniqueNames(taken: Set(found.map(\.name).filter(isKept)))
        for (name, place, element) in found.filter({ $0.element != nil }) + found.filter({ $0.element == nil }) {
            guard keys[name] == nil else {
                if element != nil {
                    let message = "the data \(name.quoted) is declared before; this is left out"
                    notes.warning(message, at: place, touching: .keys([keys[name] ?? name]))
                }
                continue
            }
            let key = isKept(name) ? name : unique.name(ExpressionText.identifier(like: name))
            keys[name] = key
            if key != name { notes.info("the data \(name.quoted) is called '\(key)' here", at: place) }
            if let element { data.append(Datum(element: element, key: key)) } else { loopKeys.append(key) }
        }
        let states = root.children.filter { $0.name != "datamodel" }
        let late = root.trimmed("binding") == "late" ? states.flatMap { Self.data(below: $0) } : []
        guard let first = late.first else { return }
        let message = "all data are bound when the machine starts, those of states too"
        let names = late.compactMap { $0.trimmed("id") }
        notes.warning(message, at: first.place, touching: .keys(Set(names.compactMap { keys[$0] })))
    }

    /// Returns the data of a state and below. Late binding assigns their values when the state is first entered (SCXML
    /// 5.3.3).
    private static func data(below element: MarkupElement) -> [MarkupElement] {
        element.name == "data" ? [element] : element.children.flatMap { data(below: $0) }
    }

    private static func collect(
        _ element: MarkupElement,
        _ found: inout [(name: String, place: DefinitionPlace, element: MarkupElement?)], _ notes: inout ImportNoteList
    ) {
        switch element.name {
        case "data":
            guard let id = element.trimmed("id") else {
                notes.warning("'data' needs an 'id'; it is left out", at: element.place, touching: .nothing)
                return
            }
            found.append((id, element.place(of: "id"), element))
        case "foreach":
            for name in ["item", "index"] {
                if let variable = element.trimmed(name) { found.append((variable, element.place(of: name), nil)) }
            }
        default: break
        }
        for child in element.children { collect(child, &found, &notes) }
    }
}

extension SCXMLConverter {
    /// Returns the context, and the actions that assign values from expressions.
    mutating func context(_ data: SCXMLData) -> (context: [DefinitionNode.Member], assignments: [DefinitionNode]) {
        var context: [DefinitionNode.Member] = []
        var assignments: [DefinitionNode] = []
        for datum in data.data {
            let place = datum.element.place
            let (value, expression) = initialValue(of: datum)
            context.append(DefinitionNode.Member(datum.key, value, at: place))
            guard let expression else { continue }
            let assignment = DefinitionNode.map([DefinitionNode.Member(datum.key, expression)], at: place)
            assignments.append(.map([DefinitionNode.Member("assign", assignment)], at: place))
            let message = "the initial value of '\(datum.key)' is computed by the machine's 'entry', "
            notes.info(message + "which also replaces what is given at start", at: place)
        }
        for key in data.loopKeys { context.append(DefinitionNode.Member(key, DefinitionNode(.null, at: root.place))) }
        return (context, assignments)
    }

    /// Returns a literal, and the expression that gives the value if the literal does not.
    private mutating func initialValue(of datum: SCXMLData.Datum) -> (DefinitionNode, DefinitionNode?) {
        let (element, bearing) = (datum.element, Bearing.keys([datum.key]))
        let null = DefinitionNode(.null, at: element.place)
        if element["src"] != nil {
            let message = "data are not fetched; the value of 'src' is left out, 'null' stands in its place"
            notes.warning(message, at: element.place(of: "src"), touching: bearing)
            return (null, nil)
        }
        guard element["expr"] != nil else { return (content(of: element, touching: bearing) ?? null, nil) }
        let place = element.place(of: "expr")
        let result = translated("expr", of: element, touching: bearing) {
            translator, expression, converter throws(ScriptFailure) in
            if let literal = ScriptTranslator.literal(expression, at: place) { return (literal, false) }
            let template = try translator.template(expression, at: place)
            try converter.check(template)
            return (template, true)
        }
        switch result {
        case .success((let literal, false)): return (literal, nil)
        case .success((let expression, true)): return (null, expression)
        case .failure(let failure):
            report("the value", "expr", of: element, failure, "'null' stands in its place", touching: bearing)
            return (null, nil)
        }
    }

    /// Returns the literal inside an element: a JSON value, or else text with normalized white space (SCXML B.2.8.1).
    /// Returns `nil` if there is none.
    mutating func content(of element: MarkupElement, touching bearing: Bearing) -> DefinitionNode? {
        guard element.children.isEmpty else {
            let message = "XML as a value has no counterpart; 'null' stands in its place"
            notes.warning(message, at: element.children[0].place, touching: bearing)
            return nil
        }
        let text = element.text.trimmingBlanks
        guard !text.isEmpty else { return nil }
        // Text that is no valid literal, for whatever reason, is a string.
        if let expression = try? ScriptParser.expression(text),
            let literal = ScriptTranslator.literal(expression, at: element.place)
        {
            return literal
        }
        return .string(text.words.joined(separator: " "), at: element.place)
    }
}
