import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl retry`.
struct Retry: Verb {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Let a failed instance go on with the event that it failed on.",
        discussion: """
            $ wfctl retry order-1042

            'wfctl show' tells which event that is and why it failed. When it fails again, that is a row of the history, \
            and the exit code is 5.
            """)

    @Argument(help: "The instance's name.", completion: Completion.instances.kind)
    var instance: String

    @Option(help: ArgumentHelp("Only if this is the instance's seq.", valueName: "n"))
    var expectSeq: Int64?

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        let (answer, failure) = try await session.withClient { client in
            let answer = try await client.retry(instance, seq: expectSeq, wantsContext: session.showsContext)
            guard answer.status == .failed else { return (answer, Instance.Failure?.none) }
            // The retry is done: that its reason cannot be read is no failure of it.
            return (answer, try? await client.instance(instance).failure)
        }
        try session.print(answer) { SendText.lines(for: answer) }
        guard answer.status == .failed else { return }
        throw CommandFailure(
            .refused, "\(answer.instance) has failed again",
            notes: [failure?.detail ?? "'wfctl show \(answer.instance)' tells on which event and why"])
    }
}
