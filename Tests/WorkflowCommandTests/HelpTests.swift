import ArgumentParser
import Foundation
import Testing
import WorkflowCommand

/// Compares the help to the letter with the files of the folder `Help`.
///
/// With `UPDATE_HELP=1` in the environment, the files are written instead.
struct HelpTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Help")

    private static let verbs = Wfctl.configuration.subcommands.compactMap { $0.configuration.commandName }

    @Test func theVerbsAreThese() {
        #expect(
            Self.verbs == [
                "apply", "validate", "start", "send", "cancel", "retry", "skip", "set", "migrate", "undo", "suspend",
                "resume", "reset", "bulk", "redact", "delete", "purge", "audit", "show", "list", "failures", "tally",
                "stats",
                "events",
                "history", "tail", "replay", "verify", "work", "effects",
                "attempts", "queues", "queue", "release", "status", "daemons", "timers",
                "clock", "simulate", "eval", "import", "graph", "generate", "machines", "machine", "backup", "token",
                "whoami", "console", "login", "logout", "contexts",
            ])
    }

    @Test func theTopLevelHelps() throws {
        try compare(Wfctl.helpMessage(columns: 100), with: "wfctl")
    }

    /// The verbs of verbs, as they are written.
    private static let nested = Wfctl.configuration.subcommands.flatMap { verb in
        verb.configuration.subcommands.compactMap { own in
            guard let name = verb.configuration.commandName, let part = own.configuration.commandName
            else { return nil as String? }
            return "\(name) \(part)"
        }
    }

    private static func command(_ verb: String) throws -> any ParsableCommand.Type {
        var command: any ParsableCommand.Type = Wfctl.self
        for word in verb.split(separator: " ").map(String.init) {
            command = try #require(command.configuration.subcommands.first { $0.configuration.commandName == word })
        }
        return command
    }

    @Test(arguments: verbs + nested)
    func everyVerbHelps(verb: String) throws {
        let help = Wfctl.helpMessage(for: try Self.command(verb), columns: 100)
        try compare(help, with: verb.replacing(" ", with: "-"))
    }

    /// The line below the title is a command line that the parser accepts.
    @Test(arguments: verbs + nested)
    func helpBeginsWithAnExample(verb: String) throws {
        let help = Wfctl.helpMessage(for: try Self.command(verb), columns: 100)
            .split(separator: "\n", omittingEmptySubsequences: true)
        let example = try #require(help.dropFirst().first)
        #expect(example.hasPrefix("$ wfctl \(verb)"), "\(example)")
        // Quotes of a shell, as far as examples need them.
        let words = example.dropFirst(8).split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap {
            $0 % 2 == 1 ? [String($1)] : $1.split(separator: " ").map(String.init)
        }
        #expect(throws: Never.self) { try Wfctl.parseAsRoot(words) }
    }

    private func compare(_ help: String, with name: String) throws {
        let file = Self.folder.appendingPathComponent("\(name).txt")
        if ProcessInfo.processInfo.environment["UPDATE_HELP"] == "1" {
            try Data((help + "\n").utf8).write(to: file)
        }
        #expect(help + "\n" == String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }
}
