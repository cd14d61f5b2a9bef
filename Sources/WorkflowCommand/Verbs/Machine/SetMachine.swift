import ArgumentParser
import Statechart
import WorkflowAPI
import WorkflowClient

/// `wfctl machine set`.
struct SetMachine: Verb {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set how long a machine's finished instances are kept.",
        discussion: """
            $ wfctl machine set order --retention 90d --dry-run
            $ wfctl machine set order --retention none

            Once an hour wfd deletes finished instances whose last history row is older than the retention. Failed, \
            running and suspended instances stay, and so do instances with calls that have not ended. 'none' keeps all \
            instances.
            """)

    @Argument(help: "The machine's name.", completion: Completion.machines.kind)
    var name: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The retention, \(DelayText.formsWithUnit), or 'none'.", valueName: "delay"))
    var retention: String

    @Flag(help: "Show how many instances would be deleted now; change nothing.")
    var dryRun = false

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if retention == RetentionRequest.none { return }
        do throws(DelayError) {
            _ = try DelayText.lengthWithUnit(of: retention)
        } catch {
            throw ValidationError("'--retention': \(error.message), or 'none'")
        }
    }

    func run(in session: Session) async throws {
        let request = RetentionRequest(
            retention: retention == RetentionRequest.none ? nil : retention, dryRun: dryRun ? true : nil)
        let settings = try await session.withClient { client in
            try await client.untilKnown { () async throws(ClientError) in
                try await client.retain(machine: name, request)
            }
        }
        try session.print(settings) {
            if settings.dryRun == true {
                let count = settings.instances ?? 0
                return "\(name): \(BulkText.grouped(count)) instance\(count == 1 ? "" : "s") would be deleted now\n"
            }
            guard let age = settings.retentionInMilliseconds else {
                return "\(name): finished instances are kept\n"
            }
            return "\(name): finished instances are kept for \(DurationText.text(milliseconds: age))\n"
        }
    }
}
