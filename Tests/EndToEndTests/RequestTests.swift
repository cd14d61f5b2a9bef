import DaemonTesting
import Testing
import WorkflowJSON

/// Tests `request` of `Examples/`: one place decides which state may follow which, and values travel with the moves.
@Suite struct RequestTests {
    private func daemon(in folder: TemporaryFolder) async throws -> Daemon {
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("request")
        return daemon
    }

    @Test(.timeLimit(.minutes(20))) func ofAHundredFetchesAtOnceExactlyOneStartsARequest() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await daemon(in: folder)
        let taken = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    try await daemon.answer(to: .post("/v1/instances/request/events", #"{"event": "fetch"}"#)).status
                }
            }
            return try await group.reduce(into: [:]) { counts, status in counts[status, default: 0] += 1 }
        }
        #expect(taken == [200: 1, 409: 99])
        #expect(try await daemon.json("show", "request")["seq"] == 2)
    }

    @Test(.timeLimit(.minutes(20)), arguments: ["fetch", "save"])
    func valuesTravelWithTheMovesAndGoWithAReset(way: String) async throws {
        let folder = try TemporaryFolder()
        let daemon = try await daemon(in: folder)
        _ = try await daemon.said("send", "request", way)
        let won = try await daemon.json("send", "request", "succeed", "--data", #"{"name": "Ada"}"#)
        #expect(won["to"] == ["success"] && won["context"] == ["error": .null, "result": ["name": "Ada"]])
        let reset = try await daemon.json("send", "request", "reset")
        #expect(reset["to"] == ["ready"] && reset["context"] == ["error": .null, "result": .null])
        _ = try await daemon.said("send", "request", way)
        let lost = try await daemon.json("send", "request", "fail", "--data", #""timeout""#)
        #expect(lost["to"] == ["failure"] && lost["context"] == ["error": "timeout", "result": .null])
    }

    @Test(.timeLimit(.minutes(20))) func onlyTheRoutesThatAreNamedExist() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await daemon(in: folder)
        // The events that each state takes. Every other event is refused.
        let routes: [(way: [String], takes: Set<String>)] = [
            ([], ["fetch", "save", "reset"]), (["fetch"], ["succeed", "fail", "reset"]),
            (["save"], ["succeed", "fail", "reset"]), (["fetch", "succeed"], ["reset"]), (["save", "fail"], ["reset"]),
        ]
        for (way, takes) in routes {
            _ = try await daemon.said("send", "request", "reset")
            for event in way { _ = try await daemon.said("send", "request", event) }
            for event in ["fetch", "save", "succeed", "fail", "reset"] {
                let asked = try await daemon.wfctl("send", "request", event, "--dry-run")
                #expect(asked.end == .exited(takes.contains(event) ? 0 : 5), "\(way) \(event)")
            }
        }
    }

    @Test(.timeLimit(.minutes(20))) func observersSeeEveryMoveOnceAndInOrder() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await daemon(in: folder)
        for event in ["fetch", "succeed", "reset", "save", "fail"] {
            _ = try await daemon.said("send", "request", event)
        }
        _ = try await daemon.wfctl("send", "request", "save")
        let moves = try await daemon.json("history", "request").elements.map { row in
            [row["from"].elements.first ?? .null, row["to"].elements.first ?? .null].map { $0.string ?? "" }
        }
        #expect(
            moves == [
                ["", "ready"], ["ready", "fetching"], ["fetching", "success"], ["success", "ready"],
                ["ready", "saving"], ["saving", "failure"],
            ])
    }
}
