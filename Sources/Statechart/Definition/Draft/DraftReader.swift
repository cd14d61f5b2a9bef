import WorkflowJSON

/// Reads the nodes of a definition as a machine: checks the keys in each place and reads their values.
///
/// The reader continues after every mistake, so that it finds all of them. After a mistake, its result is good only for
/// finding more.
struct DraftReader {
    var diagnostics: DiagnosticList
    var draft: MachineDraft
    /// The keys of the context with their values; `nil` if the definition has a `context` that cannot be read.
    var contextKeys: JSONObject? = JSONObject()

    /// The keys that assignments write; the context may lack them.
    var writtenKeys: [SourceWord] = []

    /// The keys in `MachineDraft.madeKeys`, as a set for fast lookup.
    var madeKeys: Set<String> = []

    /// True if the machine has exceeded the limit on states; the mistake is reported once.
    var isFull = false

    /// True for a stored definition, which an earlier version may have accepted.
    let isStored: Bool

    /// True for a machine in memory, whose observers hear the emitted events.
    let isInMemory: Bool

    init(
        _ semantics: Semantics, diagnostics: DiagnosticList, isStored: Bool = false, isInMemory: Bool = false
    ) {
        self.isStored = isStored
        self.isInMemory = isInMemory
        self.diagnostics = diagnostics
        draft = MachineDraft(semantics: semantics)
    }

    /// Returns the machine of a definition's root node.
    mutating func machine(_ node: SourceNode) -> MachineDraft {
        guard let pairs = mapping(node, "a definition") else { return draft }
        checkKeys(of: pairs, in: .root, of: "the machine")
        readName(pairs["id"], at: node.position)
        readRootKeys(pairs)
        var root = StateDraft(index: .root, parent: nil, key: draft.name, path: "", position: node.position)
        root.kind = rootKind(pairs, at: node.position)
        draft.states.append(root)
        readBody(pairs, of: .root)
        // The check runs last, because a `foreach` before or after an assignment may create the key.
        for word in writtenKeys where !madeKeys.contains(word.text) {
            checkContextKey(word.text, at: word.position)
        }
        return draft
    }

    private mutating func readName(_ node: SourceNode?, at position: SourcePosition) {
        guard let node else {
            diagnostics.error("a machine needs a name: the key 'id'", at: position)
            return
        }
        guard let word = name(node, "'id'") else { return }
        draft.name = word.text
    }

    private mutating func readRootKeys(_ pairs: [SourceNode.Pair]) {
        if let node = pairs["strict"] { draft.isStrict = bool(node, "'strict'") ?? true }
        if let node = pairs["description"], case .scalar(let text, _) = node.content, !node.isNull {
            draft.description = text
        }
        let types = pairs["types"].map { contextTypes($0) } ?? []
        if let node = pairs["context"] {
            draft.context = context(node, types) ?? JSONObject()
            draft.isContextKnown = contextKeys != nil
        }
        for (key, _) in types { checkContextKey(key.text, at: key.position, severity: .error) }
        if let node = pairs["events"] { readEvents(node) }
        if let node = pairs["guards"] { readNamedGuards(node) }
        if let node = pairs["actions"] { readNamedActions(node) }
    }

    private mutating func rootKind(_ pairs: [SourceNode.Pair], at position: SourcePosition) -> State.Kind {
        let hasStates = pairs["states"] != nil
        if !hasStates {
            diagnostics.error("a machine needs states: the key 'states', such as states: {idle: {}}", at: position)
        }
        if let node = pairs["type"], case .scalar(let type, _) = node.content, ["final", "history"].contains(type) {
            diagnostics.error("a machine cannot be of type \(type.quoted)", at: node.position)
            return hasStates ? .compound : .atomic
        }
        return hasStates ? kind(pairs, of: "the machine") : .atomic
    }
}

extension DraftReader {
    /// Returns the pairs of a mapping; returns `nil` and reports a mistake for anything else.
    mutating func mapping(_ node: SourceNode, _ what: String) -> [SourceNode.Pair]? {
        if case .mapping(let pairs) = node.content { return pairs }
        reportKind(node, "\(what) must be a map")
        return nil
    }

