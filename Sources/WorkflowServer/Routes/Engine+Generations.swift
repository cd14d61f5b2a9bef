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

    /// Returns the position in a cursor of an instance's history, or in a cursor of all history. A cursor of another
    /// generation is refused with the point where the generations part.
    ///
    /// - Parameters:
    ///   - place: The beginning of the message for an invalid cursor: the cursor's place, and other values allowed
    ///     there.
    ///   - name: The instance whose history is requested.
    ///   - isOfRow: True if the cursor must be a row's; streams also send the cursor of a journal that had no row.
    func position(
        ofCursor text: String, in place: String, instance name: InstanceName, isOfRow: Bool = false, by caller: Caller
    ) async throws -> Position {
        let partition = partition(of: name, by: caller)
        guard let cursor = JournalCursor(text: text),
            let position = cursor.place.positions.first(where: { $0.partition == partition }),
            !isOfRow || position.number > 0
        else { throw Self.invalid(cursor: text, in: place) }
        try await requirePresent(cursor.generation, of: "cursor", instance: name, by: caller)
        try await requireReached(position, by: caller)
        return position
    }

    /// Returns the place in a cursor of all history, which has a position of each partition.
    ///
    /// - Parameter place: The beginning of the message for an invalid cursor.
    func place(ofCursor text: String, in place: String, by caller: Caller) async throws -> JournalPlace {
        guard let cursor = JournalCursor(text: text),
            cursor.place.positions.allSatisfy({ store.partitions.contains($0.partition) })
        else { throw Self.invalid(cursor: text, in: place) }
        guard cursor.place.positions.map(\.partition) == store.partitions else {
            throw Problem(
                .invalidParameter,
                detail: "\(place) the cursor of a stream of all instances: the history is in several partitions, and "
                    + "the cursor of an instance's row names only one")
        }
        try await requirePresent(cursor.generation, of: "cursor", instance: nil, by: caller)
        for position in cursor.place.positions { try await requireReached(position, by: caller) }
        return cursor.place
    }

    private static func invalid(cursor text: String, in place: String) -> Problem {
        Problem(
            .invalidParameter,
            detail: "\(place) the cursor of a row as it was given, not '\(text.prefix(100))'")
    }

    private func requireReached(_ position: Position, by caller: Caller) async throws {
        guard try await asking({ try await hasReached(position, by: caller) }) else {
            throw Problem(
                .generationChanged,
                detail: "The database has no row of this cursor yet: another one has given it, maybe a later copy of "
                    + "this; begin again from the start, or from now on")
        }
    }

    private func requirePresent(
        _ generation: Int64, of thing: String, instance name: InstanceName?, by caller: Caller
    ) async throws {
        let present = self.generation
        guard generation != present else { return }
        var shared: [(row: JournalRecord, seq: Seq?)] = []
        var end = JournalPlace.beginning(of: name.map { [partition(of: $0, by: caller)] } ?? store.partitions)
        for position in partings(from: generation, instance: name, by: caller) {
            let (row, seq) = try await asking { try await place(before: position, instance: name, by: caller) }
            guard let row else { continue }
            shared.append((row, seq))
            end.advance(to: row.position)
        }
        var parting = Parting(generation: present)
        var point = "they share no history that is known"
        // The partitions part at different times; both have everything until the earliest.
        if let (row, seq) = shared.min(by: { $0.row.recorded < $1.row.recorded }) {
            parting.cursor = JournalCursor(generation: present, place: end).text
            let at = WireTime(milliseconds: row.recorded.rawValue)
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

extension JournalRecord {
    /// The clock's time when the row was written.
    fileprivate var recorded: Timestamp { real ?? at }
}
