import WorkflowJSON

extension DefinitionNode {
    /// The role of a scalar, which determines the parts of its text to keep.
    private enum Role {
        /// The keys of the root.
        case root
        /// Keys of the language; a scalar is read as text.
        case keywords
        /// Names that the definition chooses, with `keywords` as their values.
        case names
        /// Data; a scalar is read as the value that it means.
        case data

        /// Returns the role of the value under a key.
        func under(_ key: String) -> Role {
            switch (self, key) {
            case (.data, _): .data
            case (.names, _): .keywords
            case (_, "context"), (_, "meta"), (_, "tags"), (_, "data"), (_, "output"), (_, "assign"): .data
            case (_, "input"), (_, "headers"), (_, "strict"), (_, "reenter"): .data
            case (.root, "actions"), (_, "states"), (_, "on"), (_, "after"), (_, "guards"), (_, "events"): .names
            default: .keywords
            }
        }
    }

    /// Creates the tree of a definition's root node, which has no unreadable part. Numbers that cannot be represented
    /// are reported.
    init(_ root: SourceNode, _ diagnostics: inout DiagnosticList) {
        self.init(root, .root, &diagnostics)
    }

    private init(_ node: SourceNode, _ role: Role, _ diagnostics: inout DiagnosticList) {
        let content: Content
        switch node.content {
        case .scalar(let text, isPlain: false): content = .string(text)
        case .scalar(let text, isPlain: true):
            do throws(ScalarResolver.Failure) {
                content = try Self.content(ofPlain: text, role)
            } catch {
                diagnostics.error("\(text.quoted) is not a number that can be kept", at: node.position)
                content = .string(text)
            }
        case .sequence(let nodes):
            content = .list(nodes.map { DefinitionNode($0, role, &diagnostics) })
        case .mapping(let pairs):
            content = .map(
                pairs.map { pair in
                    let value = DefinitionNode(pair.value, role.under(pair.key.text), &diagnostics)
                    return Member(pair.key.text, value, at: DefinitionPlace(pair.key.position))
                })
        case .unreadable: content = .null
        }
        self.init(content, at: DefinitionPlace(node.position))
    }

    /// Returns the content of a plain scalar. Only JSON's own words have the same spelling in every notation. Other
    /// words (`True`, `007`) become the value that they mean. Where text is read, such words stay text: a state may
    /// have the name `True`.
    private static func content(ofPlain text: String, _ role: Role) throws(ScalarResolver.Failure) -> Content {
        let value = try ScalarResolver.value(ofPlain: text)
        let written = JSONWriter.string(value)
        switch value {
        case .null: return .null
        case .bool(let bool): return role == .data || written == text ? .bool(bool) : .string(text)
        case .int, .double:
            if isJSON(number: text) { return .number(text) }
            return role == .data ? .number(written) : .string(text)
        default: return .string(text)
        }
    }

    private static func isJSON(number text: String) -> Bool {
        switch try? JSONReader.value(from: text) {  // Whatever the error, it is no number of JSON.
        case .int, .double: true
        default: false
        }
    }
}

extension DefinitionPlace {
    init(_ position: SourcePosition) {
        self.init(line: position.line, column: position.column)
    }
}
