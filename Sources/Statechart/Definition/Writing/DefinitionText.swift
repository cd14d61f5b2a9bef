/// Definitions as text: read to a tree whatever they mean, and written again.
package enum DefinitionText {
    /// The tree of a text. It is not asked whether it is a valid definition; mistakes of the notation itself, such as
    /// keys that stand twice, are thrown, all of them.
    package static func tree(
        of text: String, syntax: DefinitionSyntax = .detected
    ) throws(DefinitionError) -> DefinitionNode {
        var diagnostics = DiagnosticList()
        let source = try SourceReader.node(from: text, syntax: syntax, diagnostics: &diagnostics)
        let tree = DefinitionNode(source, &diagnostics)
        guard diagnostics.errors.isEmpty else { throw DefinitionError(diagnostics: diagnostics.told) }
        return tree
    }

    /// Writes a definition in a notation of choice: the same keys, values and kinds of values, in the same order.
    ///
    /// Comments, blank lines and the way in which values were written (flow style, quotes, `0x10`, `~`) are lost. A
    /// text that would not be read as the same definition again is never returned: one that grows past
    /// `DefinitionLimits.textBytes` is an error.
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

extension DefinitionNode {
    /// The text of the tree, ending with a line break; the same for equal trees.
    package func text(as notation: DefinitionNotation) -> String {
        switch notation {
        case .yaml: yamlLines.map { $0.text + "\n" }.joined()
        case .json: IndentedJSON.text(of: self) + "\n"
        }
    }

    /// The lines of the tree's YAML, each with the place of the value on it, or of the key where the value lies below.
    package var yamlLines: [(text: String, place: DefinitionPlace?)] {
        var writer = YAMLWriter()
        writer.write(self)
        return writer.lines
    }
}
