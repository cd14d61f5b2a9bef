#if YAML

    import Yams

    /// Builds the nodes of a YAML text from the node tree of Yams.
    ///
    /// Multiple documents, tags, merge keys, and anchors with their aliases are rejected. So a definition reads the
    /// same for everybody, and no text stands for more than it shows.
    struct YAMLSource {
        private(set) var diagnostics: DiagnosticList
        private let text: YAMLText
        private var reportedAnchors: Set<SourcePosition> = []

        /// Returns the root node of a YAML text. Throws if the text is not YAML; adds smaller mistakes to the list.
        static func node(from text: String, diagnostics: inout DiagnosticList) throws(DefinitionError) -> SourceNode {
            if let position = AliasBound.excess(in: text) {
                throw DefinitionError(
                    "too many words begin with '&' and '*' to rule out anchors and aliases", at: position)
            }
            var text = YAMLText(text)
            let parser = try text.parsed()
            // A node knows its anchor only while the parser lives.
            return withExtendedLifetime(parser.parser) {
                var source = YAMLSource(text: text, diagnostics: diagnostics)
                let node = source.node(parser.root, level: 1)
                diagnostics = source.diagnostics
                return node
            }
        }

        private init(text: YAMLText, diagnostics: DiagnosticList) {
            self.text = text
            self.diagnostics = diagnostics
        }

        private mutating func node(_ node: Node, level: Int) -> SourceNode {
            let position = text.position(of: node.mark)
            let content = isAnchored(node, at: position) ? .unreadable : content(of: node, at: position, level: level)
            return SourceNode(content: content, position: position)
        }

        private mutating func content(of node: Node, at position: SourcePosition, level: Int) -> SourceNode.Content {
            switch node {
            case .scalar(let scalar):
                return self.scalar(scalar, at: position)
            case .alias:
                return .unreadable
            case .mapping, .sequence:
                guard level <= DefinitionLimits.nesting else {
                    diagnostics.error(SourceNode.tooDeep, at: position)
                    return .unreadable
                }
                return collection(node, at: position, level: level)
            }
        }

        private mutating func collection(_ node: Node, at position: SourcePosition, level: Int) -> SourceNode.Content {
            switch node {
            case .mapping(let mapping):
                reportTag(mapping.tag, isExplicit: mapping.tag.rawValue != "", at: position)
                return .mapping(pairs(of: mapping, level: level))
            case .sequence(let sequence):
                reportTag(sequence.tag, isExplicit: sequence.tag.rawValue != "", at: position)
                return .sequence(sequence.map { element in self.node(element, level: level + 1) })
            case .scalar, .alias:
                return .unreadable
            }
        }

        private mutating func scalar(_ scalar: Node.Scalar, at position: SourcePosition) -> SourceNode.Content {
            let isPlain = scalar.style == .plain
            // Yams gives quoted scalars the string tag.
            let isExplicit = isPlain ? scalar.tag.rawValue != "" : scalar.tag.rawValue != Tag.Name.str.rawValue
            reportTag(scalar.tag, isExplicit: isExplicit, at: position)
            return .scalar(scalar.string, isPlain: isPlain)
        }

        private mutating func pairs(of mapping: Node.Mapping, level: Int) -> [SourceNode.Pair] {
            var pairs: [SourceNode.Pair] = []
            var lines: [String: Int] = [:]
            for (keyNode, valueNode) in mapping {
                guard let key = key(keyNode) else { continue }
                if let line = lines[key.text] {
                    diagnostics.error(
                        "the key \(key.text.quoted) stands twice, first on line \(line)", at: key.position)
                    continue
                }
                lines[key.text] = key.position.line
                pairs.append(SourceNode.Pair(key: key, value: node(valueNode, level: level + 1)))
            }
            return pairs
        }

        private mutating func key(_ node: Node) -> SourceWord? {
            let position = text.position(of: node.mark)
            guard !isAnchored(node, at: position) else { return nil }
            guard case .scalar(let scalar) = node else {
                diagnostics.error("a key must be text, not a list or a map", at: position)
                return nil
            }
            // A key comparison in Yams resolves the tags of untagged keys to the string tag.
            let isExplicit = !["", Tag.Name.str.rawValue].contains(scalar.tag.rawValue) && !text.isMarked(node.mark)
            reportTag(scalar.tag, isExplicit: isExplicit, at: position)
            if scalar.string == "<<", scalar.style == .plain {
                diagnostics.error("merge keys ('<<') are not supported; write the keys out", at: position)
                return nil
            }
            return SourceWord(text: scalar.string, position: position)
        }

        private mutating func isAnchored(_ node: Node, at position: SourcePosition) -> Bool {
            guard let anchor = node.anchor else { return false }
            // Every alias is the anchored node again.
            if reportedAnchors.insert(position).inserted {
                let message =
                    "anchors and aliases are not supported: write the value of '&\(anchor)' out where it is used"
                diagnostics.error(message, at: position)
            }
            return true
        }

        private mutating func reportTag(_ tag: Tag, isExplicit: Bool, at position: SourcePosition) {
            guard isExplicit else { return }
            diagnostics.error("tags such as \(tag.rawValue.quoted) are not supported", at: position)
        }
    }

#endif
