import ArgumentParser
import JSON
import WorkflowAPI
import WorkflowClient

/// `wfctl send`.
struct Send: Verb {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Send an event to an instance.",
        discussion: "When it says that the event was taken, everything that follows from it is on disk.")

    @Argument(help: "The instance's name.")
    var instance: String

    @Argument(help: "The event's name.")
    var event: String

    @OptionGroup var data: DataOption

    @Flag(help: "Say what would happen and change nothing.")
    var dryRun = false

    @Flag(help: "With --dry-run: list every transition in the order tried, its verdict, and what its guard read.")
    var explain = false

    @Flag(help: "Tell which states were exited and entered.")
    var detail = false

    @Option(help: ArgumentHelp("Only if this is the instance's seq.", valueName: "n"))
    var expectSeq: Int64?

    @Option(help: ArgumentHelp("Only if this state is active.", valueName: "state"))
    var expectState: String?

    @OptionGroup var key: KeyOption

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if explain, !dryRun { throw ValidationError("'--explain' goes with '--dry-run' only") }
    }

    func run(in session: Session) async throws {
        let expectation = Expectation(seq: expectSeq, state: expectState)
        let request = SendRequest(
            event: event, data: try data.value(in: session),
            expect: expectation == Expectation() ? nil : expectation)
        let parameters = SendParameters(dryRun: dryRun, detail: detail, explain: explain)
        do {
            let answer = try await key.persist(in: session) { client, key throws(ClientError) in
                try await client.send(request, to: instance, parameters, key: dryRun ? nil : key)
            }
            try session.print(answer) { SendText.lines(for: answer) }
        } catch {
            throw CommandFailure(error, event: event)
        }
    }
}
