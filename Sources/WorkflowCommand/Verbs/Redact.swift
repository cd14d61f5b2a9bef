import ArgumentParser
import Statechart
import WorkflowAPI
import WorkflowClient

/// `wfctl redact`.
struct Redact: Verb {
    static let configuration = CommandConfiguration(
        commandName: "redact", abstract: "Erase data in the history of an instance.",
        discussion: """
            $ wfctl redact order-1042 --reason GDPR-7 --dry-run
            $ wfctl redact order-1042 --seq 3,7-9 --path customer.name --reason GDPR-7
            $ wfctl redact order-1042 --seq 3 --path data.phone --reason GDPR-7

            wfd erases data and notes of rows, stored snapshots, and errors of attempts. States, times and the chain \
            of digests remain. A finished instance loses its whole context; any other instance, only the values that \
            '--path' names. A context key that the machine declares gets its initial value again. With '--seq', a path \
            such as data.phone names a value in the data of these rows; their other data is kept.

            wfd refuses while an effect that these rows began has not ended: wait, cancel the effect, or leave the row \
            out with '--seq'. A redaction cannot be undone. Copies remain in gaps of the file until 'wfd compact', and \
            in backups.
            """)

    @Argument(help: "The instance's name.", completion: Completion.instances.kind)
    var instance: String?

    @Option(help: ArgumentHelp("Redact only these rows. (default: all)", valueName: "n,m-k"))
    var seq: String?

    @Option(
        name: .customLong("path"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Redact this value in the context, or in the data of the rows; may be repeated.", valueName: "path"))
    var paths: [String] = []

    @Option(help: ArgumentHelp("Give the instance this name.", valueName: "name"))
    var rename: String?

    @OptionGroup var options: RepairOptions

    @OptionGroup(title: "Many instances") var many: BulkOptions

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        _ = try options.requiredReason(of: "redact")
        try many.check(instance: instance, options)
        if instance == nil, seq != nil || rename != nil {
            throw ValidationError("'--seq' and '--rename' are for one instance")
        }
        if let seq, SeqSet(seq) == nil {
            throw ValidationError("'--seq' must name rows from 1 on, in ascending order, such as 3,7-9")
        }
    }

    func run(in session: Session) async throws {
        guard let instance else {
            var action = BulkAction(.redact)
            if !paths.isEmpty { action.paths = paths }
            return try await many.carryOut(action, options, in: session)
        }
        let request = RedactRequest(
            reason: try options.requiredReason(of: "redact"), seqs: seq, paths: paths.isEmpty ? nil : paths,
            name: rename, seq: options.expectSeq, dryRun: options.dryRun ? true : nil)
        let isTrial = options.dryRun
        let answer = try await options.key.persist(in: session) { client, key throws(ClientError) in
            try await client.redact(request, instance, key: isTrial ? nil : key)
        }
        try session.print(answer) { Self.lines(for: answer) }
    }

    /// Returns the result: `order-1042: redacted seq 1 to 9, context and output   (seq 10)`.
    private static func lines(for answer: RedactAnswer) -> StyledText {
        let isTrial = answer.dryRun == true
        var parts: [String] = []
        if let seqs = answer.seqs {
            let rows = "seq " + seqs.replacing("-", with: " to ").replacing(",", with: ", ")
            parts.append((answer.data.map { $0.joined(separator: ", ") + " of " } ?? "") + rows)
        }
        if answer.context == true { parts.append("context and output") }
        parts += (answer.paths ?? []).map { "context.\($0)" }
        if answer.renamed == true { parts.append("the name of before") }
        let what = parts.isEmpty ? "nothing" : parts.joined(separator: "; ")
        let ending = isTrial ? ", dry run: nothing was changed" : answer.repeated == true ? ", done before" : ""
        let deed = isTrial ? "would redact" : "redacted"
        let head: StyledText = "\(answer.instance): \(deed) \(what)   (seq \(answer.seq)\(ending))\n"
        var text = (answer.emptied ?? []).reduce(head) { text, event in
            text + "  '\(event)' \(isTrial ? "would come" : "comes") without data\n"
        }
        if let pending = answer.pending { text = text + "  pending: \(pending)\n" }
        return text
    }
}
