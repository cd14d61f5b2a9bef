import WorkflowJSON

/// The values in which two contexts differ.
enum ContextDifference {
    /// Returns a line for each path, such as `total: 5 -> 12`; `-` stands for a missing value.
    static func lines(from old: JSONObject, to new: JSONObject) -> StyledText {
        var differences: [String] = []
        compare(.object(old), .object(new), at: "", &differences)
        var text: StyledText = ""
        for difference in differences.prefix(lines) { text = text + "  \(difference)\n" }
        if differences.count > lines { text = text + "  and \(differences.count - lines) more\n" }
        return text
    }

    private static let lines = 20
    /// The largest number of characters of a value.
    private static let characters = 200

    private static func compare(_ old: JSONValue?, _ new: JSONValue?, at path: String, _ found: inout [String]) {
        if old == new { return }
        switch (old, new) {
        case (.object(let old)?, .object(let new)?):
            let added = new.members.map(\.key).filter { old[$0] == nil }
            for key in old.members.map(\.key) + added {
                compare(old[key], new[key], at: step(path, key), &found)
            }
        case (.array(let old)?, .array(let new)?) where old.count == new.count:
            for (place, pair) in zip(old, new).enumerated() {
                compare(pair.0, pair.1, at: "\(path)[\(place)]", &found)
            }
        default: found.append("\(path): \(text(old)) -> \(text(new))")
        }
    }

    private static func step(_ path: String, _ key: String) -> String {
        let isWord = key.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        if isWord, !key.isEmpty { return path.isEmpty ? key : path + "." + key }
        return path + "[" + JSONWriter.string(JSONValue.string(key)) + "]"
    }

    private static func text(_ value: JSONValue?) -> String {
        guard let value else { return "-" }
        let text = JSONWriter.string(value)
        return text.count > characters ? String(text.prefix(characters)) + "…" : text
    }
}
