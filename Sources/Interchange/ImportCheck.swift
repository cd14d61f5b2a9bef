import Statechart

/// Holds what an import made against the rules of definitions.
enum ImportCheck {
    /// The definition with its notes, if `DefinitionReader` reads it. Throws what it says otherwise, at the places that
    /// the parts of the definition came from.
    static func checked(
        _ definition: DefinitionNode, _ notes: ImportNoteList
    ) throws(ImportError) -> ImportedDefinition {
        guard !notes.hasErrors else { throw notes.failure }
        if let place = definition.place(below: DefinitionLimits.nesting) {
            let limit = DefinitionLimits.nesting
            throw ImportError("the definition of this would be nested deeper than \(limit) levels", at: place)
        }
        let lines = definition.yamlLines
        do throws(DefinitionError) {
            _ = try DefinitionReader.read(lines.map { $0.text + "\n" }.joined(), syntax: .yaml)
        } catch {
            var notes = notes
            for mistake in error.diagnostics where mistake.severity == .error {
                // A line of a block without a place belongs to the one above it.
                let place = lines.prefix(mistake.line).last { $0.place != nil }?.place
                notes.error("as a definition this is refused: \(mistake.message)", at: place)
            }
            throw notes.failure
        }
        return ImportedDefinition(definition: definition, notes: notes.sorted)
    }
}

extension DefinitionNode {
    /// The place of the first node that lies below as many levels of maps and lists; nil when there is none.
    fileprivate func place(below levels: Int) -> DefinitionPlace? {
        let inner: [DefinitionNode]
        switch content {
        case .list(let elements): inner = elements
        case .map(let members): inner = members.map(\.value)
        default: return nil
        }
        guard levels > 0 else { return place ?? DefinitionPlace(line: 1, column: 1) }
        for node in inner {
            if let place = node.place(below: levels - 1) { return place }
        }
        return nil
    }
}
