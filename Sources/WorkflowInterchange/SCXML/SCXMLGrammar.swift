import Statechart

/// A document without foreign and unread elements.
struct SCXMLDocument {
    let root: MarkupElement
    /// True if the document has scripts, which may define and change data.
    let hasScripts: Bool
}

/// The allowed elements and attributes at each place (SCXML 3 to 6).
struct SCXMLGrammar {
    private var notes: ImportNoteList
    private var hasScripts = false

    private static let namespace = "http://www.w3.org/2005/07/scxml"

    /// Removes unknown and unread parts of a document, with notes. If the root is not SCXML's, adds an error and
    /// returns `nil`.
    static func document(_ root: MarkupElement, _ notes: inout ImportNoteList) -> SCXMLDocument? {
        guard root.name == "scxml", root.namespace == namespace || root.namespace.isEmpty else {
            let name = root.name == "scxml" ? "\(root.name) of the namespace \(root.namespace)" : root.name
            notes.error("the document is no SCXML: it begins with \(name.quoted), not with 'scxml'", at: root.place)
            return nil
        }
        var grammar = SCXMLGrammar(notes: notes)
        let cleaned = grammar.cleaned(root)
        notes = grammar.notes
        return SCXMLDocument(root: cleaned, hasScripts: grammar.hasScripts)
    }

    private static let actions = ["raise", "if", "foreach", "log", "assign", "send", "cancel", "script"]
    private static let inState = [
        "onentry", "onexit", "transition", "state", "parallel", "history", "datamodel", "invoke",
    ]

    /// The allowed children of each element.
    private static let children: [String: [String]] = [
        "scxml": ["state", "parallel", "final", "datamodel", "script"],
        "state": inState + ["initial", "final"],
        "parallel": inState,
        "final": ["onentry", "onexit", "donedata"],
        "history": ["transition"],
        "initial": ["transition"],
        "transition": actions,
        "onentry": actions,
        "onexit": actions,
        "if": actions + ["elseif", "else"],
        "foreach": actions,
        "send": ["param", "content"],
        "donedata": ["param", "content"],
        "datamodel": ["data"],
    ]

    private static let attributes: [String: [String]] = [
        "scxml": ["name", "initial", "datamodel", "binding", "version"],
        "state": ["id", "initial"],
        "parallel": ["id"],
        "final": ["id"],
        "history": ["id", "type"],
        "transition": ["event", "cond", "target", "type"],
        "raise": ["event"],
        "if": ["cond"],
        "elseif": ["cond"],
        "foreach": ["array", "item", "index"],
        "log": ["label", "expr"],
        "data": ["id", "src", "expr"],
        "assign": ["location", "expr"],
        "param": ["name", "expr", "location"],
        "content": ["expr"],
        "send": [
            "event", "eventexpr", "target", "targetexpr", "type", "typeexpr", "id", "idlocation", "delay", "delayexpr",
            "namelist",
        ],
        "cancel": ["sendid", "sendidexpr"],
    ]

    /// Attributes of drafts that did not affect the course of a machine.
    private static let harmless: Set = ["exmode", "profile"]

    /// The elements whose content is data, not SCXML.
    private static let holders: Set = ["data", "assign", "content"]

    private mutating func cleaned(_ element: MarkupElement) -> MarkupElement {
        checkAttributes(of: element)
        guard !Self.holders.contains(element.name) else { return element }
        if !element.text.trimmingBlanks.isEmpty {
            let message = "the text in \(element.name.quoted) means nothing and is left out"
            notes.warning(message, at: element.place, touching: .nothing)
        }
        var cleaned = element
        cleaned.children = element.children.compactMap { isRead($0, in: element) ? self.cleaned($0) : nil }
        return cleaned
    }

    private mutating func isRead(_ element: MarkupElement, in parent: MarkupElement) -> Bool {
        guard element.namespace == Self.namespace || element.namespace.isEmpty && parent.namespace.isEmpty else {
            reportForeign(element, in: parent)
            return false
        }
        let known = Self.children[parent.name] ?? []
        guard known.contains(element.name) else {
            report(element, in: parent, known)
            return false
        }
        switch element.name {
        case "script":
            hasScripts = true
            let message = "scripts have no counterpart; this one is left out with all that it does"
            notes.warning(message, at: element.place, touching: .allKeys)
            return false
        case "invoke":
            let message = "'invoke' needs effects, which this version does not have; it is left out with all in it"
            // An invoked service sends events.
            notes.warning(message, at: element.place, touching: .course)
            return false
        default: return true
        }
    }

    /// Adds a note about an element of another namespace. Among actions it is an action (SCXML 4.10); elsewhere it is
    /// for editors.
    private mutating func reportForeign(_ element: MarkupElement, in parent: MarkupElement) {
        let namespace = element.namespace.quoted
        if Self.children[parent.name]?.contains("assign") == true {
            let message = "the action \(element.name.quoted) of the namespace \(namespace) is left out"
            notes.warning(message, at: element.place, touching: .allKeys)
        } else {
            notes.infoOnce("elements of the namespace \(namespace) are left out", at: element.place)
        }
    }

    private mutating func report(_ element: MarkupElement, in parent: MarkupElement, _ known: [String]) {
        let name = element.name.quoted
        let isKnown = Self.children[element.name] != nil || Self.attributes[element.name] != nil
        let message =
            isKnown
            ? "\(name) does not belong in \(parent.name.quoted) and is left out"
            : "unknown element \(name) is left out\(notes.suggestion(for: element.name, among: known))"
        notes.warning(message, at: element.place, touching: .course)
    }

    private mutating func checkAttributes(of element: MarkupElement) {
        let known = Self.attributes[element.name] ?? []
        for attribute in element.attributes where !known.contains(attribute.name) {
            // Attributes of other namespaces are allowed everywhere.
            guard !attribute.name.contains(":") else { continue }
            let hint = notes.suggestion(for: attribute.name, among: known)
            let message = "unknown attribute \(attribute.name.quoted) of \(element.name.quoted) is left out\(hint)"
            let isHarmless = element.name == "log" || Self.harmless.contains(attribute.name)
            notes.warning(message, at: attribute.place, touching: isHarmless ? .nothing : .course)
        }
    }
}
