import WorkflowSpelling

/// The names of the types that a definition may declare.
enum DeclaredTypeName {
    private static let all = ["bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration", "dyn"]
    /// The types that take other types: `list(int)`.
    private static let generic = ["list", "map", "optional"]
    /// The names of these types in other languages.
    private static let synonyms = [
        "number": "double", "float": "double", "decimal": "double", "real": "double", "integer": "int", "long": "int",
        "boolean": "bool", "text": "string", "str": "string", "array": "list", "object": "map", "any": "dyn",
        "unknown": "dyn", "date": "timestamp", "datetime": "timestamp", "time": "timestamp",
    ]

    /// Returns a suggestion for a text that is not a type; the suggestion begins with `; `.
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
