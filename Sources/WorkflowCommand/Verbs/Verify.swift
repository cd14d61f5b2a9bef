import ArgumentParser
import WorkflowAPI
import WorkflowClient
import WorkflowJSON

/// `wfctl verify`.
struct Verify: Verb {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Verify that the stored data agrees with the histories.",
        discussion: """
            $ wfctl verify --all

            wfd applies every event again, and checks the chain of digests. State, snapshots, timers and keys must \
            equal the result. wfctl prints the first difference of each instance and the number of things compared. \
            The exit code is 1 if something differs. 'wfd verify FILE' checks a file that no wfd serves.
            """)

    @Argument(help: "The instance's name.", completion: Completion.instances.kind)
    var instance: String?

    @Flag(help: "Verify all instances, and the rest of the database.")
    var all = false

    @OptionGroup var global: GlobalOptions

    var needsItsOutputRead: Bool { true }

    func validate() throws {
        if (instance != nil) == all { throw ValidationError("Name an instance, or all with '--all'") }
    }

    func run(in session: Session) async throws {
        var report = VerificationReport(session, of: instance)
        try await session.withClient { client in
            for try await line in try await client.verify(instance: instance) { try report.add(line) }
        }
        try report.end()
        guard report.isClean else { throw CommandFailure(.other, nil) }
    }
}

/// Prints the lines of a verification.
private struct VerificationReport {
    private let session: Session
    /// The instance; `nil` for the whole database.
    private let instance: String?
    private var progress: Progress
    private var findings: [VerificationFinding] = []
    private var gaps: [VerificationGap] = []
    private var counts: VerificationCounts?

    init(_ session: Session, of instance: String?) {
        self.session = session
        self.instance = instance
        progress = Progress(session, unit: .things("events"))
    }

    var isClean: Bool { counts?.differences == 0 }

    mutating func add(_ line: VerificationLine) throws {
        switch line {
        case .progress(let now): try progress.show("verifying", done: now.done, total: now.total)
        case .finding(let finding):
            try progress.end()
            switch session.format {
            case .table: try session.print("\(Self.text(of: finding), .bad)\n")
            case .jsonl, .batch: try session.write(json: JSONWriter.string(line) + "\n")
            case .json, .yaml: findings.append(finding)
            }
        case .gap(let gap):
            try progress.end()
            switch session.format {
            case .table: try session.print("\(gap.instance): \(Self.text(of: gap))\n")
            case .jsonl, .batch: try session.write(json: JSONWriter.string(line) + "\n")
            case .json, .yaml: gaps.append(gap)
            }
        case .counts(let counts): self.counts = counts
        }
    }

    mutating func end() throws {
        try progress.end()
        guard let counts else { throw CommandFailure(.other, "The answer ended without a result") }
        switch session.format {
        case .jsonl, .batch: try session.print(VerificationLine.counts(counts)) { "" }
        case .table, .json, .yaml:
            try session.print(Document(findings: findings, gaps: gaps, counts: counts)) { "\(lines: text(of: counts))" }
        }
    }

    private static func text(of gap: VerificationGap) -> String {
        let seqs = gap.seqs.replacing("-", with: " to ").replacing(",", with: ", ")
        return "chain checked, not refolded: \(seqs)"
    }

    private static func text(of finding: VerificationFinding) -> String {
        let place = [finding.instance, finding.seq.map { "seq \($0)" }].compactMap(\.self)
        return place.isEmpty ? finding.detail : "\(place.joined(separator: ", ")): \(finding.detail)"
    }

    private func text(of counts: VerificationCounts) -> String {
        let parts = [
            (counts.instances, "instance"), (counts.events, "event"), (counts.snapshots, "snapshot"),
            (counts.timers, "timer"), (counts.keys, "key"), (counts.machines, "machine version"),
        ].map { count, name in "\(count) \(name)\(count == 1 ? "" : "s")" }
        let differences =
            switch counts.differences {
            case 0: "no difference"
            case 1: "1 difference"
            default: "\(counts.differences) differences"
            }
        let rest =
            counts.chainOnly == 0
            ? ""
            : "\(counts.chainOnly) of the instances: chain checked, not refolded (redacted, or rules of another "
                + "release)\n"
        let time = DurationText.text(seconds: counts.seconds)
        let compared = Self.isNothing(counts) ? lookedFor : parts.joined(separator: ", ")
        return "\(compared) in \(time)\n\(rest)\(differences)\n"
    }

    /// Returns true if none of the comparable data could be read.
    private static func isNothing(_ counts: VerificationCounts) -> Bool {
        counts.differences > 0 && counts.instances == 0 && counts.events == 0 && counts.machines == 0
    }

    private var lookedFor: String {
        guard let instance else { return "The whole database was to be compared, and nothing of it could be," }
        return "'\(instance)' was looked up by its name, and nothing of it could be compared,"
    }

    /// All lines together, for formats with one document.
    private struct Document: JSONWritable {
        let findings: [VerificationFinding]
        let gaps: [VerificationGap]
        let counts: VerificationCounts

        func write(to writer: inout JSONWriter) {
            writer.object { writer in
                writer.field("findings", findings)
                if !gaps.isEmpty { writer.field("gaps", gaps) }
                writer.field("counts", counts)
            }
        }
    }
}
