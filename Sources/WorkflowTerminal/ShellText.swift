/// Quotes words for a shell.
package enum ShellText {
    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:=@%+,-")

    /// Returns a word that a shell takes literally, in quotes if necessary.
    package static func quoted(_ word: String) -> String {
        if !word.isEmpty, word.allSatisfy(plain.contains) { return word }
        // By scalars: a quote with an accent is one character, and a quote for the shell all the same.
        return "'" + word.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
    }
}
