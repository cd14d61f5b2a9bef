/// Finds the option that somebody probably meant.
package enum OptionSuggestion {
    /// What a parser of command lines says; of an unknown option, with the nearest of those that a help text names in
    /// place of the parser's own guess.
    package static func improved(_ message: String, help: String) -> String {
        let beginning = "Unknown option '"
        guard message.hasPrefix(beginning) else { return message }
        let option = String(message.dropFirst(beginning.count).prefix { $0 != "'" })
        let options = help.split { !$0.isLowercase && $0 != "-" }.filter { $0.hasPrefix("--") }.map(String.init)
        let suggestion = Spelling.closest(to: option, among: options).map { ". Did you mean '\($0)'?" } ?? ""
        return beginning + option + "'" + suggestion + message.drop { $0 != "\n" }
    }
}
