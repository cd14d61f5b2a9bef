import DaemonTesting
import IdentityTesting
import Testing
import WorkflowEngine
import WorkflowJSON

/// Tests requests of operators that are refused: each gets a message, and nothing is half done.
@Suite struct BadRepairTests {
    private struct Case {
        let target: String
        let body: String
        let answer: String
    }

    private static let large = String(repeating: "x", count: 2 << 20)

    private static let cases = [
        Case(
            target: "t/migrate", body: #"{"reason": "r", "to": 2, "map": {"both.left": "only"}}"#,
            answer: "422 misfit: t does not fit version 2: both.right.one: version 2 has no state 'both.right.one'; "
                + "--map both.right.one=only.one"),
        Case(
            target: "t/migrate", body: #"{"reason": "r", "to": 2, "map": {"both.lefd": "only"}}"#,
            answer: "422 invalid-data: Version 1 of 'tour' has no state 'both.lefd'; did you mean 'both.left'?"),
        Case(
            target: "t/migrate", body: #"{"reason": "r", "to": 2, "map": {"both.left": "onli"}}"#,
            answer: "422 invalid-data: Version 2 of 'tour' has no state 'onli'; did you mean 'only'?"),
        Case(
            target: "t/migrate", body: #"{"reason": "r", "to": 9}"#,
            answer: "404 machine-not-found: Machine 'tour' has no version 9 (latest is 2)"),
        Case(
            target: "t/migrate", body: #"{"reason": "r", "to": 2, "maps": {}}"#,
            answer: "400 invalid-request: Unknown field 'maps'"),
        Case(target: "t/reset", body: #"{"to": 0, "reason": "r"}"#, answer: "404 seq-not-found: "),
        Case(target: "t/reset", body: #"{"to": 9, "reason": "r"}"#, answer: "404 seq-not-found: "),
        Case(target: "hidden/reset", body: #"{"to": 2, "reason": "r"}"#, answer: "410 redacted: "),
        Case(target: "gone/reset", body: #"{"to": 1, "reason": "r"}"#, answer: "404 instance-not-found: "),
        Case(target: "gone/migrate", body: #"{"to": 2, "reason": "r"}"#, answer: "404 instance-not-found: "),
        Case(target: "gone/undo", body: #"{"reason": "r"}"#, answer: "404 instance-not-found: "),
        Case(target: "gone/redact", body: #"{"reason": "r"}"#, answer: "404 instance-not-found: "),
        Case(target: "t/undo", body: #"{"reason": "r"}"#, answer: "409 not-undoable: "),
        Case(target: "t/undo", body: #"{"reason": "r", "to": 1}"#, answer: "400 invalid-request: Unknown field 'to'"),
        Case(
            target: "t/redact", body: #"{"reason": "r", "seqs": "0"}"#,
            answer: "400 invalid-request: Field 'seqs' must name rows from 1 on, smaller numbers first, such as 3,7-9"),
        Case(target: "t/redact", body: #"{"reason": "r", "seqs": "9"}"#, answer: "404 seq-not-found: "),
        Case(
            target: "t/redact", body: #"{"reason": "r", "path": "n"}"#,
            answer: "400 invalid-request: Unknown field 'path'"),
        Case(target: "t/set", body: #"{"reason": "r", "set": {"n": "\#(large)"}}"#, answer: "413 payload-too-large: "),
        Case(target: "t/migrate", body: #"{"reason": "\#(large)"}"#, answer: "413 payload-too-large: "),
        Case(target: "t/redact", body: #"{"reason": "\#(large)"}"#, answer: "413 payload-too-large: "),
        Case(target: "t/reset", body: #"{"to": 1, "reason": "\#(large)"}"#, answer: "413 payload-too-large: "),
    ]

    @Test(.timeLimit(.minutes(20))) func eachIsToldAndNothingIsDone() async throws {
        let host = try await ServerHost()
        func said(_ request: RawRequest) async throws -> RawAnswer {
            let answer = try await host.answer(to: request)
            guard answer.status < 300 else { throw TestingError("\(request.target): \(answer.text)") }
            return answer
        }
        func send(_ event: String, to name: String) -> RawRequest {
            .post("/v1/instances/\(name)/events", #"{"event": "\#(event)"}"#)
        }
        _ = try await said(.post("/v1/machines", BadRequestMachines.tour, as: "application/yaml"))
        for name in ["t", "hidden", "gone", "stuck"] {
            _ = try await said(.post("/v1/instances", #"{"machine": "tour", "instance": "\#(name)"}"#))
        }
        _ = try await said(send("go", to: "t"))
        _ = try await said(send("go", to: "hidden"))
        _ = try await said(.post("/v1/instances/hidden/redact", #"{"reason": "r"}"#))
        _ = try await said(send("stuck", to: "stuck"))
        _ = try await said(RawRequest("DELETE", "/v1/instances/gone?reason=r&confirm=gone"))
        _ = try await said(.post("/v1/machines", BadRequestMachines.shortTour, as: "application/yaml"))
        let before = try DatabaseFile(host.database).dump()
        for wrong in Self.cases {
            let answer = try await host.answer(to: .post("/v1/instances/" + wrong.target, wrong.body))
            #expect(try answer.told.hasPrefix(wrong.answer), "\(wrong.target) \(wrong.body.prefix(80)): \(answer.text)")
        }
        #expect(try DatabaseFile(host.database).dump() == before)
        // A state that raises events for ever when it is left cannot be left by an event, but can be cancelled.
        let left = try await host.answer(to: send("leave", to: "stuck"))
        #expect(try left.told.contains("livelock: 'leave' was undone: "), "\(left.text)")
        #expect(left.text.contains("did not settle within 1000 steps"), "\(left.text)")
        _ = try await said(.post("/v1/instances/stuck/cancel", #"{"reason": "r"}"#))
        #expect(try await said(.get("/v1/instances/stuck")).object["status"] == "cancelled")
        let counts = try await host.engine.verify(instance: nil, by: .test) { event in
            if case .inconsistency(let finding) = event { Issue.record("\(finding)") }
        }
        #expect(counts?.differences == 0)
        try await host.stop()
    }
}
