import ArgumentParser

/// `wfctl logout`.
struct Logout: Verb {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Forget the address and the token of a context.",
        discussion: """
            $ wfctl logout prod

            The token stays valid at wfd; 'wfctl token revoke' ends it there.
            """)

    @Argument(help: "The name of the context.")
    var name: String

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) throws {
        var contexts = try ContextFile(in: session.environment)
        _ = try contexts.context(name)
        try contexts.set(name, nil, in: session.environment)
    }
}
