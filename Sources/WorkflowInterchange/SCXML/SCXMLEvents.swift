import Statechart

/// The events that a document names, and their names in the definition.
struct SCXMLEvents {
    private var names: [String: String] = [:]
    /// The prefixes of the document's events: `a` and `a.b` for `a.b.c`.
    private var families: Set<String> = ["done", "done.state", "error"]
    private let states: SCXMLStates

    /// Collects the events below an element, and notes renamed events.
    init(of root: MarkupElement, _ states: SCXMLStates, _ notes: inout ImportNoteList) {
        self.states = states
        var found: [(name: String, place: DefinitionPlace)] = []
        Self.collect(root, &found)
        var unique = UniqueNames(taken: Set(found.map(\.name).filter(Self.isKept)))
        for (name, place) in found where names[name] == nil {
            let states = states[ownerOf: name]
            let kept = states ?? (Self.isKept(name) ? name : unique.name(Self.name(like: name)))
            names[name] = kept
            if kept != name, states == nil {
                notes.info("the event \(name.quoted) is called '\(kept)' here", at: place)
            }
            addFamilies(of: name)
        }
        for state in states.states where state.isNested { addFamilies(of: "done.state." + state.id) }
    }

    /// Returns the name of an event that is sent or raised.
    func name(_ event: String) -> String {
        names[event] ?? event
    }

    /// Returns the descriptor for an SCXML descriptor, which matches its name and everything below (SCXML 3.12.1). If
    /// no other event of the document is below the name, the exact name is used: it is tried first and reads as
    /// intended.
    func descriptor(_ word: String) -> (text: String, isNarrower: Bool) {
        let base = Self.base(of: word)
        guard !base.isEmpty, base != "*" else { return ("*", false) }
        let name = name(base)
        if base != word || families.contains(base) { return (name + ".*", false) }
        let isOfEngine = base.hasPrefix("error.") || base.hasPrefix("done.")
        return (name, !isOfEngine)
    }

    private mutating func addFamilies(of name: String) {
        var rest = name[...]
        while let dot = rest.lastIndex(of: ".") {
            rest = rest[..<dot]
            // A longer known prefix has already added the shorter ones.
            guard families.insert(String(rest)).inserted else { return }
        }
    }

    /// Returns the descriptor without the prefix mark, because every SCXML descriptor is a prefix.
    private static func base(of word: String) -> String {
        if word.hasSuffix(".*") { return String(word.dropLast(2)) }
        return word.hasSuffix(".") ? String(word.dropLast()) : word
    }

    /// Returns true if the name can be kept. Names under `after.` belong to the engine's timers.
    private static func isKept(_ name: String) -> Bool {
        EventName.isValid(name) && name != "after" && !name.hasPrefix(EventName.timeoutPrefix)
    }

    private static func name(like text: String) -> String {
        let isOfTimers = text == "after" || text.hasPrefix(EventName.timeoutPrefix)
        return UniqueNames.eventName(like: isOfTimers ? "after_" + text.dropFirst(5) : text)
    }

    private static func collect(_ element: MarkupElement, _ found: inout [(name: String, place: DefinitionPlace)]) {
        switch element.name {
        case "raise", "send":
            if let event = element.trimmed("event") { found.append((event, element.place(of: "event"))) }
        case "transition":
            for word in element["event"]?.value.words ?? [] {
                let base = base(of: word)
                if !base.isEmpty, base != "*" { found.append((base, element.place(of: "event"))) }
            }
        default: break
        }
        for child in element.children { collect(child, &found) }
    }
}

extension SCXMLStates {
    /// Returns `done.state.<id>` with the state's name; `nil` for any other event.
    fileprivate subscript(ownerOf event: String) -> String? {
        let prefix = "done.state."
        guard event.hasPrefix(prefix), let state = index(ofID: String(event.dropFirst(prefix.count))) else {
            return nil
        }
        return prefix + self[state].id
    }
}
