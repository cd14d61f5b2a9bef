package import WorkflowJSON

/// Makes a machine from the text of a definition: reads the text, drafts the machine, resolves targets, checks,
/// compiles.
package enum DefinitionReader {
    /// Reads, validates and compiles a definition.
    ///
    /// All mistakes are reported at once, in the order of the text. Only a text that is neither YAML nor JSON stops at
    /// its first mistake. Costs about O(n) in the size of the text.
    ///
    /// - Parameter isInMemory: True for a machine without a host, which may emit events.
    package static func read(
        _ text: String, syntax: DefinitionSyntax = .detected, semantics: Semantics = .current,
        isInMemory: Bool = false
    ) throws(DefinitionError) -> DefinitionReading {
        var diagnostics = DiagnosticList()
        let source = try SourceReader.node(from: text, syntax: syntax, diagnostics: &diagnostics)
        return try read(source, semantics, diagnostics, isInMemory: isInMemory)
    }

    /// Reads a definition that an earlier version accepted; limits that were added later are not checked.
    package static func read(
        stored text: String, semantics: Semantics
    ) throws(DefinitionError) -> DefinitionReading {
        var diagnostics = DiagnosticList()
        let source = try SourceReader.node(from: text, syntax: .detected, diagnostics: &diagnostics)
        return try read(source, semantics, diagnostics, isStored: true)
    }

    /// Reads a tree that was generated, not parsed; mistakes are reported at the tree's places.
    ///
    /// - Parameter isInMemory: True for a machine without a host, which may emit events.
    package static func read(
        _ tree: DefinitionNode, isInMemory: Bool = false
    ) throws(DefinitionError) -> DefinitionReading {
        try read(SourceNode(tree), .current, DiagnosticList(), isInMemory: isInMemory)
    }

    /// Returns the value of a YAML or JSON text that is not a definition.
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
        _ source: SourceNode, _ semantics: Semantics, _ diagnostics: DiagnosticList, isStored: Bool = false,
        isInMemory: Bool = false
    ) throws(DefinitionError) -> DefinitionReading {
        var diagnostics = diagnostics
        var reader = DraftReader(semantics, diagnostics: diagnostics, isStored: isStored, isInMemory: isInMemory)
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
