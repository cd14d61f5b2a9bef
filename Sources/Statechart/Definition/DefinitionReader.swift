package import WorkflowJSON

/// From the text of a definition to a machine: read the text, draft the machine, resolve targets, check, compile.
package enum DefinitionReader {
    /// Reads, validates and compiles a definition.
    ///
    /// All mistakes are reported at once, in the order of the text; only a text that is neither YAML nor JSON stops at
    /// its first mistake. Costs about O(n) in the size of the text.
    package static func read(
        _ text: String, syntax: DefinitionSyntax = .detected, semantics: Semantics = .current
    ) throws(DefinitionError) -> DefinitionReading {
        var diagnostics = DiagnosticList()
        let source = try SourceReader.node(from: text, syntax: syntax, diagnostics: &diagnostics)
        return try read(source, semantics, diagnostics)
    }

    /// The same for a definition that was accepted at its time: bounds that came since are not asked.
    package static func read(
        stored text: String, semantics: Semantics
    ) throws(DefinitionError) -> DefinitionReading {
        var diagnostics = DiagnosticList()
        let source = try SourceReader.node(from: text, syntax: .detected, diagnostics: &diagnostics)
        return try read(source, semantics, diagnostics, isStored: true)
    }

    /// The same for a tree that was made, not read: its places are what is told of mistakes.
    package static func read(_ tree: DefinitionNode) throws(DefinitionError) -> DefinitionReading {
        try read(SourceNode(tree), .current, DiagnosticList())
    }

    /// The value of a text that is no definition: YAML, or JSON.
    package static func value(
        of text: String, syntax: DefinitionSyntax = .detected
    ) throws(DefinitionError) -> JSONValue {
        var diagnostics = DiagnosticList()
        let source = try SourceReader.node(from: text, syntax: syntax, diagnostics: &diagnostics)
        var reader = DraftReader(.current, diagnostics: diagnostics)
        guard let value = reader.literal(source), reader.diagnostics.errors.isEmpty else {
            throw DefinitionError(diagnostics: reader.diagnostics.told)
        }
        return value
    }

    private static func read(
        _ source: SourceNode, _ semantics: Semantics, _ diagnostics: DiagnosticList, isStored: Bool = false
    ) throws(DefinitionError) -> DefinitionReading {
        var diagnostics = diagnostics
        var reader = DraftReader(semantics, diagnostics: diagnostics, isStored: isStored)
        var draft = reader.machine(source)
        diagnostics = reader.diagnostics
        draft.resolveTargets(&diagnostics)
        draft.check(&diagnostics)
        if !isStored { draft.checkArming(&diagnostics) }
        var compiler = MachineCompiler(draft, diagnostics)
        guard let machine = compiler.machine(&diagnostics) else {
            throw DefinitionError(diagnostics: diagnostics.told)
        }
        return DefinitionReading(machine: machine, warnings: diagnostics.told)
    }
}
