import ArgumentParser

/// The value of an option that is one of a few words.
enum OptionWord {
    /// Returns the word; throws with all words that the option accepts.
    static func read<Word: RawRepresentable<String> & CaseIterable>(
        _ text: String, as type: Word.Type
    ) throws -> Word {
        if let word = Word(rawValue: text) { return word }
        throw ValidationError(
            "it must be one of " + Word.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", "))
    }
}
