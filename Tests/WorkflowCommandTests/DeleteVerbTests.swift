import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting
import WorkflowJSON

/// Tests `delete`, `purge` and `audit`: the requests and the output.
struct DeleteVerbTests {
    private static let time = WireTime(milliseconds: 1_700_000_000_000)

    private static func deleted(cancelled: [String]? = nil, dryRun: Bool? = nil) -> DeletedInstance {
        DeletedInstance(
            instance: "o", uuid: "u", machine: "m", version: 1, rows: 3, digest: dryRun == true ? nil : "d", at: time,
            cancelled: cancelled, dryRun: dryRun)
    }

    private static func run(
        _ arguments: [String], _ answers: [ScriptedTransport.Step]
    ) async -> (asked: String, printed: String, exit: Int32) {
        let transport = ScriptedTransport(answers)
        let (outcome, _) = await CommandHarness().run(arguments, transport: transport)
        let asked = transport.requests.map { request in
            let body = request.body.map { " " + String(decoding: $0.bytes, as: UTF8.self) } ?? ""
            let seq = request.expectedSeq.map { " seq \($0)" } ?? ""
            return "\(request.method.rawValue) \(request.target) \(request.key ?? "-")\(seq)\(body)"
        }
        return (asked.joined(separator: "; "), outcome.output + outcome.errors, outcome.exit)
    }

    @Test func whatIsAskedAndTold() async {
        var told = await Self.run(["delete", "o", "--reason", "a b"], [.value(Self.deleted())])
        #expect(told.asked == "DELETE /v1/instances/o?reason=a%20b \(Sample.key)")
        #expect(told.printed == "o: deleted   (3 rows)\n")
        told = await Self.run(
            ["delete", "o", "--reason", "r", "--confirm", "o", "--cancel-effects", "--expect-seq", "4"],
            [.value(Self.deleted(cancelled: ["mail"]))])
        #expect(told.asked == "DELETE /v1/instances/o?reason=r&confirm=o&cancelEffects=true \(Sample.key) seq 4")
        #expect(told.printed == "o: deleted   (3 rows)\n  cancels: mail\n")
        var pending = Self.deleted()
        pending.pending = "3 rows are left"
        told = await Self.run(["delete", "o", "--reason", "r"], [.value(pending)])
        #expect(told.printed == "o: deleted   (3 rows)\n  pending: 3 rows are left\n" && told.exit == 0)
        told = await Self.run(["delete", "o", "--reason", "r", "--dry-run"], [.value(Self.deleted(dryRun: true))])
        #expect(told.asked == "DELETE /v1/instances/o?reason=r&dryRun=true -")
        #expect(told.printed == "o: would be deleted   (3 rows, dry run: nothing was changed)\n")
    }

    @Test func aPurgeGoesOnUntilItIsDone() async {
        let told = await Self.run(
            ["purge", "--finished-before", "90d", "--reason", "r", "--yes"],
            [
                .value(PurgeAnswer(deleted: 5_000, rows: 20_000, kept: 1, done: false)),
                .value(PurgeAnswer(deleted: 1, rows: 2, kept: 1, done: true, pending: "2 rows are left")),
            ])
        let asked = #"POST /v1/purge - {"finishedBefore":"90d","reason":"r"}"#
        #expect(told.asked == asked + "; " + asked)
        #expect(
            told.printed == "5001 instances with 20002 rows deleted; 1 stay: calls of theirs have not ended\n"
                + "  pending: 2 rows are left\n"
                + "5000 instances deleted so far\n")
    }

    /// All machines are looked up first: a misspelled name deletes nothing.
    @Test func aPurgeOfSeveralMachinesAddsUp() async {
        let arguments = [
            "purge", "--finished-before", "90d", "--reason", "r", "--yes", "--machine", "m", "--machine=n",
        ]
        let told = await Self.run(
            arguments,
            [
                .value(Sample.machine), .value(Sample.machine),
                .value(PurgeAnswer(deleted: 3, rows: 6, kept: 1, done: true)),
                .value(PurgeAnswer(deleted: 1, rows: 2, kept: 2, done: true)),
            ])
        let asked = ["m", "n"].map { #"POST /v1/purge - {"finishedBefore":"90d","machine":"\#($0)","reason":"r"}"# }
        #expect(told.asked == (["GET /v1/machines/m -", "GET /v1/machines/n -"] + asked).joined(separator: "; "))
        #expect(told.printed == "4 instances with 8 rows deleted; 3 stay: calls of theirs have not ended\n")
        let missing = await Self.run(
            arguments, [.value(Sample.machine), .problem(Problem(.machineNotFound, detail: "There is no machine 'n'"))])
        #expect(missing.exit == 4 && !missing.asked.contains("purge"), "\(missing)")
    }

    @Test(arguments: [Int64(100), 101]) func aPurgeOfManyWantsAWord(count: Int64) async {
        let told = await Self.run(
            ["purge", "--finished-before", "90d", "--reason", "r"],
            [
                .value(PurgeAnswer(deleted: count, rows: 400, kept: 0, done: true, dryRun: true)),
                .value(PurgeAnswer(deleted: count, rows: 400, kept: 0, done: true)),
            ])
        let asked = #"POST /v1/purge - {"finishedBefore":"90d","reason":"r""#
        let trial = asked + #","dryRun":true}"#
        if count > 100 {
            #expect(told.exit == 64 && told.asked == trial, "\(told)")
            #expect(told.printed.hasPrefix("error: 101 instances would be deleted; nothing was done\n"), "\(told)")
        } else {
            #expect(told.exit == 0 && told.asked == trial + "; " + asked + "}", "\(told)")
        }
    }

    @Test func aPurgeThatWasCutOffSaysWhatItDoesNotCount() async {
        let told = await Self.run(
            ["purge", "--finished-before", "90d", "--reason", "r", "--yes"],
            [
                .failure(.answerLost(.unix(path: "/run/test.sock"), reason: "closed")),
                .value(PurgeAnswer(deleted: 1, rows: 2, kept: 0, done: true)),
            ])
        #expect(
            told.printed == "1 instance with 2 rows deleted\n"
                + "an answer was lost; its deletions are not counted here: 'wfctl audit' lists all\n", "\(told)")
    }

    @Test(arguments: [
        (["delete", "o"], "error: 'delete' needs '--reason', which is recorded"),
        (["delete", "o", "--reason", "r", "--confirm", "p"], "error: '--confirm' must repeat the name 'o', not 'p'"),
        (["purge", "--finished-before", "soon", "--reason", "r"], "error: '--finished-before': "),
        (
            ["purge", "--finished-before", "2026-01-01", "--reason", "r"],
            "error: '--finished-before': '2026-01-01' is a date, not a delay; write 90d, 36h or another"
        ),
        (["purge", "--finished-before", "-1s", "--reason", "r"], "error: '--finished-before': "),
    ])
    func badArgumentsAreRefused(_ arguments: [String], _ message: String) async {
        let told = await Self.run(arguments, [])
        #expect(told.asked.isEmpty && told.exit == 64 && told.printed.hasPrefix(message), "\(told.printed)")
    }
}
