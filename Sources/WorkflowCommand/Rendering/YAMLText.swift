package import WorkflowJSON
import WorkflowTerminal
import Yams

/// Writes YAML in block style. Fields keep their order, and strings that would be read as another kind are quoted.
package enum YAMLText {
    /// Returns the text with a final line end.
    package static func of(_ value: some JSONWritable) throws -> String {
        // Compact JSON is YAML, once the characters that YAML forbids are escaped.
        let json = escapingUnprintable(JSONWriter.string(value))
        guard let node = try Yams.compose(yaml: json) else { return "null\n" }
        return escapingUnsafe(try Yams.serialize(node: styled(node), width: -1, allowUnicode: true))
    }

    private static func styled(_ node: Node) -> Node {
        switch node {
        case .scalar(let scalar):
            // Only strings have quotes in JSON.
            guard scalar.style == .doubleQuoted else { return node }
            return .scalar(Node.Scalar(scalar.string, .implicit, style(ofString: scalar.string)))
        case .mapping(let mapping):
            let pairs = mapping.map { (styled($0.key), styled($0.value)) }
            return .mapping(Node.Mapping(pairs, .implicit, pairs.isEmpty ? .flow : .block))
        case .sequence(let sequence):
            let nodes = sequence.map(styled)
            return .sequence(Node.Sequence(nodes, .implicit, nodes.isEmpty ? .flow : .block))
        case .alias: return node
        }
    }

    /// The words that some version of YAML reads as a value of another kind.
    private static let reserved: Set<String> = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"]

    private static func style(ofString string: String) -> Node.Scalar.Style {
        if string.unicodeScalars.contains(where: isUnsafe) { return .doubleQuoted }
        if string.contains("\n") { return .literal }
        guard let first = string.unicodeScalars.first, first.properties.isAlphabetic || first == "_",
            !reserved.contains(string.lowercased())
        else { return .doubleQuoted }
        return .plain
    }

    private static func escapingUnprintable(_ json: String) -> String {
        guard json.unicodeScalars.contains(where: isUnprintable) else { return json }
        var escaped = ""
        for scalar in json.unicodeScalars {
            if isUnprintable(scalar) {
                let digits = String(scalar.value, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Escapes characters that are unsafe for a terminal; they occur only in double quotes.
    private static func escapingUnsafe(_ yaml: String) -> String {
        guard yaml.unicodeScalars.contains(where: isUnsafe) else { return yaml }
        var escaped = ""
        for scalar in yaml.unicodeScalars {
            guard isUnsafe(scalar) else {
                escaped.unicodeScalars.append(scalar)
                continue
            }
            let digits = String(scalar.value, radix: 16)
            let length = scalar.value > 0xFFFF ? 8 : 4
            escaped += (length == 8 ? "\\U" : "\\u") + String(repeating: "0", count: length - digits.count) + digits
        }
        return escaped
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        scalar != "\n" && scalar != "\t" && Printable.isUnsafe(scalar)
    }

    /// Returns true for a character outside `c-printable` (YAML 1.2.2, section 5.1), or for a line break in some
    /// version of YAML.
    private static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: true
        default: false
        }
    }
}
