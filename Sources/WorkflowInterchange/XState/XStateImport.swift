import Statechart

/// Creates definitions from XState machine configurations: version 5, and simple parts of version 4.
package enum XStateImport {
    /// Returns the definition of a configuration in JSON. Most parts stay unchanged. JSON has no functions, so actions
    /// and guards that are only named get entries that do nothing until somebody writes them.
    ///
    /// A text that already is a definition stays unchanged.
    package static func definition(from text: String) throws(ImportError) -> ImportedDefinition {
        let root: DefinitionNode
        do throws(DefinitionError) {
            root = try DefinitionText.tree(of: text)
        } catch {
            throw ImportError(
                notes: error.diagnostics.filter { $0.severity == .error }.map {
                    ImportNote(.error, line: $0.line, column: $0.column, $0.message)
                })
        }
        let place = root.place ?? DefinitionPlace(line: 1, column: 1)
        guard root.members != nil else { throw ImportError("a machine configuration is a map", at: place) }
        if let reason = XStateLikeness.mistake(in: root) { throw ImportError(reason, at: place) }
        var converter = XStateConverter(root)
        let definition = converter.machine()
        return try ImportCheck.checked(definition, converter.notes, differing: XStateDifferences.found)
    }
}
