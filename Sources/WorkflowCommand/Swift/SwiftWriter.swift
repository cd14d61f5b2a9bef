/// Writes Swift in the form that `swift format` keeps unchanged, for names of usual length.
struct SwiftWriter {
    private static let columns = 120

    private(set) var text = ""
    private var depth = 0

    /// Adds a line; an empty one has no indentation.
    mutating func line(_ line: String = "") {
        if !line.isEmpty { text += String(repeating: "    ", count: depth) + line }
        text += "\n"
    }

    /// Adds a doc comment, without invisible characters.
    mutating func comment(_ comment: String?) {
        guard let comment else { return }
        for line in comment.split(whereSeparator: \.isNewline) {
            let shown = line.unicodeScalars.filter { $0 == " " || SwiftLiteral.isShown($0) }
            self.line(("/// " + String(String.UnicodeScalarView(shown))).trimmedEnd)
        }
    }

    /// Adds a declaration with braces.
    mutating func block(_ head: String, _ body: (inout SwiftWriter) -> Void) {
        line(head + " {")
        depth += 1
        body(&self)
        depth -= 1
        line("}")
    }

    /// Adds a line with a list in parentheses, with as many elements per line as fit.
    mutating func list(_ head: String, _ elements: [String], _ tail: String) {
        let whole = head + elements.joined(separator: ", ") + tail
        guard depth * 4 + whole.count > Self.columns else { return line(whole) }
        line(head)
        depth += 1
        var row = ""
        for (offset, element) in elements.enumerated() {
            let next = element + (offset == elements.count - 1 ? tail : ",")
            if !row.isEmpty, depth * 4 + row.count + 1 + next.count > Self.columns {
                line(row)
                row = ""
            }
            row += (row.isEmpty ? "" : " ") + next
        }
        line(row)
        depth -= 1
    }

    /// Adds the case of an enum with raw values.
    mutating func rawCase(_ name: String, _ raw: String) {
        let name = SwiftName.written(name)
        guard name != raw, name != "`\(raw)`" else { return line("case \(name)") }
        let whole = "case \(name) = \(SwiftLiteral.string(raw))"
        guard depth * 4 + whole.count > Self.columns else { return line(whole) }
        line("case \(name) =")
        line("    " + SwiftLiteral.string(raw))
    }

    /// Adds coding keys if the names differ from the keys.
    mutating func codingKeys(_ name: String, _ keys: [(name: String, key: String)]) {
        guard keys.contains(where: { $0.name != $0.key }) else { return }
        line()
        block("enum \(name): String, CodingKey") { writer in
            for key in keys { writer.rawCase(key.name, key.key) }
        }
    }

    /// Adds the properties of a struct and, for a public struct, its initializer.
    mutating func properties(
        _ properties: [(name: String, type: String, value: String?)], word: String, access: String
    ) {
        for (name, type, value) in properties {
            line("\(access)\(word) \(SwiftName.written(name)): \(type)" + (value.map { " = \($0)" } ?? ""))
        }
        guard !access.isEmpty else { return }
        line()
        // Inside the initializer, a parameter with the name `self` would hide the new value.
        let parameters = properties.map { name, type, _ in
            SwiftName.written(name) + (name == "self" ? " itself" : "") + ": \(type)"
                + (type.hasSuffix("?") ? " = nil" : "")
        }
        list("public init(", parameters, ") {")
        for (name, _, _) in properties {
            let written = SwiftName.written(name)
            line("    self.\(written) = \(name == "self" ? "itself" : written)")
        }
        line("}")
    }
}

extension String {
    fileprivate var trimmedEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
