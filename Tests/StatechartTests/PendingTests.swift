import Statechart
import Testing

/// Tests pending items: their identity, the requests of a macrostep, and the item that an instance failed on.
@Suite struct PendingTests {
    private static let machine = """
        id: m
        initial: a
        states:
          a:
            after: {5s: b}
            entry: [{send: {event: tick, delay: 1s, id: x}}, {send: {event: tock, delay: 1s}}]
            on:
              again: {target: a, reenter: true}
              drop: {actions: [{send: {event: tick, delay: 2s, id: x}}, {cancel: x}]}
              end: c
              boom: {actions: {send: {event: bad}}}
              bad: {actions: {log: 1 / 0}}
          b: {}
          c: {type: final}
        """

    private static func ids(_ run: TimedRun) -> [String] {
        run.snapshot.armed.map { "\($0.event) \($0.id.seq).\($0.id.number)" }
    }

    private static func requests(_ run: TimedRun) -> [String] {
        run.last.flatMap(\.macrostep.requests).map { request in
            switch request {
            case .arm(let pending), .invoke(let pending, _): "+\(pending.id.seq).\(pending.id.number)"
            case .call(let request): request.name
            case .cancel(let id): "-\(id.seq).\(id.number)"
            }
        }
    }

    @Test func noIdentityIsUsedTwice() throws {
        var run = try TimedRun(Self.machine)
        #expect(Self.ids(run) == ["tick 1.1", "tock 1.2", "after.5s.a 1.3"])
        #expect(Self.requests(run) == ["+1.1", "+1.2", "+1.3"])
        try run.send("again")
        #expect(
            Self.ids(run) == ["tick 1.1", "tock 1.2", "tick 2.1", "tock 2.2", "after.5s.a 2.3"])
        #expect(Self.requests(run) == ["-1.3", "+2.1", "+2.2", "+2.3"])
        #expect(run.snapshot.seq == 2)
    }

    @Test func whatEndsInTheMacrostepThatArmedItIsNotAskedFor() throws {
        var run = try TimedRun(Self.machine)
        try run.send("drop")
        #expect(Self.requests(run) == ["-1.1"])
        #expect(Self.ids(run) == ["tock 1.2", "after.5s.a 1.3"])
    }

    @Test func whatIsTakenIsNotCancelled() throws {
        var run = try TimedRun(Self.machine)
        #expect(try run.pass(1_000) == ["tick", "tock"])
        #expect(Self.requests(run) == [] && Self.ids(run) == ["after.5s.a 1.3"])
        try run.send("end")
        #expect(Self.requests(run) == ["-1.3"] && run.snapshot.armed.isEmpty)
    }

    @Test func aFailureMarksWhatItFailedOn() throws {
        var run = try TimedRun(Self.machine)
        #expect(run.snapshot.armed.kept == nil)
        try run.send("boom")
        #expect(run.snapshot.status == .failed && run.snapshot.seq == 3)
        let kept = try #require(run.snapshot.armed.kept)
        #expect(kept.event == "bad" && kept.id == Pending.ID(seq: 2, number: 1))
        #expect(run.snapshot.armed.count(where: \.isKept) == 1)
        let text = run.machine.text(of: run.snapshot)
        #expect(text.armed.contains(#""due":0,"event":"bad","kept":true,"kind":"sent","number":1,"seq":2"#))
        #expect(try run.machine.snapshot(of: text, status: .failed, seq: 3) == run.snapshot)

        let again = run.machine.apply(.retried(Taken(kept, at: .zero)), to: run.snapshot, as: .test)
        guard case .failed(let macrostep, _) = again else {
            Issue.record("it must fail again")
            return
        }
        #expect(macrostep.snapshot.armed == run.snapshot.armed && macrostep.snapshot.seq == 4)
    }

    /// A reader refuses an invocation that it could not write in the same form.
    @Test(arguments: [
        #"{"kind":"invocation","number":1,"seq":1,"state":"a"}"#,
        #"{"due":0,"event":"came","kind":"invocation","number":1,"seq":1,"state":"a"}"#,
        #"{"data":1,"invoke":"job","kind":"invocation","number":1,"seq":1,"state":"a"}"#,
        #"{"due":0,"event":"came","invoke":"job","kept":true,"kind":"invocation","number":1,"seq":1,"state":"a"}"#,
    ])
    func anInvocationHasAnIDAndNothingElse(armed: String) throws {
        let run = try TimedRun(Self.machine)
        var text = run.machine.text(of: run.snapshot)
        text.armed = "[\(armed)]"
        #expect(throws: SnapshotTextError.self) {
            _ = try run.machine.snapshot(of: text, status: .running, seq: 1)
        }
        text.armed = "[]"
        _ = try run.machine.snapshot(of: text, status: .running, seq: 1)
    }

    @Test func theKindSaysWhetherSomethingArmedIsTaken() throws {
        let event = Event(name: "e")
        let taken = Taken(
            Pending(
                id: Pending.ID(seq: 1, number: 1), kind: .timer, event: "e", data: nil, due: .zero,
                owner: .send(id: "x")), at: .zero)
        let machine = try DefinitionReader.read("id: m\ninitial: a\nstates: {a: {}}").machine
        let earlier = EarlierMachine(machine, version: 1)
        let inputs: [Input] = [
            .started(event), .event(event), .sent(taken), .timer(taken), .result(taken), .failed(taken),
            .retried(taken), .skipped(event), .suspended(event), .resumed(event), .cancelled(event), .reset(event),
            .set(event), .migrated(event, from: earlier), .effect(event), .redacted(event),
        ]
        #expect(Set(inputs.map(\.kind)) == Set(Input.Kind.allCases))
    }
}
