import WorkflowSpelling

/// The names of the types that a definition may declare.
enum DeclaredTypeName {
    private static let all = ["bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration", "dyn"]
    /// That take others: `list(int)`.
    private static let generic = ["list", "map", "optional"]
    /// What other languages call them.
    private static let synonyms = [
        "number": "double", "float": "double", "decimal": "double", "real": "double", "integer": "int", "long": "int",
        "boolean": "bool", "text": "string", "str": "string", "array": "list", "object": "map", "any": "dyn",
        "unknown": "dyn", "date": "timestamp", "datetime": "timestamp", "time": "timestamp",
    ]

    /// What was probably meant by a text that is no type; begins with `; `.
    static func advice(on text: String) -> String {
        let words = text.split { !$0.isLetter && $0 != "_" }.map(String.init)
        for word in words where !(all + generic + ["null"]).contains(word) {
            let meant = synonyms[word.lowercased()] ?? Spelling.closest(to: word, among: all + generic)
            if let meant { return "; did you mean '\(text.replacing(word, with: meant, maxReplacements: 1))'?" }
        }
        let names = all.joined(separator: ", ")
        return "; types are \(names), list(T), map(string, T), optional(T) and maps of fields, such as {name: string}"
    }
}
