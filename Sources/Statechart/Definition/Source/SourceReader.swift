import WorkflowJSON

/// Reads a text in any notation into its tree of nodes.
enum SourceReader {
    /// Returns the root node of a text. Throws if there is none; adds smaller mistakes to the list.
    static func node(
        from text: String, syntax: DefinitionSyntax, diagnostics: inout DiagnosticList
    ) throws(DefinitionError) -> SourceNode {
        guard text.utf8.count <= DefinitionLimits.textBytes else {
            let limit = DefinitionLimits.textBytes
            throw DefinitionError("the definition has \(text.utf8.count) bytes; at most \(limit) are read")
        }
        let hasMark = text.unicodeScalars.first == "\u{FEFF}"
        let text = hasMark ? String(text.unicodeScalars.dropFirst()) : text
        guard text.contains(where: { !$0.isWhitespace }) else { throw DefinitionError("the definition is empty") }
        switch syntax {
        case .json: return try json(text, diagnostics: &diagnostics)
        case .yaml: return try yaml(text, diagnostics: &diagnostics)
        case .detected: return try detected(text, diagnostics: &diagnostics)
        }
    }

    private static func detected(
        _ text: String, diagnostics: inout DiagnosticList
    ) throws(DefinitionError) -> SourceNode {
        let start = text.utf8.drop { " \t\r\n".utf8.contains($0) }
        guard start.first == UInt8(ascii: "{") else {
            return try yaml(text, diagnostics: &diagnostics)
        }
        let mistake: DefinitionError
        do {
            return try json(text, diagnostics: &diagnostics)
        } catch {
            mistake = error
        }
        do {
            return try yaml(text, diagnostics: &diagnostics)
        } catch {
            // If the text is neither, a quoted first key indicates that JSON was intended.
            let key = start.dropFirst().first { !" \t\r\n".utf8.contains($0) }
            throw key == UInt8(ascii: "\"") ? mistake : error
        }
    }

    private static func yaml(
        _ text: String, diagnostics: inout DiagnosticList
    ) throws(DefinitionError) -> SourceNode {
        #if YAML
            return try YAMLSource.node(from: text, diagnostics: &diagnostics)
        #else
            throw DefinitionError("\(Self.name(in: text)) is YAML: add the trait YAML")
        #endif
    }

    #if !YAML
        /// Returns the name of the machine for a message, as far as it can be found in unparsed YAML.
        private static func name(in text: String) -> String {
            let line = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("id:") }
            guard let word = line?.dropFirst(3).split(separator: " ").first else { return "the definition" }
            return String(word).quoted
        }
    #endif

    private static func json(
        _ text: String, diagnostics: inout DiagnosticList
    ) throws(DefinitionError) -> SourceNode {
        do {
            _ = try JSONReader.value(from: text)
        } catch {
            let position = SourcePosition(line: error.line, column: error.column)
            let message = error.code == .syntax ? "not valid JSON: \(error.message)" : error.message
            throw DefinitionError(message, at: position)
        }
        var source = JSONSource(validText: text, diagnostics: diagnostics)
        let node = source.node()
        diagnostics = source.diagnostics
        return node
    }
}

extension DefinitionError {
    /// Creates the error for a definition that cannot be read any further.
    init(_ message: String, at position: SourcePosition = .start) {
        self.init(diagnostics: [
            Diagnostic(.error, line: position.line, column: position.column, message: message)
        ])
    }
}
