import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Tests lists and runs with a condition as an operator types them, and a run that is killed in the middle.
@Suite struct SearchTests {
    private static let definition = """
        id: job
        initial: idle
        context: {n: 0}
        states:
          idle: {on: {add: {actions: {assign: {n: event.data.n}}}, go: busy}}
          busy: {}
        """
    private static let instances = 600

    @Test(.timeLimit(.minutes(30))) func aSearchIsRehearsedCarriedOutAndResumed() async throws {
        let folder = try TemporaryFolder()
        var daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", folder.write(Self.definition, to: "job.yaml"))
        for number in 0..<Self.instances {
            let start = #"{"machine":"job","instance":"j-\#(number)"}"#
            #expect(try await daemon.answer(to: .post("/v1/instances", start)).status == 201)
            let event = #"{"event":"add","data":{"n":\#(number)}}"#
            #expect(try await daemon.answer(to: .post("/v1/instances/j-\(number)/events", event)).status == 200)
        }
        let listed = try await daemon.json("list", "--prefix", "j-59", "--where", "context.n % 2 == 0")
        #expect(listed.elements.compactMap { $0["instance"].string } == ["j-590", "j-592", "j-594", "j-596", "j-598"])
        let failed = try await daemon.wfctl("list", "--prefix", "j-59", "--where", "context.m == 1")
        #expect(failed.end == .exited(0) && failed.errors.hasPrefix("note: the expression has no value for 11 of 11"))
        let wrong = try await daemon.wfctl("list", "--where", "contxt.n == 1")
        #expect(wrong.end == .exited(64) && wrong.errors.contains("did you mean 'context'?"), "\(wrong)")

        let condition = "context.n >= 100 && state == 'idle'"
        let rehearsal = try await daemon.json("send", "--where", condition, "go", "--dry-run")
        #expect(rehearsal["selected"] == 500)
        let digest = try #require(rehearsal["digest"].string)
        let body =
            #"{"run":"r-1","action":{"verb":"send","event":"go"},"expect":"\#(digest)","#
            + #""select":{"where":"\#(condition)"}}"#
        let first = Task { [daemon] in try? await daemon.answer(to: .post("/v1/bulk", body)) }
        try await eventually("a part of the run") { try daemon.rows(of: "r-1") > 0 }
        try await daemon.kill()
        _ = await first.value
        let before = try daemon.rows(of: "r-1")
        daemon = try await Daemon(in: folder)
        let said = try await daemon.wfctl("send", "--where", condition, "go", "--run", "r-1", "--expect", digest)
        #expect(said.output == "r-1: 500 of 500: 500 took it\n", "\(said); \(before) before the kill")
        #expect(try daemon.rows(of: "r-1") == 500)
        #expect(
            try await daemon.json("list", "--state", "idle", "--limit", "500").elements.count == Self.instances - 500)
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
