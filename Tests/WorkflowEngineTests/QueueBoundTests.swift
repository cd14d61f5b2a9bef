import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// The bounds of the queue before the writer: past them a caller is told at once.
@Suite struct QueueBoundTests {
    /// Sends events while the writer is held up, until all that do not fit are answered; then lets the writer go.
    private static func answers(
        to sends: Int, withData data: JSONValue?, limits: EngineLimits, refused: Int
    ) async throws -> [String: Int] {
        let store = FakeStore()
        let running = try await RunningEngine(store: store, limits: limits)
        try await running.start("lamp-1")
        store.hold.shut()
        async let held = running.flip("lamp-1")
        await store.hold.somebodyIsHeld()
        let answers = await withTaskGroup(of: String.self) { group in
            for _ in 0..<sends {
                group.addTask {
                    do throws(Rejection) {
                        _ = try await running.flip("lamp-1", data: data)
                        return "accepted"
                    } catch {
                        return error.kind
                    }
                }
            }
            var answers: [String: Int] = [:]
            for await answer in group {
                answers[answer, default: 0] += 1
                // Those are answered while the writer still stands still.
                if answers["overloaded"] == refused { store.hold.open() }
            }
            return answers
        }
        #expect(try await held.seq.rawValue == 2)
        try await running.stop()
        return answers
    }

    @Test(.timeLimit(.minutes(5))) func aQueueThatIsFullInNumberRefusesTheNext() async throws {
        var limits = EngineLimits()
        limits.queuedCommands = 4
        let answers = try await Self.answers(to: 20, withData: nil, limits: limits, refused: 16)
        #expect(answers == ["accepted": 4, "overloaded": 16])
    }

    @Test(.timeLimit(.minutes(5))) func aQueueThatIsFullInBytesRefusesTheNext() async throws {
        var limits = EngineLimits()
        limits.queuedBytes = 10_000
        let data = JSONValue.string(String(repeating: "x", count: 3_000))
        let answers = try await Self.answers(to: 20, withData: data, limits: limits, refused: 17)
        #expect(answers == ["accepted": 3, "overloaded": 17])
    }
}
