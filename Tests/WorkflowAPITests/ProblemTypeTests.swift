import Testing
import WorkflowAPI

/// Tests the names, statuses and exit codes that scripts rely on.
struct ProblemTypeTests {
    private static let table: [(name: String, status: Int, exit: Int32)] = [
        ("event-not-accepted", 409, 5), ("guard-rejected", 409, 5), ("instance-finished", 409, 5),
        ("instance-failed", 409, 5), ("instance-not-failed", 409, 5), ("instance-suspended", 409, 5),
        ("machine-suspended", 409, 5),
        ("instance-not-finished", 409, 5), ("instance-purged", 410, 7),
        ("instance-not-suspended", 409, 5), ("invocations-undecided", 409, 5), ("not-undoable", 409, 5),
        ("expression-failed", 409, 5), ("invocation-failed", 409, 5),
        ("livelock", 409, 5),
        ("unknown-event", 422, 65), ("reserved-event", 422, 65), ("invalid-data", 422, 65),
        ("misfit", 422, 65),
        ("invalid-definition", 422, 65), ("invalid-name", 422, 65),
        ("instance-not-found", 404, 4), ("machine-not-found", 404, 4), ("seq-not-found", 404, 4),
        ("redacted", 410, 1),
        ("instance-exists", 409, 8),
        ("precondition-failed", 412, 6), ("run-not-found", 404, 4), ("selection-changed", 412, 6),
        ("key-reused", 422, 7), ("key-expired", 422, 7),
        ("key-ahead", 409, 7), ("clock-not-virtual", 409, 1), ("invalid-time", 422, 65),
        ("invalid-request", 400, 65), ("invalid-page-token", 400, 65), ("invalid-parameter", 400, 64),
        ("generation-changed", 410, 1), ("backup-running", 409, 75), ("backup-not-found", 404, 4),
        ("head-too-large", 431, 65), ("request-timeout", 408, 75),
        ("payload-too-large", 413, 65), ("unsupported-media-type", 415, 65), ("route-not-found", 404, 1),
        ("wrong-host", 421, 77), ("cross-site", 403, 77),
        ("method-not-allowed", 405, 1), ("unauthenticated", 401, 77), ("forbidden", 403, 77),
        ("token-not-found", 404, 4), ("token-exists", 409, 8), ("expectation-failed", 417, 1), ("lease-lost", 410, 1),
        ("effects-open", 409, 5), ("effect-not-found", 404, 4), ("effect-not-waiting", 409, 5),
        ("queue-not-found", 404, 4),
        ("overloaded", 503, 75), ("draining", 503, 75), ("partition-moving", 503, 75),
        ("storage-unavailable", 503, 75), ("outcome-unknown", 503, 75), ("database-damaged", 500, 65),
        ("not-implemented", 501, 1),
        ("internal-error", 500, 1),
    ]

    @Test func everyTypeHasItsNameItsStatusAndItsExitCode() {
        let types = ProblemType.allCases.map { "\($0.rawValue) \($0.status) \($0.exitStatus.rawValue)" }
        #expect(types == Self.table.map { "\($0.name) \($0.status) \($0.exit)" })
    }

    @Test func onlyWhatMayWorkLaterSaysWhenToTryAgain() {
        for type in ProblemType.allCases {
            #expect((type.retryAfterSeconds != nil) == (type.status == 503), "\(type)")
        }
    }

    @Test func titlesDiffer() {
        #expect(Set(ProblemType.allCases.map(\.title)).count == ProblemType.allCases.count)
    }
}
