import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// The options of an operator's verb on an instance.
struct RepairOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The reason, recorded with the change.", valueName: "text"))
    var reason: String?

    @Flag(help: "Show what would happen; change nothing.")
    var dryRun = false

    @Option(parsing: .unconditional, help: ArgumentHelp("Proceed only if this is the instance's seq.", valueName: "n"))
    var expectSeq: Int64?

    @OptionGroup var key: KeyOption

    func validate() throws {
        try Least.check("--expect-seq", expectSeq)
        if let reason, !APILimits.reasonBytes.contains(reason.utf8.count) {
            throw ValidationError("'--reason' must have 1 to \(APILimits.reasonBytes.upperBound) bytes")
        }
    }

    /// Returns the reason; throws if it is missing. A dry run may omit it, because nothing records it.
    func requiredReason(of verb: String) throws -> String {
        guard let reason = reason ?? (dryRun ? "dry run" : nil) else {
            throw ValidationError("'\(verb)' needs '--reason', which is recorded")
        }
        return reason
    }

    /// The request body of verbs without further fields.
    var request: RepairRequest { RepairRequest(reason: reason, seq: expectSeq, dryRun: dryRun ? true : nil) }

    /// Sends the request and prints the result.
    ///
    /// - Parameters:
    ///   - isEvent: True if the verb applies an event, so the states before and after are printed.
    ///   - failing: The message for an instance that then fails; `nil` if the instance may have been failed before.
    ///   - detail: Further text for people.
    func carryOut(
        in session: Session, isEvent: Bool = false, failing: String?,
        detail: (SendAnswer) -> StyledText = { _ in "" },
        _ ask: (WorkflowClient, String?) async throws(ClientError) -> SendAnswer
    ) async throws {
        let isTrial = dryRun
        let answer = try await key.persist(in: session) { client, key throws(ClientError) in
            try await ask(client, isTrial ? nil : key)
        }
        try session.print(answer) { SendText.lines(for: answer, ofRepair: !isEvent) + detail(answer) }
        // The instance may have been failed before; then a row after the verb's own shows that it has failed now.
        guard answer.status == .failed, failing != nil || answer.seq > answer.fromSeq + 1 else { return }
        if isTrial { throw CommandFailure(wouldFail: answer) }
        try await session.throwFailure(of: answer.instance, failing ?? "has failed on what followed")
    }
}
