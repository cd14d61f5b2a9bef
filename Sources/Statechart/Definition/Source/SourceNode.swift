/// A node of a definition's text, the same for YAML and JSON: its content and position, without its meaning.
struct SourceNode: Sendable {
    /// The content of a node.
    enum Content: Sendable {
        /// A text as written. Only plain text can mean a number, a bool or null; quoted text is always a string.
        case scalar(String, isPlain: Bool)
        /// The pairs in the order of the text; no key occurs twice.
        case mapping([Pair])
        case sequence([SourceNode])
        /// A part of the text that cannot be used and was already reported.
        case unreadable
    }

    /// One key of a mapping and its value.
    struct Pair: Sendable {
        let key: SourceWord
        let value: SourceNode
    }

    let content: Content
    let position: SourcePosition

    /// The kind of the content, for messages: `a string`, `a list`, `null` …
    var kind: String {
        switch content {
        case .scalar(let text, let isPlain):
            isPlain ? ScalarResolver.kind(ofPlain: text) : "a string"
        case .mapping: "a map"
        case .sequence: "a list"
        case .unreadable: "nothing"
        }
    }

    /// True if the node is null: empty, `~` or `null`.
    var isNull: Bool {
        if case .scalar(let text, isPlain: true) = content { ScalarResolver.isNull(text) } else { false }
    }

    /// True if a mistake of this node was already reported.
    var isUnreadable: Bool {
        if case .unreadable = content { true } else { false }
    }
}

extension SourceNode {
    /// Creates the node of a generated tree, which has no text.
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
    /// Returns the value of a key; `nil` if the mapping lacks the key.
    subscript(key: String) -> SourceNode? {
        first { $0.key.text == key }?.value
    }
}