    /// Returns the text of a scalar as written; returns `nil` and reports a mistake for anything else.
    ///
    /// - Parameter hint: The end of the message.
    mutating func text(_ node: SourceNode, _ what: String, else hint: String = "") -> String? {
        if case .scalar(let text, _) = node.content, !node.isNull { return text }
        reportKind(node, "\(what) must be a name", else: hint)
        return nil
    }

    /// Returns a bool; returns `nil` and reports a mistake for anything else.
    mutating func bool(_ node: SourceNode, _ what: String) -> Bool? {
        if case .scalar(let text, isPlain: true) = node.content,
            case .bool(let bool)? = try? ScalarResolver.value(ofPlain: text)
        {
            return bool
        }
        reportKind(node, "\(what) must be true or false")
        return nil
    }

    /// Returns a name of a machine, state or action; returns `nil` and reports a mistake for anything else.
    mutating func name(_ node: SourceNode, _ what: String) -> SourceWord? {
        guard let text = text(node, what) else { return nil }
        let word = SourceWord(text: text, position: node.position)
        return checkName(word) ? word : nil
    }

    /// Returns true if a name follows the grammar of names; otherwise reports a mistake.
    mutating func checkName(_ word: SourceWord) -> Bool {
        guard word.text.utf8.count <= DefinitionLimits.nameBytes else {
            let limit = DefinitionLimits.nameBytes
            diagnostics.error("the name \(word.text.quoted) is longer than \(limit) bytes", at: word.position)
            return false
        }
        guard StateName.isValid(word.text) else {
            let rule = "letters, digits, '_', '.' and '-', first a letter or '_'"
            diagnostics.error("\(word.text.quoted) cannot be a name: \(rule)", at: word.position)
            return false
        }
        return true
    }

    /// Returns true if an event name follows the grammar of event names; otherwise reports a mistake.
    mutating func checkEvent(_ word: SourceWord, name: some StringProtocol) -> Bool {
        guard EventName.isValid(String(name)), name.utf8.count <= DefinitionLimits.nameBytes else {
            let rule = "names joined by dots, of letters, digits, '_' and '-'"
            diagnostics.error("\(word.text.quoted) cannot be the name of an event: \(rule)", at: word.position)
            return false
        }
        return true
    }

    /// Reports a node of the wrong kind, unless the node itself was reported.
    ///
    /// - Parameter hint: The end of the message.
    mutating func reportKind(_ node: SourceNode, _ rule: String, else hint: String = "") {
        guard !node.isUnreadable else { return }
        diagnostics.error("\(rule), not \(node.kind)\(hint)", at: node.position)
    }

    /// Reports every key that does not belong to a place.
    mutating func checkKeys(of pairs: [SourceNode.Pair], in place: DefinitionKeys.Place, of owner: String) {
        let known = DefinitionKeys.known(in: place)
        for pair in pairs where !known.contains(pair.key.text) {
            reportKey(pair.key, known: known, in: place, of: owner)
        }
    }

    private mutating func reportKey(
        _ key: SourceWord, known: [String], in place: DefinitionKeys.Place, of owner: String
    ) {
        let name = key.text.quoted
        if let remedy = DefinitionKeys.remedy(for: key.text, in: place) {
            diagnostics.error(remedy, at: key.position)
        } else if let part = DefinitionKeys.missingPart(for: key.text, in: place) {
            diagnostics.error("\(name) needs \(part), which this version does not have", at: key.position)
        } else if place == .finalState || place == .historyState,
            DefinitionKeys.known(in: .state).contains(key.text)
        {
            diagnostics.error("\(owner) cannot have \(name)", at: key.position)
        } else if let home = DefinitionKeys.home(of: key.text) {
            diagnostics.error("\(name) does not belong to \(owner); it stands \(home)", at: key.position)
        } else {
            let counterpart = DefinitionKeys.counterpart(of: key.text).filter(known.contains).first
            let suggestion =
                counterpart.map { "; did you mean \($0.quoted)?" }
                ?? diagnostics.suggestion(for: key.text, among: known)
            let hint = suggestion.isEmpty ? "; known are \(known.joined(separator: ", "))" : suggestion
            diagnostics.error("unknown key \(name) in \(owner)\(hint)", at: key.position)
        }
    }
}
