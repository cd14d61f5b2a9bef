import DaemonTesting
import Foundation
import Testing
import ThreadTesting
import WorkflowJSON

/// Tests changes that belong to no instance while the daemon is killed: a change and its row are both there or neither.
@Suite(.tags(.heavy)) struct KilledChangesTests {
    private static func definition(_ number: Int) -> String {
        "id: door\ninitial: open\ncontext: {n: \(number)}\nstates:\n  open: {}\n"
    }

    /// Makes one change after another until the daemon is gone; returns the numbers of answered versions.
    private static func change(_ daemon: Daemon, from first: Int) async throws -> [Int] {
        var answered: [Int] = []
        for number in first... {
            do {
                let applied = try await daemon.answer(
                    to: .post("/v1/machines", definition(number), as: "application/yaml"))
                if applied.status == 201 { answered.append(number) }
                let body = Array(#"{"concurrency": \#(number), "new": true}"#.utf8)
                _ = try await daemon.answer(
                    to: RawRequest(
                        "PATCH", "/v1/queues/stock", headers: [("Content-Type", "application/json")], body: body))
            } catch {
                // The connection ends with the daemon.
                break
            }
        }
        return answered
    }

    @Test(.timeLimit(.minutes(20))) func aChangeAndItsRowAreBothThereOrNeither() async throws {
        let folder = try TemporaryFolder()
        for round in 1...6 {
            let daemon = try await Daemon(in: folder)
            let file = DatabaseFile(daemon.database)
            let goal = try file.number("SELECT count(*) FROM change") + Int64.random(in: 3...25)
            async let changed = Self.change(daemon, from: round * 1_000)
            try await eventually("some changes are on disk") {
                try file.number("SELECT count(*) FROM change") >= goal
            }
            try await daemon.kill()
            let answered = try await changed
            let lost = try file.number(
                """
                SELECT count(*) FROM machine m WHERE NOT EXISTS (
                    SELECT 1 FROM change c WHERE c.action = 'apply' AND c.object = m.name AND c.version = m.version)
                """)
            #expect(lost == 0, "round \(round)")
            let last = """
                SELECT (SELECT 'concurrency ' || concurrency FROM queue WHERE name = 'task:stock')
                    IS (SELECT detail FROM change WHERE action = 'queue' ORDER BY position DESC LIMIT 1)
                """
            #expect(try file.number(last) == 1, "round \(round)")
            for number in answered {
                let there = "SELECT count(*) FROM machine WHERE source LIKE '%{n: \(number)}%'"
                #expect(try file.number(there) == 1, "round \(round)")
            }
            let verified = try await Daemon.launch(["verify", daemon.database]).result()
            #expect(verified.end == .exited(0), "round \(round): \(verified)")
        }
        let daemon = try await Daemon(in: folder)
        let applied = try await daemon.json("audit", "--action", "apply").elements
        #expect(
            try Int64(applied.count) == DatabaseFile(daemon.database).number("SELECT max(version) FROM machine"))
        #expect(applied.allSatisfy { $0["actor"].string?.hasPrefix("uid:") == true })
        #expect(try await daemon.stop().end == .exited(0))
    }
}
