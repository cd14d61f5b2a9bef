import WorkflowJSON

/// JSON for readers: a value that fits stands in one line, another has a line for each field and element.
enum FittedJSON {
    /// Returns the text without a final line end.
    ///
    /// - Parameter indent: The spaces before the value's last line.
    /// - Parameter start: The column at which the value begins.
    static func text(of value: JSONValue, indent: Int = 0, start: Int = 0) -> String {
        let line = line(of: value)
        let margin = String(repeating: " ", count: indent + 2)
        func lines(_ parts: [(name: String, value: JSONValue)]) -> String {
            let lines = parts.map { name, value in
                margin + name + text(of: value, indent: indent + 2, start: indent + 2 + name.count)
            }
            return lines.joined(separator: ",\n") + "\n" + margin.dropLast(2)
        }
        switch value {
        case _ where start + line.count < 120: return line
        case .object(let object):
            return "{\n" + lines(object.members.map { (JSONWriter.string($0.key) + ": ", $0.value) }) + "}"
        case .array(let values): return "[\n" + lines(values.map { ("", $0) }) + "]"
        default: return line
        }
    }

    private static func line(of value: JSONValue) -> String {
        switch value {
        case .object(let object):
            let fields = object.members.map { JSONWriter.string($0.key) + ": " + line(of: $0.value) }
            return "{" + fields.joined(separator: ", ") + "}"
        case .array(let values): return "[" + values.map(line).joined(separator: ", ") + "]"
        default: return JSONWriter.string(value)
        }
    }
}
