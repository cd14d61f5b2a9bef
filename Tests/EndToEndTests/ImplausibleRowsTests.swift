import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Tests numbers in rows that once ended the daemon with an illegal instruction when it read them, after every start.
@Suite(.timeLimit(.minutes(20)), .ownThreads) struct ImplausibleRowsTests {
    private static let machine = """
        id: parcel
        initial: packing
        states:
          packing:
            after: {1h: {target: packing, reenter: true}}
            invoke: {id: pack, task: stock, retry: {attempts: 3, first: 1ms, jitter: 0}}
        """

    /// Returns a database with a row in each of the tables.
    private static func database(in folder: TemporaryFolder) async throws -> String {
        let daemon = try await Daemon(in: folder)
        _ = try await daemon.saidInTime("apply", try folder.write(machine, to: "parcel.yaml"))
        _ = try await daemon.said("start", "parcel", "p")
        _ = try await daemon.said("queue", "stock", "--concurrency", "5")
        let leased = try await daemon.answer(to: .post("/v1/tasks/stock/lease", #"{"wait": 5}"#))
        let token = try #require(leased.object["tasks"]?.elements.first?["task"].string)
        let failed = try await daemon.answer(to: .post("/v1/tasks/\(token)/fail", #"{"message": "no"}"#))
        #expect(failed.status == 204, "\(failed.text)")
        let suspended = try await daemon.answer(to: .post("/v1/machines/parcel/suspend", "{}"))
        #expect(suspended.status == 200, "\(suspended.text)")
        #expect(try await daemon.stop().end == .exited(0))
        return daemon.database
    }

    @Test(
        .timeLimit(.minutes(20)),
        arguments: [
            ("timer", "due_ms", "/v1/timers"), ("queue", "set_ms", "/v1/queues"),
            ("machine_setting", "suspended_ms", "/v1/machines"), ("tally", "n", "/v1/tally"),
            ("effect", "due_ms", "/v1/effects"), ("attempt", "begun_ms", "/v1/instances/p/attempts"),
        ], ["-9223372036854775808", "9223372036854775807"])
    func whoReadsItIsToldTheColumn(_ place: (table: String, column: String, route: String), _ value: String)
        async throws
    {
        let folder = try TemporaryFolder()
        let database = try await Self.database(in: folder)
        try DatabaseFile(database).changeUnchecked("UPDATE \(place.table) SET \(place.column) = \(value)")
        let damage =
            "the column '\(place.column)' of its table '\(place.table)' holds \(value), which no wfd writes"
        let verified = try await Daemon.launch(["verify", database]).result()
        #expect(verified.end == .exited(1) && verified.output.contains(damage), "\(verified)")
        let restored = try await Daemon.launch(
            ["restore", database, "--database", folder.path("other.db"), "--dry-run"]
        ).result()
        // The restore stops at the first difference, which may be one that the row causes elsewhere.
        #expect(restored.end == .exited(65) && restored.errors.contains("is damaged: "), "\(restored)")
        let daemon = try await Daemon(in: folder)
        let answer = try await daemon.answer(to: .get(place.route))
        #expect(answer.status == 500 && answer.text.contains(damage), "\(answer.status) \(answer.text)")
        #expect(try answer.object["type"] == "database-damaged")
        // Answers that do not need the row are given.
        #expect(try await daemon.json("history", "p").elements.count == 1)
        #expect(try await daemon.stop().end == .exited(0))
    }

    @Test(
        .timeLimit(.minutes(20)),
        arguments: [
            ("instance.context", "/v1/instances"), ("instance.output", "/v1/instances/p"),
            ("effect.progress", "/v1/effects"), ("effect.error", "/v1/instances/p"),
            ("attempt.error", "/v1/instances/p/attempts"),
        ])
    func whoReadsATextThatIsNoJSONIsToldTheColumn(_ column: String, _ route: String) async throws {
        let folder = try TemporaryFolder()
        let database = try await Self.database(in: folder)
        let parts = column.split(separator: ".")
        let change = "UPDATE \(parts.first ?? "") SET \(parts.last ?? "") = '{'"
        try DatabaseFile(database).changeUnchecked(change)
        let daemon = try await Daemon(in: folder)
        let answer = try await daemon.answer(to: .get(route))
        #expect(answer.status == 500 && answer.text.contains("The column '\(column)' of "), "\(answer.text)")
        #expect(try answer.object["type"] == "database-damaged")
        #expect(try await daemon.json("history", "p").elements.count == 1)
        #expect(try await daemon.stop().end == .exited(0))
    }
}
