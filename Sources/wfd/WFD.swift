import ArgumentParser

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
}
