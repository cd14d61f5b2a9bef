import ArgumentParser
import Statechart
import WorkflowAPI
import WorkflowClient

/// `wfctl purge`.
struct Purge: Verb {
    static let configuration = CommandConfiguration(
        commandName: "purge", abstract: "Delete instances that finished long ago.",
        discussion: """
            $ wfctl purge --finished-before 90d --machine order --dry-run --reason 'OPS-12'

            Failed, running and suspended instances stay, and so do instances with calls that have not ended. If the \
            command is interrupted, some instances are deleted already; the same command continues.
            """)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Delete instances whose last history row is older than this, \(DelayText.formsWithUnit).",
            valueName: "delay"))
    var finishedBefore: String

    @Option(
        help: ArgumentHelp("Delete only instances of this machine; may be repeated.", valueName: "machine"),
        completion: Completion.machines.kind)
    var machine: [String] = []

    @Option(help: ArgumentHelp("The reason, which 'wfctl audit' shows.", valueName: "text"))
    var reason: String

    @Flag(help: "Show how many instances would be deleted; change nothing.")
    var dryRun = false

    @Flag(help: "Allow the deletion of more than 100 instances.")
    var yes = false

    /// The number of instances that are deleted without a confirmation.
    private static let unasked: Int64 = 100

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard APILimits.reasonBytes.contains(reason.utf8.count) else {
            throw ValidationError("'--reason' must have 1 to \(APILimits.reasonBytes.upperBound) bytes")
        }
        try Span.check("--finished-before", finishedBefore)
    }

    func run(in session: Session) async throws {
        try await session.check(machines: machine)
        if !yes, !dryRun {
            let trial = try await purge(isDryRun: true, in: session)
            guard trial.deleted <= Self.unasked else {
                throw CommandFailure(
                    .usage, "\(trial.deleted) instances would be deleted; nothing was done",
                    notes: ["'--yes' deletes them"])
            }
        }
        let answer = try await purge(isDryRun: dryRun, in: session)
        try session.print(answer) { Self.text(of: answer) }
    }

    /// Deletes or counts all selected instances.
    private func purge(isDryRun: Bool, in session: Session) async throws -> PurgeAnswer {
        var sum = PurgeAnswer(deleted: 0, rows: 0, kept: 0, done: false)
        for machine in machine.isEmpty ? [nil] : machine.map(Optional.some) {
            sum = try await purge(machine, isDryRun: isDryRun, addingTo: sum, in: session)
        }
        return sum
    }

    /// Deletes all selected instances of one machine or of all machines, and adds up the counts.
    private func purge(
        _ machine: String?, isDryRun: Bool, addingTo before: PurgeAnswer, in session: Session
    ) async throws -> PurgeAnswer {
        let request = PurgeRequest(
            finishedBefore: finishedBefore, machine: machine, reason: reason, dryRun: isDryRun ? true : nil)
        return try await session.withClient { client in
            var sum = before
            while true {
                var tries = 0
                let answer = try await client.untilKnown { () async throws(ClientError) in
                    tries += 1
                    return try await client.purge(request)
                }
                if tries > 1 {
                    try session.say("an answer was lost; its deletions are not counted here: 'wfctl audit' lists all")
                }
                sum = PurgeAnswer(
                    deleted: sum.deleted + answer.deleted, rows: sum.rows + answer.rows,
                    kept: before.kept + answer.kept, done: answer.done, pending: answer.pending,
                    dryRun: answer.dryRun)
                if answer.done { return sum }
                try session.say("\(sum.deleted) instances deleted so far")
            }
        }
    }

    private static func text(of answer: PurgeAnswer) -> StyledText {
        let what = answer.dryRun == true ? "would be deleted" : "deleted"
        let kept = answer.kept == 0 ? "" : "; \(answer.kept) stay: calls of theirs have not ended"
        var text: StyledText =
            "\(count(answer.deleted, "instance")) with \(count(answer.rows, "row")) \(what)\(kept)\n"
        if let pending = answer.pending { text = text + "  pending: \(pending)\n" }
        return text
    }

    private static func count(_ number: Int64, _ what: String) -> String {
        "\(number) \(what)\(number == 1 ? "" : "s")"
    }
}
