import ArgumentParser
import WorkflowAPI

/// The options for undoing a run.
struct UndoOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The reason, recorded with the change.", valueName: "text"))
    var reason: String?

    @Option(
        help: ArgumentHelp(
            "For invocations that the run cancelled: 'again' begins them anew, so services act twice; 'answer' gives "
                + "them the result that came.",
            valueName: "again|answer"),
        completion: .list(ResetRequest.Invocations.allCases.map(\.rawValue)),
        transform: { try OptionWord.read($0, as: ResetRequest.Invocations.self) })
    var invocations: ResetRequest.Invocations?

    @Flag(help: "Show what would happen; change nothing.")
    var dryRun = false

    @Option(
        name: .customLong("run"),
        help: ArgumentHelp("The name of the undo, which is itself a run. (default: undo-RUN)", valueName: "name"))
    var name: String?

    @OptionGroup var consent: BulkConsent

    /// The first option that was given; `nil` if none was.
    var used: String? {
        let said = [
            ("reason", reason != nil), ("invocations", invocations != nil), ("dry-run", dryRun), ("run", name != nil),
            ("expect", consent.expect != nil), ("yes", consent.yes),
        ]
        return said.first { $0.1 }?.0
    }

    func validate() throws {
        if let name, let message = BulkRequest.message(forRun: name) { throw ValidationError(message) }
        if let reason, !APILimits.reasonBytes.contains(reason.utf8.count) {
            throw ValidationError("'--reason' must have 1 to \(APILimits.reasonBytes.upperBound) bytes")
        }
    }

    /// Undoes a run, or rehearses the undo, and prints the result.
    func carryOut(_ run: String, in session: Session) async throws {
        var action = BulkAction(.undo)
        action.undone = run
        action.invocations = invocations
        let request = BulkRequest(
            run: name, action: action, expect: consent.expect, dryRun: dryRun ? true : nil, reason: reason)
        try await BulkOptions.carryOut(request, isSure: consent.yes, in: session)
    }
}
