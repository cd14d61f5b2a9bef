import WorkflowAPI
import WorkflowEngine
import WorkflowStore

extension Engine {
    /// Returns the text of a page token, as callers receive it.
    func text(of token: PageToken) -> String {
        token.text(generation: generation)
    }

    /// Parses a page token. A token of another generation is refused with the point where the generations part.
    ///
    /// - Parameter instance: The instance whose list the token is of, if any.
    func pageToken(_ text: String, by caller: Caller, instance: InstanceName? = nil) async throws -> PageToken {
        let (generation, token) = try PageToken.read(text)
        try await requirePresent(generation, of: "page token", instance: instance, by: caller)
        return token
    }

    /// Returns the position in a cursor. A cursor of another generation is refused with the point where the generations
    /// part.
    ///
    /// - Parameters:
    ///   - place: The beginning of the message for an invalid cursor: the cursor's place, and other values allowed
    ///     there.
    ///   - instance: The instance whose history is requested, if any.
    ///   - isOfRow: True if the cursor must be a row's; streams also send the cursor of a journal that had no row.
    func position(
        ofCursor text: String, in place: String, instance: InstanceName?, isOfRow: Bool = false, by caller: Caller
    ) async throws -> Position {
        guard let cursor = RowCursor(text: text), store.partitions.contains(cursor.position.partition),
            !isOfRow || cursor.position.number > 0
        else {
            throw Problem(
                .invalidParameter,
                detail: "\(place) the cursor of a row as it was given, not '\(text.prefix(100))'")
        }
        try await requirePresent(cursor.generation, of: "cursor", instance: instance, by: caller)
        guard try await asking({ try await hasReached(cursor.position, by: caller) }) else {
            throw Problem(
                .generationChanged,
                detail: "The database has no row of this cursor yet: another one has given it, maybe a later copy of "
                    + "this; begin again from the start, or from now on")
        }
        return cursor.position
    }

    private func requirePresent(
        _ generation: Int64, of thing: String, instance name: InstanceName?, by caller: Caller
    ) async throws {
        let present = self.generation
        guard generation != present else { return }
        let position = parting(from: generation)
        let (row, seq) = try await asking { try await place(before: position, instance: name, by: caller) }
        var parting = Parting(generation: present)
        var point = "they share no history that is known"
        if let row {
            parting.cursor = RowCursor(generation: present, position: row.position).text
            let at = WireTime(milliseconds: (row.real ?? row.at).rawValue)
            parting.at = at
            parting.seq = seq?.rawValue
            point = "both have the same history until \(at.text)"
            if let name, let seq { point += ", which is seq \(seq.rawValue) of '\(name)'" }
        }
        throw Problem(
            .generationChanged,
            detail:
                "The \(thing) is of generation \(generation), but a restore made the database generation \(present): "
                + "\(point); begin again from there",
            instance: name?.rawValue, parted: parting)
    }
}
