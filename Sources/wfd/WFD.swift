import ArgumentParser
import Foundation
import WorkflowAPI
import WorkflowSpelling
import WorkflowTerminal

@main
struct WFD: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wfd",
        abstract: "Run state machines; store definitions, instances and their history in one SQLite file.",
        discussion: """
            By default wfd keeps its database in $STATE_DIRECTORY, else $XDG_STATE_HOME/wfd, and listens on a socket \
            in $RUNTIME_DIRECTORY, else $XDG_RUNTIME_DIR. SIGTERM and SIGINT stop it cleanly. 'wfd serve --help' lists \
            the options, which also work without 'serve'.
            """,
        version: Build.version,
        subcommands: [Serve.self, Init.self, Clock.self, Verify.self, Restore.self, Compact.self, Config.self],
        defaultSubcommand: Serve.self
    )

    /// Runs the command of the arguments. Makes the parser's messages safe for a terminal, like all others.
    static func main() async {
        // Swift reads the arguments from /proc: without it wfd would serve a database that nobody named.
        guard !CommandLine.arguments.isEmpty else {
            Console.tell("error: Cannot read the arguments: /proc is not mounted, and wfd needs it")
            Foundation.exit(DaemonExit.software.rawValue)
        }
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            refuseUnknownCommand(in: arguments)
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch {
            let text = message(of: fullMessage(for: error), arguments)
            let code = exitCode(for: error)
            if !text.isEmpty { code.isSuccess ? Console.say(text) : Console.tell(text) }
            Foundation.exit(code.rawValue)
        }
    }

    /// Ends the process if a word in the place of a command is not a command.
    private static func refuseUnknownCommand(in arguments: [String]) {
        var commands = configuration.subcommands
        for word in arguments.first == "help" ? arguments.dropFirst() : arguments[...] {
            guard !word.hasPrefix("-"), word != "help", !commands.isEmpty else { return }
            if let command = commands.first(where: { $0.configuration.names.contains(word) }) {
                commands = command.configuration.subcommands
                continue
            }
            let suggestion = Spelling.closest(to: word, among: commands.flatMap { $0.configuration.names })
            let hint = suggestion.map { "did you mean '\($0)'?" } ?? "'wfd --help' lists the commands"
            Console.tell("error: There is no command '\(Printable.text(word))'\n  \(hint)")
            Foundation.exit(ExitCode.validationFailure.rawValue)
        }
    }

    /// Returns the parser's message in the form of all other messages.
    private static func message(of text: String, _ arguments: [String]) -> String {
        let label = "Error: "
        guard text.hasPrefix(label) else { return text }
        let command = arguments.first.flatMap { word in
            configuration.subcommands.first { $0.configuration.names.contains(word) }
        }
        let help = helpMessage(for: command.map { $0.configuration.defaultSubcommand ?? $0 } ?? Serve.self)
        return "error: "
            + OptionSuggestion.improved(String(text.dropFirst(label.count)), of: arguments, help: help + " --version")
    }
}

extension CommandConfiguration {
    /// The command's name and its aliases.
    fileprivate var names: [String] { [commandName].compactMap(\.self) + aliases }
}
