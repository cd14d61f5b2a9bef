/// Writes a tree as YAML in block style, two spaces a level.
struct YAMLWriter {
    /// The lines so far, each with the place of its value, or of its key if the value is on lower lines.
    private(set) var lines: [(text: String, place: DefinitionPlace?)] = []
    /// The beginning of the next line in place of spaces: the dashes of the lists that begin on that line.
    private var lead: String?

    /// The length above which a key needs its own line (yaml.org/spec/1.1, 9.3.1 "simple keys": 1,024 characters with
    /// quotes).
    private static let longestKey = 1_000

    /// Writes a whole tree.
    mutating func write(_ root: DefinitionNode) {
        switch root.content {
        case .map(let members) where !members.isEmpty: write(members, indent: 0)
        case .list(let elements) where !elements.isEmpty: write(elements, indent: 0)
        default: add(YAMLScalar.inline(root), root.place)
        }
    }

    private mutating func write(_ members: [DefinitionNode.Member], indent: Int) {
        for member in members {
            var start = begin(indent)
            let key = YAMLScalar.key(member.key)
            if key.unicodeScalars.count > Self.longestKey {
                add(start + "? " + key, member.place)
                start = spaces(indent)
            } else {
                start += key
            }
            write(member.value, after: start + ":", member.place, indent: indent)
        }
    }

    private mutating func write(_ elements: [DefinitionNode], indent: Int) {
        for element in elements {
            let start = begin(indent)
            switch element.content {
            case .map(let members) where !members.isEmpty:
                lead = start + "- "
                write(members, indent: indent + 2)
            case .list(let elements) where !elements.isEmpty:
                lead = start + "- "
                write(elements, indent: indent + 2)
            default: write(element, after: start + "-", element.place, indent: indent)
            }
        }
    }

    /// Writes a value after its key or dash, or below it.
    private mutating func write(
        _ value: DefinitionNode, after start: String, _ place: DefinitionPlace?, indent: Int
    ) {
        switch value.content {
        case .map(let members) where !members.isEmpty:
            add(start, place)
            write(members, indent: indent + 2)
        case .list(let elements) where !elements.isEmpty:
            add(start, place)
            write(elements, indent: indent + 2)
        case .string(let text):
            guard let block = YAMLScalar.block(text) else { fallthrough }
            add(start + " " + block.header, value.place ?? place)
            for line in block.lines { add(line.isEmpty ? "" : spaces(indent + 2) + line, value.place) }
        default: add(start + " " + YAMLScalar.inline(value), value.place ?? place)
        }
    }

    private mutating func begin(_ indent: Int) -> String {
        defer { lead = nil }
        return lead ?? spaces(indent)
    }

    private func spaces(_ count: Int) -> String {
        String(repeating: " ", count: count)
    }

    private mutating func add(_ text: String, _ place: DefinitionPlace?) {
        lines.append((text, place))
    }
}
