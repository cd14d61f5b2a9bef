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

            Failed, running and suspended instances stay, and those with calls that have not ended. Interrupted, it has \
            deleted a part, and the same command goes on.
            """)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Only instances to which nothing has come for so long: \(DelayText.formsWithUnit).", valueName: "delay"))
    var finishedBefore: String

    @Option(
        help: ArgumentHelp("Only instances of this machine; may be given again.", valueName: "machine"),
        completion: Completion.machines.kind)
    var machine: [String] = []

    @Option(help: ArgumentHelp("Why; 'wfctl audit' shows it.", valueName: "text"))
    var reason: String

    @Flag(help: "Say how many there are and change nothing.")
    var dryRun = false

    @Flag(help: "Delete more than 100 instances without a question.")
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
                    notes: ["'--yes' deletes them without a question"])
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
                    try session.say("an answer was lost; what it told is not counted here: 'wfctl audit' lists all")
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
