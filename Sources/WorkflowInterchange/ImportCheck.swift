import Statechart

/// Checks the result of an import against the rules of definitions.
enum ImportCheck {
    /// Returns the definition with its notes if `DefinitionReader` accepts it. Otherwise throws the reader's errors, at
    /// the source places of the definition's parts.
    ///
    /// - Parameter differences: Returns the differences between the machine and the original, at lines of the
    ///   definition.
    static func checked(
        _ definition: DefinitionNode, _ notes: ImportNoteList,
        differing differences: (Machine) -> [ImportDifference] = { _ in [] }
    ) throws(ImportError) -> ImportedDefinition {
        guard !notes.hasErrors else { throw notes.failure }
        if let place = definition.place(below: DefinitionLimits.nesting) {
            let limit = DefinitionLimits.nesting
            throw ImportError("the definition of this would be nested deeper than \(limit) levels", at: place)
        }
        var notes = notes
        let machine = try read(definition, &notes).machine
        let written = definition.yamlLines
        for difference in differences(machine) {
            let place = place(ofLine: difference.line, in: written)
            if difference.decides {
                notes.warning(difference.message, at: place, touching: .course)
            } else {
                notes.info(difference.message, at: place)
            }
        }
        notes.findLosses(DecisiveParts(of: machine))
        let losses = notes.sorted.filter { $0.severity == .loss }
        guard let first = losses.first else { return ImportedDefinition(definition: definition, notes: notes.sorted) }
        let described = definition.describing(losses)
        let lines = described.yamlLines
        // An unreachable state may have been reachable through an omitted part.
        let hint = "a loss may be why, the first is at \(first.line):\(first.column)"
        for warning in try read(described, &notes).warnings {
            let message = "in the definition \(warning.message); \(hint)"
            notes.warning(message, at: place(ofLine: warning.line, in: lines), touching: .nothing)
        }
        return ImportedDefinition(definition: described, notes: notes.sorted)
    }

    /// Returns the machine of a definition. Throws the failure of the import if the definition is refused.
    private static func read(
        _ definition: DefinitionNode, _ notes: inout ImportNoteList
    ) throws(ImportError) -> DefinitionReading {
        let lines = definition.yamlLines
        do throws(DefinitionError) {
            return try DefinitionReader.read(lines.map { $0.text + "\n" }.joined(), syntax: .yaml)
        } catch {
            for mistake in error.diagnostics where mistake.severity == .error {
                notes.error(
                    "as a definition this is refused: \(mistake.message)", at: place(ofLine: mistake.line, in: lines))
            }
            throw notes.failure
        }
    }

    /// Returns the source place of a line of the definition. A line without a place belongs to the line above.
    private static func place(
        ofLine line: Int, in lines: [(text: String, place: DefinitionPlace?)]
    ) -> DefinitionPlace? {
        lines.prefix(line).last { $0.place != nil }?.place
    }
}

extension DefinitionNode {
    /// Returns the definition with its losses in its description, so that later readers see them; without the losses if
    /// the text would become too long.
    fileprivate func describing(_ losses: [ImportNote]) -> DefinitionNode {
        guard var members else { return self }
        let limit = ImportLimits.describedLosses
        var lines = ["Imported with losses; without what they name the machine can go elsewhere than the original:"]
        lines += losses.prefix(limit).map { "\($0.line):\($0.column): \($0.message)" }
        if losses.count > limit { lines.append("and \(losses.count - limit) more") }
        let text = (self["description"]?.text.map { $0 + "\n\n" } ?? "") + lines.joined(separator: "\n")
        members.removeAll { $0.key == "description" }
        let place = members.firstIndex { $0.key == "id" }.map { $0 + 1 } ?? 0
        members.insert(Member("description", .string(text)), at: place)
        let described = DefinitionNode.map(members, at: self.place)
        return described.text(as: .yaml).utf8.count <= DefinitionLimits.textBytes ? described : self
    }
}

extension DefinitionNode {
    /// Returns the place of the first node below a number of levels of maps and lists; `nil` if there is none.
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
