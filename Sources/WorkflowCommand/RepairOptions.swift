import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// The options of what an operator does to an instance.
struct RepairOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Why, for the history.", valueName: "text"))
    var reason: String?

    @Flag(help: "Say what would happen and change nothing.")
    var dryRun = false

    @Option(parsing: .unconditional, help: ArgumentHelp("Only if this is the instance's seq.", valueName: "n"))
    var expectSeq: Int64?

    @OptionGroup var key: KeyOption

    func validate() throws {
        try Least.check("--expect-seq", expectSeq)
        if let reason, !APILimits.reasonBytes.contains(reason.utf8.count) {
            throw ValidationError("'--reason' must have 1 to \(APILimits.reasonBytes.upperBound) bytes")
        }
    }

    /// The reason of a verb that must have one.
    func requiredReason(of verb: String) throws -> String {
        guard let reason else { throw ValidationError("'\(verb)' needs '--reason', which stands in the history") }
        return reason
    }

    /// Throws when a verb must have a reason. What is only rehearsed for many needs none.
    func checkReason(of verb: String, isForMany: Bool) throws {
        if isForMany, dryRun { return }
        _ = try requiredReason(of: verb)
    }

    /// The body of the verbs that say no more.
    var request: RepairRequest { RepairRequest(reason: reason, seq: expectSeq, dryRun: dryRun ? true : nil) }

    /// Asks for it and tells what came of it.
    ///
    /// - Parameters:
    ///   - isEvent: Whether an event is taken, so that the states before and after are told.
    ///   - failing: What is said of an instance that has failed on what followed; nil where it may have been failed
    ///     before.
    ///   - detail: What is told beside, for people.
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
        // Where it may have been failed before, a row behind the verb's own says that it has failed now.
        guard answer.status == .failed, failing != nil || answer.seq > answer.fromSeq + 1 else { return }
        if isTrial { throw CommandFailure(.refused, "\(answer.instance) would fail", notes: []) }
        try await session.throwFailure(of: answer.instance, failing ?? "has failed on what followed")
    }
}
