import ArgumentParser

/// The values of options: one of a few words, or a text.
enum OptionWord {
    /// Returns the word; throws with all words that the option accepts.
    static func read<Word: RawRepresentable<String> & CaseIterable>(
        _ text: String, as type: Word.Type
    ) throws -> Word {
        if let word = Word(rawValue: text) { return word }
        throw ValidationError(
            "it must be one of " + Word.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", "))
    }

    /// Refuses an option with an empty text.
    static func refuseEmpty(_ options: [(name: String, text: String?)]) throws {
        if let empty = options.first(where: { $0.text?.isEmpty ?? false }) {
            throw ValidationError("'\(empty.name)' must not be empty")
        }
    }
}
