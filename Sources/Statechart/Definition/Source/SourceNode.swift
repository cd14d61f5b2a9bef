/// A node of a definition's text, the same for YAML and JSON: what stands there and where, not yet what it means.
struct SourceNode: Sendable {
    /// What stands there.
    enum Content: Sendable {
        /// Text as written; only plain text can mean a number, a bool or null, quoted text is always a string.
        case scalar(String, isPlain: Bool)
        /// In the order of the text; no key stands twice.
        case mapping([Pair])
        case sequence([SourceNode])
        /// Something that cannot be used and was reported already.
        case unreadable
    }

    /// One key of a mapping and its value.
    struct Pair: Sendable {
        let key: SourceWord
        let value: SourceNode
    }

    let content: Content
    let position: SourcePosition

    /// What stands there, in the words of messages: `a string`, `a list`, `null` …
    var kind: String {
        switch content {
        case .scalar(let text, let isPlain):
            isPlain ? ScalarResolver.kind(ofPlain: text) : "a string"
        case .mapping: "a map"
        case .sequence: "a list"
        case .unreadable: "nothing"
        }
    }

    /// Whether this is null: empty, `~` or `null`.
    var isNull: Bool {
        if case .scalar(let text, isPlain: true) = content { ScalarResolver.isNull(text) } else { false }
    }

    /// Whether a mistake of this node was reported already.
    var isUnreadable: Bool {
        if case .unreadable = content { true } else { false }
    }
}

extension SourceNode {
    /// What a tree that was made means, without its text.
    init(_ tree: DefinitionNode) {
        let content: Content =
            switch tree.content {
            case .null: .scalar("null", isPlain: true)
            case .bool(let bool): .scalar(bool ? "true" : "false", isPlain: true)
            case .number(let number): .scalar(number, isPlain: true)
            case .string(let string): .scalar(string, isPlain: false)
            case .list(let elements): .sequence(elements.map { SourceNode($0) })
            case .map(let members):
                .mapping(
                    members.map {
                        Pair(
                            key: SourceWord(text: $0.key, position: SourcePosition($0.place)),
                            value: SourceNode($0.value))
                    })
            }
        self.init(content: content, position: SourcePosition(tree.place))
    }
}

extension SourcePosition {
    fileprivate init(_ place: DefinitionPlace?) {
        self = place.map { SourcePosition(line: $0.line, column: $0.column) } ?? .start
    }
}

extension [SourceNode.Pair] {
    /// The value of a key; nil when the mapping does not have it.
    subscript(key: String) -> SourceNode? {
        first { $0.key.text == key }?.value
    }
}
