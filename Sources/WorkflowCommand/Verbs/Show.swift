import ArgumentParser
import JSON
import WorkflowAPI
import WorkflowClient

/// `wfctl show`.
struct Show: Verb {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show an instance as it is now.")

    @Argument(help: "The instance's name.")
    var instance: String

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        let shown = try await session.withClient { try await $0.instance(instance) }
        try Self.print(shown, in: session)
    }

    /// Prints an instance as it is or was.
    static func print(_ shown: Instance, in session: Session) throws {
        try session.print(shown) {
            """
            instance:  \(shown.instance)
            machine:   \(shown.machine) version \(shown.version)
            status:    \(shown.status.rawValue)
            state:     \(StateText.leaves(shown.configuration))
            seq:       \(shown.seq)
            created:   \(shown.createdAt.text)
            updated:   \(shown.updatedAt.text)
            context:   \(Printable.lines(IndentedJSON.text(of: shown.context)))

            """ + ending(of: shown)
        }
    }

    /// How it ended, or why it failed; empty while it runs.
    private static func ending(of shown: Instance) -> String {
        var text = shown.output.map { "output:    \(Printable.lines(IndentedJSON.text(of: $0)))\n" } ?? ""
        if let failure = shown.failure {
            let event = failure.data.map { "\(failure.event) \(StateText.data($0))" } ?? failure.event
            text +=
                "failed on: \(Printable.text(event))\nbecause:   \(Printable.text(failure.detail))\n"
                + "           'wfctl retry \(shown.instance)' applies the event again\n"
        }
        return text
    }
}
