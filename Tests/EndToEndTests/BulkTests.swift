import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Tests runs over many instances while the daemon is killed: each instance has one row of a run.
@Suite struct BulkTests {
    private static let definition = """
        id: job
        initial: idle
        context: {n: 0}
        states:
          idle: {on: {go: {target: busy, actions: {assign: {n: context.n + 1}}}}}
          busy: {on: {back: idle}}
        """
    private static let instances = 2_000

    /// The number of kills in all rounds together. `BULK_KILLS=200` makes more of them.
    private static var kills: Int { ProcessInfo.processInfo.environment["BULK_KILLS"].flatMap(Int.init) ?? 6 }

    @Test(.timeLimit(.minutes(180))) func killsInTheMiddleOfRunsDoNothingTwiceAndNothingLess() async throws {
        let folder = try TemporaryFolder()
        var daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", folder.write(Self.definition, to: "job.yaml"))
        let starts = (0..<Self.instances).map { #"{"machine":"job","instance":"j-\#($0)"}"# }
        for start in starts {
            #expect(try await daemon.answer(to: .post("/v1/instances", start)).status == 201)
        }
        var kills = 0
        var round = 0
        while kills < Self.kills {
            round += 1
            let event = round % 2 == 1 ? "go" : "back"
            // The answer is lost with the daemon: nobody waits for it.
            let body = #"{"run":"r-\#(round)","action":{"verb":"send","event":"\#(event)"},"select":{"machine":"job"}}"#
            let first = Task { [daemon] in try? await daemon.answer(to: .post("/v1/bulk", body)) }
            try await eventually("a part of run \(round)") { try daemon.rows(of: "r-\(round)") > 0 }
            while try daemon.rows(of: "r-\(round)") < Self.instances, kills < Self.kills {
                try await daemon.kill()
                kills += 1
                let before = try daemon.rows(of: "r-\(round)")
                daemon = try await Daemon(in: folder)
                try await eventually("more of run \(round)") {
                    let now = try daemon.rows(of: "r-\(round)")
                    return now > before || now == Self.instances
                }
            }
            _ = await first.value
            let said = try await daemon.wfctl("send", "--machine", "job", event, "--run", "r-\(round)", "--yes")
            #expect(said.output == "r-\(round): 2,000 of 2,000: 2,000 took it\n", "\(said)")
            #expect(try daemon.rows(of: "r-\(round)") == Self.instances)
        }
        #expect(
            try DatabaseFile(daemon.database).number(
                "SELECT count(*) FROM (SELECT 1 FROM journal WHERE note IS NOT NULL GROUP BY instance_id, note "
                    + "HAVING count(*) > 1)") == 0)
        _ = try await daemon.saidInTime("verify", "--all")
        #expect(try await daemon.stop().end == .exited(0))
    }
}

extension Daemon {
    /// Returns the number of rows that a run has written.
    fileprivate func rows(of run: String) throws -> Int {
        Int(
            try DatabaseFile(database).number(
                "SELECT count(*) FROM journal WHERE json_extract(note, '$.run') = '\(run)'"))
    }
}
