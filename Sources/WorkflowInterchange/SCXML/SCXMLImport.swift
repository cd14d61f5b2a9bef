import Statechart

/// Makes definitions of SCXML documents (W3C recommendation of 1 September 2015).
package enum SCXMLImport {
    /// The definition of a document. What has no counterpart is noted and left out; a condition becomes `false`. Where
    /// the machine can go elsewhere for it, the note is a loss.
    ///
    /// Comments, and elements and attributes of other namespaces, are lost. Throws when the text is not XML, not SCXML,
    /// or names states that it does not have, with everything that was found.
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
