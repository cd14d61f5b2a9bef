import ArgumentParser
import Foundation

@main
struct WFD: AsyncParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "wfd",
        abstract: "Keeps state machines alive: definitions, instances and their history in one SQLite file.",
        discussion: """
            Without flags wfd keeps its database in $STATE_DIRECTORY, else $XDG_STATE_HOME/wfd, and listens on a \
            socket in $RUNTIME_DIRECTORY, else $XDG_RUNTIME_DIR. SIGTERM and SIGINT end it cleanly. \
            'wfd serve --help' lists the flags, which may stand without 'serve'.
            """,
        version: version,
        subcommands: [Serve.self, Clock.self, Verify.self, Restore.self],
        defaultSubcommand: Serve.self
    )

    /// Runs what the arguments say. What the parser has to say of them is made safe for a terminal, as all else is.
    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch {
            let text = fullMessage(for: error)
            let code = exitCode(for: error)
            if !text.isEmpty { code.isSuccess ? Console.say(text) : Console.tell(text) }
            Foundation.exit(code.rawValue)
        }
    }
}
