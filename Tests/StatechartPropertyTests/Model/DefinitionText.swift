/// A JSON text that is being built. Maps keep the order of their keys, which is document order.
indirect enum DefinitionText {
    case string(String)
    /// A number or a bool.
    case literal(String)
    case list([DefinitionText])
    case map([(key: String, value: DefinitionText)])

    /// The text on one line.
    var compact: String {
        var text = ""
        append(to: &text)
        return text
    }

    private func append(to text: inout String) {
        switch self {
        case .string(let string): text += "\"\(string)\""
        case .literal(let literal): text += literal
        case .list(let items):
            text += "["
            for (place, item) in items.enumerated() {
                if place > 0 { text += ", " }
                item.append(to: &text)
            }
            text += "]"
        case .map(let pairs):
            text += "{"
            for (place, pair) in pairs.enumerated() {
                text += "\(place > 0 ? ", " : "")\"\(pair.key)\": "
                pair.value.append(to: &text)
            }
            text += "}"
        }
    }

    /// Returns the text for people: a value that fits a line is on one line.
    func readable(indent: Int = 0) -> String {
        let line = compact
        if indent * 2 + line.utf8.count <= 100 { return line }
        let start = String(repeating: "  ", count: indent + 1)
        let end = String(repeating: "  ", count: indent)
        switch self {
        case .string, .literal: return line
        case .list(let items):
            let lines = items.map { start + $0.readable(indent: indent + 1) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(end)]"
        case .map(let pairs):
            let lines = pairs.map { "\(start)\"\($0.key)\": " + $0.value.readable(indent: indent + 1) }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(end)}"
        }
    }
}
