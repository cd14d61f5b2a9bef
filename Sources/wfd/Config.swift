import ArgumentParser
import WorkflowSettings

struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show the settings and where each comes from, or check a file.",
        discussion: """
            A flag comes before a variable, a variable before the file, and the file before the default. 'wfd config' \
            takes the flags of 'wfd serve', and shows what it would use.
            """,
        subcommands: [Show.self, Check.self, Example.self], defaultSubcommand: Show.self)

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show each setting with its value and source (the default).")

        @OptionGroup var options: SettingOptions

        func run() throws {
            let sources = options.sources
            let settings = try sources.resolveOrTell()
            Console.say((["file: \(sources.file ?? "none")"] + settings.lines).joined(separator: "\n"))
        }
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Check a file alone, and print all its mistakes.",
            discussion: "The exit code is 65 if the file has mistakes, and 66 if it cannot be read.")

        @Argument(help: ArgumentHelp("The file.", valueName: "file"))
        var file: String

        func run() throws {
            _ = try SettingSources(checking: file).resolveOrTell()
        }
    }

    struct Example: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "example", abstract: "Print a file with every setting in a comment.")

        func run() {
            // The text ends with a line break.
            Console.say(String(SettingPage.example.dropLast()))
        }
    }
}
