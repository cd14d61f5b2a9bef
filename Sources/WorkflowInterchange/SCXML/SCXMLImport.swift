import Statechart

/// Creates definitions from SCXML documents (W3C recommendation of 1 September 2015).
package enum SCXMLImport {
    /// Returns the definition of a document. Parts without a counterpart are noted and omitted; such a condition
    /// becomes `false`. If the omission can change the machine's course, the note is a loss.
    ///
    /// Comments, and elements and attributes of other namespaces, are lost. Throws all notes if the text is not XML,
    /// not SCXML, or names states that do not exist.
    package static func definition(from text: String) throws(ImportError) -> ImportedDefinition {
        var notes = ImportNoteList()
        guard let document = SCXMLGrammar.document(try MarkupReader.root(of: text), &notes) else {
            throw notes.failure
        }
        var converter = SCXMLConverter(document, notes)
        let definition = converter.machine()
        return try ImportCheck.checked(definition, converter.notes) { machine in
            machine.transitions.compactMap { ImportDifference.historyBelow($0, in: machine, "SCXML") }
        }
    }
}
