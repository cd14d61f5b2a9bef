import ArgumentParser
import WorkflowAPI
import WorkflowJSON

/// `wfctl contexts`.
struct Contexts: Verb {
    static let configuration = CommandConfiguration(
        commandName: "contexts", abstract: "List the daemons that 'wfctl login' has kept, or choose the usual one.",
        discussion: """
            $ wfctl contexts --use prod

            The usual context has a star. It is taken when neither an address nor a context is named.
            """)

    @Option(help: ArgumentHelp("Make this context the usual one.", valueName: "name"))
    var use: String?

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) throws {
        var file = try ContextFile(in: session.environment)
        if let use { try file.use(use, in: session.environment) }
        let contexts = try file.names.map { name in (name, try file.context(name).address, name == file.current) }
        let items = contexts.map { name, address, isCurrent in
            JSONValue.object(["context": .string(name), "address": .string(address), "current": .bool(isCurrent)])
        }
        try session.print(JSONValue.object(["items": .array(items)])) {
            contexts.reduce("") { $0 + "\($1.2 ? "*" : " ") \($1.0)   \($1.1)\n" }
        }
    }
}
