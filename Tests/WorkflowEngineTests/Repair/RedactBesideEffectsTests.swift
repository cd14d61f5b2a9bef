import IdentityTesting
import Statechart
import StoreTesting
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests the advice about effects that are in the way of a redaction.
@Suite(.timeLimit(.minutes(20))) struct RedactBesideEffectsTests {
    /// Another cancel would make the instance fail on the same event again.
    @Test func anEndThatTheInstanceFailedOnIsNotToBeCancelledAgain() async throws {
        let bench = try await TaskBench(
            """
            id: bare
            initial: a
            states:
              a: {invoke: {task: q, onDone: b}}
              b: {type: final}
            """)
        func effect(_ verb: EffectVerbCommand.Verb) async throws {
            _ = try await bench.engine.effect(
                EffectVerbCommand(
                    instance: "o", effect: "a", expectedSeq: nil, verb: verb, reason: "r", key: nil, by: .test))
        }
        func told() async -> String {
            do throws(Rejection) {
                _ = try await bench.engine.redact(RedactCommand(instance: "o", reason: "r", by: .test))
                return "none"
            } catch {
                return error.message
            }
        }
        try await bench.timed.start("bare", "o")
        #expect(await told().contains("cancel them with 'wfctl effects cancel'"))
        try await effect(.cancel)
        #expect(try await bench.timed.record("o").status == .failed)
        let way = await told()
        #expect(way.contains("give it a result with 'wfctl effects skip', or end it with 'wfctl cancel'"), "\(way)")
        #expect(!way.contains("effects cancel"))
        try await effect(.skip(result: .null))
        #expect(await told() == "none")
        try await bench.expectWhole()
    }
}
