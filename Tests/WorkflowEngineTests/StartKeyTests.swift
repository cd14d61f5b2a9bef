import IdentityTesting
import Statechart
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests keys of starts: their scope is the machine, whatever its version.
@Suite struct StartKeyTests {
    private static func definition(_ name: String, note: String = "") -> String {
        """
        id: \(name)
        initial: new
        context: {amount: 0, steps: 0, note: '\(note)'}
        states:
          new:
            entry: [{send: step}, {send: {event: remind, delay: 1h}}]
            on: {step: {target: ready, actions: {assign: {steps: 1}}}}
          ready: {on: {go: gone, remind: {}}}
          gone: {type: final}
        """
    }

    private func engine() async throws -> TimedEngine {
        try await TimedEngine(Self.definition("order"), Self.definition("refund"))
    }

    private func start(
        _ machine: String, _ name: String?, _ timed: TimedEngine, version: MachineVersion? = nil, amount: Int64 = 5,
        key: String = "k"
    ) async throws(Rejection) -> InstanceView {
        try await timed.engine.start(
            StartCommand(
                machine: machine, version: version, instance: name, data: ["amount": .int(amount)],
                key: RequestKey(text: key)))
    }

    /// Returns the answer to a start, as text.
    private static func text(_ view: InstanceView) -> [String] {
        let record = view.record
        return [
            record.uuid.text, record.name.rawValue, "\(record.status)", "\(record.seq.rawValue)",
            record.state.configuration,
            record.state.context, record.state.output ?? "",
            "\(record.created.rawValue) \(record.updated.rawValue)", "\(view.machine.name) \(view.machine.version)",
            "\(view.failure == nil)",
        ]
    }

    @Test(.timeLimit(.minutes(20)), arguments: ["order-1", nil])
    func theFirstAnswerIsGivenAgain(name: String?) async throws {
        let timed = try await engine()
        let first = try await start("order", name, timed)
        #expect(first.record.seq.rawValue == 2 && !first.isRepeated)
        (timed.clock as? HandClock)?.advance(60_000)
        try await timed.send("go", to: first.record.name.rawValue)
        _ = try await timed.engine.apply(Self.definition("order", note: "second"), syntax: .yaml)
        try await timed.restart()
        let again = try await start("order", name, timed)
        #expect(again.isRepeated && Self.text(again) == Self.text(first))
        #expect(try await timed.record(first.record.name.rawValue).status == .done)
        #expect(try await timed.journal().count { $0.kind == .started } == 1)
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func anotherStartWithTheKeyIsRefused() async throws {
        let timed = try await engine()
        _ = try await start("order", "order-1", timed)
        _ = try await timed.engine.apply(Self.definition("order", note: "second"), syntax: .yaml)
        for (name, version, amount) in [
            ("order-2", nil, 5), (nil, nil, 5), ("order-1", 2, 5), ("order-1", nil, 6),
        ] as [(String?, MachineVersion?, Int64)] {
            let kind = await timed.rejection { () async throws(Rejection) in
                _ = try await start("order", name, timed, version: version, amount: amount)
            }
            #expect(kind == "keyReused", "\(name ?? "-") \(version ?? 0) \(amount)")
        }
        #expect(try await start("order", "order-1", timed, version: 1).isRepeated)
        // The key of one machine is none of another's, nor of an instance.
        let refund = try await start("refund", "refund-1", timed)
        #expect(!refund.isRepeated)
        #expect(try await timed.send("go", to: "order-1", key: "k").isRepeated == false)
        #expect(try await start("order", "order-1", timed).isRepeated)
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func aStartThatIsRefusedIsNotRemembered() async throws {
        let timed = try await engine()
        try await timed.start("order", "taken")
        let kinds = [
            await timed.rejection { () async throws(Rejection) in _ = try await start("order", "taken", timed) },
            await timed.rejection { () async throws(Rejection) in
                _ = try await start("order", "order-1", timed, version: 9)
            },
            await timed.rejection { () async throws(Rejection) in _ = try await start("nothing", "order-1", timed) },
        ]
        #expect(kinds == ["instanceExists", "machineNotFound", "machineNotFound"])
        #expect(try await start("order", "order-1", timed).isRepeated == false)
        #expect(try await start("order", "order-1", timed).isRepeated)
        try await timed.stop()
    }

    /// Without a name and without a key, two starts are two instances; with a key they are one.
    @Test(.timeLimit(.minutes(20))) func startsWithoutANameAreToldApartByTheirKeys() async throws {
        let timed = try await engine()
        let one = try await start("order", nil, timed, key: "a")
        let two = try await start("order", nil, timed, key: "b")
        let again = try await start("order", nil, timed, key: "a")
        #expect(one.record.name != two.record.name && again.record.name == one.record.name)
        try await timed.stop()
    }
}
