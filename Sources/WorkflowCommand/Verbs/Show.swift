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

            """
        }
    }
}
