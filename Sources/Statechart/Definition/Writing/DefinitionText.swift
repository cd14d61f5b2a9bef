package import WorkflowJSON

/// Definitions as text: reads any definition into a tree, valid or not, and writes trees.
package enum DefinitionText {
    /// Returns the tree of a text. The tree need not be a valid definition. Throws all mistakes of the notation itself,
    /// such as duplicate keys.
    package static func tree(
        of text: String, syntax: DefinitionSyntax = .detected
    ) throws(DefinitionError) -> DefinitionNode {
        let (tree, mistakes) = try reading(text, syntax: syntax)
        guard mistakes.isEmpty else { throw DefinitionError(diagnostics: mistakes) }
        return tree
    }

    /// Returns the tree of a text, and the mistakes of the notation, such as duplicate keys; the parts with a mistake
    /// are missing or null. Throws if there is no tree.
    package static func reading(
        _ text: String, syntax: DefinitionSyntax = .detected
    ) throws(DefinitionError) -> (tree: DefinitionNode, mistakes: [Diagnostic]) {
        var diagnostics = DiagnosticList()
        let source = try SourceReader.node(from: text, syntax: syntax, diagnostics: &diagnostics)
        let tree = DefinitionNode(source, &diagnostics)
        return (tree, diagnostics.errors.isEmpty ? [] : diagnostics.told)
    }

    /// Rewrites a definition in a notation: the same keys, values and kinds of values, in the same order.
    ///
    /// Comments, blank lines and the style of values (flow style, quotes, `0x10`, `~`) are lost. The result always
    /// reads as the same definition. A text that would exceed `DefinitionLimits.textBytes` is an error.
    package static func rewritten(
        _ text: String, as notation: DefinitionNotation
    ) throws(DefinitionError) -> String {
        let tree = try tree(of: text)
        let written = tree.text(as: notation)
        guard try self.tree(of: written, syntax: notation == .yaml ? .yaml : .json) == tree else {
            throw DefinitionError("the definition cannot be written as \(notation == .yaml ? "YAML" : "JSON")")
        }
        return written
    }
}

extension DefinitionNode: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        switch content {
        case .null: writer.raw("null")
        case .bool(let bool): bool.write(to: &writer)
        case .number(let number): writer.raw(number)
        case .string(let string): writer.string(string)
        case .list(let elements): elements.write(to: &writer)
        case .map(let members):
            writer.object { writer in
                for member in members { writer.field(member.key, member.value) }
            }
        }
    }

    /// Returns the text of the tree, ending with a line break. Equal trees have equal texts.
    package func text(as notation: DefinitionNotation) -> String {
        switch notation {
        case .yaml: yamlLines.map { $0.text + "\n" }.joined()
        case .json: IndentedJSON.text(of: self) + "\n"
        }
    }

    /// The lines of the tree's YAML, each with the place of its value, or of its key if the value is on lower lines.
    package var yamlLines: [(text: String, place: DefinitionPlace?)] {
        var writer = YAMLWriter()
        writer.write(self)
        return writer.lines
    }
}
