/// The named action lists of a machine, written out.
struct ActionExpansion {
    private let lists: [String: [ActionDraft]]
    private var expanded: [String: [Action]] = [:]
    private var isExpanding: [SourceWord] = []
    private var total = 0
    private var isTooLarge = false

    /// Writes out all lists once; a mistake for every name that does not exist or leads back to itself.
    init(of draft: MachineDraft, diagnostics: inout DiagnosticList) {
        lists = Dictionary(draft.namedActions.map { ($0.name.text, $0.actions) }) { first, _ in first }
        for list in draft.namedActions { _ = expand(list.name, &diagnostics) }
        for state in draft.states {
            count(state.entry, &diagnostics)
            count(state.exit, &diagnostics)
            if let initial = state.initial { count(initial.actions, &diagnostics) }
            for transition in state.transitions { count(transition.actions, &diagnostics) }
        }
    }

    /// The actions of a block, in order.
    func actions(_ drafts: [ActionDraft]) -> [Action] {
        drafts.flatMap { draft in
            switch draft {
            case .written(let action): [action]
            case .named(let name): expanded[name.text] ?? []
            }
        }
    }

    private mutating func count(_ drafts: [ActionDraft], _ diagnostics: inout DiagnosticList) {
        for draft in drafts {
            switch draft {
            case .written: total += 1
            case .named(let name): add(expand(name, &diagnostics).count, at: name, &diagnostics)
            }
        }
    }

    private mutating func expand(_ name: SourceWord, _ diagnostics: inout DiagnosticList) -> [Action] {
        if let known = expanded[name.text] { return known }
        guard let list = lists[name.text] else {
            let suggestion = diagnostics.suggestion(for: name.text, among: lists.keys.sorted())
            diagnostics.error("the machine has no actions named \(name.text.quoted)\(suggestion)", at: name.position)
            return []
        }
        if let start = isExpanding.firstIndex(where: { $0.text == name.text }) {
            let way = (isExpanding[start...].map(\.text) + [name.text]).joined(separator: " -> ")
            diagnostics.error("named actions that contain themselves: \(way)", at: name.position)
            return []
        }
        guard isExpanding.count < DefinitionLimits.nesting else {
            let message = "named actions lie in each other deeper than \(DefinitionLimits.nesting) levels"
            diagnostics.error(message, at: name.position)
            return []
        }
        isExpanding.append(name)
        defer { isExpanding.removeLast() }
        var actions: [Action] = []
        for draft in list where !isTooLarge {
            switch draft {
            case .written(let action): actions.append(action)
            case .named(let inner): actions += expand(inner, &diagnostics)
            }
            if actions.count > DefinitionLimits.actions { reportSize(at: name, &diagnostics) }
        }
        add(actions.count, at: name, &diagnostics)
        expanded[name.text] = actions
        return actions
    }

    private mutating func add(_ count: Int, at name: SourceWord, _ diagnostics: inout DiagnosticList) {
        total += count
        if total > DefinitionLimits.actions { reportSize(at: name, &diagnostics) }
    }

    private mutating func reportSize(at name: SourceWord, _ diagnostics: inout DiagnosticList) {
        guard !isTooLarge else { return }
        isTooLarge = true
        let limit = DefinitionLimits.actions
        diagnostics.error(
            "the machine has more than \(limit) actions when named ones are written out", at: name.position)
    }
}
