import IdentityTesting
import Statechart
import StoreTesting
import Synchronization
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests keys of events: the first answer is given again, whatever has happened since.
@Suite struct KeyTests {
    private static let key = "order-1042/pay"

    private static let till = """
        id: till
        initial: open
        context: {sum: 0, steps: 0, divisor: 1}
        events: {pay: {data: {amount: double}}}
        states:
          open:
            initial: idle
            after: {1h: {target: open, reenter: true}}
            on:
              pay: {target: .busy, actions: {assign: {sum: context.sum + int(event.data.amount)}}}
              work: {target: .busy, actions: [{send: step}, {send: step}, {send: rest}]}
              step: {actions: {assign: {steps: context.steps + 1}}}
              rest: .idle
              close: closed
              break: {actions: [{assign: {steps: 99}}, {send: bad}]}
              bad: {actions: {assign: {steps: 1 / 0}}}
            states: {idle: {}, busy: {}}
          closed: {type: final, output: {sum: context.sum}}
        """

    private func engine() async throws -> TimedEngine {
        let timed = try await TimedEngine(Self.till)
        try await timed.start("till", "t")
        return timed
    }

    /// Returns all parts of an answer except the mark of a repetition.
    private static func text(_ answer: SendResult) -> [String] {
        [
            answer.instance.rawValue, answer.event, "\(answer.fromSeq.rawValue) \(answer.seq.rawValue)",
            "\(answer.from) \(answer.to)", "\(answer.status)", JSONWriter.string(answer.context),
            answer.output.map(JSONWriter.string) ?? "-", "\(answer.exited)", "\(answer.entered)",
            "\(answer.isDryRun) \(answer.explanation == nil)",
        ]
    }

    private static let events: [(String, JSONValue?)] = [
        ("pay", ["amount": 5]), ("work", nil), ("close", nil), ("break", nil),
    ]

    @Test(.timeLimit(.minutes(20)), arguments: 0..<events.count)
    func theFirstAnswerIsGivenAgain(number: Int) async throws {
        let (event, data) = Self.events[number]
        let timed = try await engine()
        try await timed.send("pay", ["amount": 100], to: "t")
        let first = try await timed.send(event, data, to: "t", key: Self.key)
        #expect(!first.isRepeated)
        let seq = first.seq.rawValue
        let again = try await timed.send(event, data, to: "t", key: Self.key)
        #expect(again.isRepeated && Self.text(again) == Self.text(first))
        #expect(try await timed.record("t").seq.rawValue == seq)

        // The instance goes on, as far as it can, and another daemon takes over.
        _ = await timed.rejection { () async throws(Rejection) in
            try await timed.send("pay", ["amount": 1000], to: "t", key: "another")
        }
        try await timed.pass(7_200_000)
        try await timed.restart()
        let later = try await timed.record("t")
        for _ in 0..<2 {
            let answer = try await timed.send(event, data, to: "t", key: Self.key)
            #expect(answer.isRepeated && Self.text(answer) == Self.text(first))
        }
        #expect(try await timed.record("t") == later)
        try await timed.stop()
    }

    /// A snapshot row is between the start and the event.
    @Test(.timeLimit(.minutes(20))) func anAnswerDeepInAHistoryIsMadeAgain() async throws {
        let timed = try await engine()
        for number in 0..<300 { try await timed.send("pay", ["amount": .int(Int64(number))], to: "t") }
        let first = try await timed.send("pay", ["amount": 7], to: "t", key: Self.key)
        for _ in 0..<300 { try await timed.send("pay", ["amount": 1], to: "t") }
        let again = try await timed.send("pay", ["amount": 7], to: "t", key: Self.key)
        #expect(Self.text(again) == Self.text(first))
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func twoWithTheSameKeyInOneBatchAreOne() async throws {
        let store = FakeStore()
        var limits = EngineLimits()
        limits.batchApplying = .seconds(60)
        let running = try await RunningEngine(store: store, limits: limits)
        try await running.start("a")
        try await running.start("held")
        store.hold.shut()
        async let held = running.flip("held")
        await store.hold.somebodyIsHeld()
        let tries = store.tries
        let answers = try await withThrowingTaskGroup(of: SendResult.self) { group in
            for _ in 0..<5 {
                group.addImmediateTask {
                    try await running.engine.send(
                        SendCommand(instance: "a", event: Event(name: "flip"), key: RequestKey(text: Self.key)))
                }
            }
            store.hold.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        _ = try await held
        // The two are the command that was held, and one batch.
        #expect(store.tries == tries + 2)
        #expect(answers.filter { !$0.isRepeated }.count == 1)
        #expect(Set(answers.map { Self.text($0) }).count == 1)
        #expect(store.record("a")?.seq.rawValue == 2)
        #expect(store.content.withLock { $0.keys.count } == 1)
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20))) func anotherRequestWithTheKeyIsRefused() async throws {
        let timed = try await engine()
        try await timed.start("till", "u")
        let first = try await timed.send("pay", ["amount": 5], to: "t", key: Self.key)
        let others: [(String, JSONValue?)] = [
            ("pay", ["amount": 6]), ("pay", ["amount": 5.0]), ("pay", nil), ("work", nil), ("nonsense", nil),
        ]
        for (event, data) in others {
            let kind = await timed.rejection { () async throws(Rejection) in
                try await timed.send(event, data, to: "t", key: Self.key)
            }
            #expect(kind == "keyReused", "\(event) \(String(describing: data))")
        }
        #expect(try await timed.record("t").seq == first.seq)
        // The key of one instance is none of another's.
        let other = try await timed.send("pay", ["amount": 6], to: "u", key: Self.key)
        #expect(!other.isRepeated && other.seq.rawValue == 2)
        try await timed.stop()
    }

    /// The order of checks is key, existence, status, expectation, step.
    @Test(.timeLimit(.minutes(20))) func aRepeatedKeyComesBeforeEveryOtherCheck() async throws {
        let timed = try await engine()
        let first = try await timed.engine.send(
            SendCommand(
                instance: "t", event: Event(name: "close"), expectedSeq: Seq(rawValue: 1), expectedState: "open",
                key: RequestKey(text: Self.key)))
        let again = try await timed.engine.send(
            SendCommand(
                instance: "t", event: Event(name: "close"), expectedSeq: Seq(rawValue: 1), expectedState: "open",
                key: RequestKey(text: Self.key)))
        #expect(again.isRepeated && Self.text(again) == Self.text(first))
        let missing = await timed.rejection { () async throws(Rejection) in
            try await timed.send("close", to: "nobody", key: Self.key)
        }
        #expect(missing == "instanceNotFound")
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func refusalsAndDryRunsAreNotRemembered() async throws {
        let timed = try await engine()
        #expect(
            await timed.rejection { () async throws(Rejection) in
                try await timed.send("pay", ["amount": "much"], to: "t", key: Self.key)
            } == "invalidData")
        #expect(
            await timed.rejection { () async throws(Rejection) in
                try await timed.send("bad", to: "t", key: Self.key)
            } == "expressionFailed")
        let asked = try await timed.send("close", to: "t", key: Self.key, isDryRun: true)
        #expect(asked.isDryRun && !asked.isRepeated)
        let first = try await timed.send("pay", ["amount": 1], to: "t", key: Self.key)
        #expect(!first.isRepeated && first.seq.rawValue == 2)
        // A dry run does not look at keys either: it says what would happen now.
        let now = try await timed.send("pay", ["amount": 1], to: "t", key: Self.key, isDryRun: true)
        #expect(now.fromSeq.rawValue == 2 && !now.isRepeated)
        try await timed.stop()
    }

    // MARK: Age

    private static func key(at milliseconds: Int64) -> String {
        var random = SystemRandomNumberGenerator()
        return UniqueID(at: Timestamp(rawValue: milliseconds), random: &random).text
    }

    @Test(.timeLimit(.minutes(20))) func aKeyThatSaysAnOldOrAFutureTimeIsRefused() async throws {
        let timed = try await engine()
        let now = timed.clock.now().rawValue
        let week: Int64 = 7 * 86_400_000
        for (time, expected) in [
            (now - week, "keyExpired"), (now - week + 1, "none"), (now, "none"), (now + 3_600_000, "none"),
            (now + 3_600_001, "keyAhead"),
        ] {
            let key = Self.key(at: time)
            #expect(
                await timed.rejection { () async throws(Rejection) in
                    try await timed.send("pay", ["amount": 1], to: "t", key: key)
                } == expected, "\(time - now)")
            #expect(
                await timed.rejection { () async throws(Rejection) in try await timed.start("till", key: key) }
                    == expected, "start \(time - now)")
        }
        try await timed.stop()
    }

    /// The two times show which of the clocks is wrong.
    @Test(
        .timeLimit(.minutes(20)),
        arguments: [
            (
                -400,
                "is of 2022-10-10T22:13:20.000Z, and it is 2023-11-14T22:13:20.000Z here: keys that old are forgotten, "
                    + "and nobody knows whether it was used; look at the history; where the key is new, one of the "
                    + "clocks is wrong"
            ),
            (
                400,
                "is of 2024-12-18T22:13:20.000Z, but it is only 2023-11-14T22:13:20.000Z here: one of the clocks is "
                    + "wrong"
            ),
        ] as [(Int64, String)])
    func aKeyOfAClockThatIsFarOffSaysBothTimes(days: Int64, message: String) async throws {
        let timed = try await engine()
        let key = Self.key(at: timed.clock.now().rawValue + days * 86_400_000)
        let error = await #expect(throws: Rejection.self) {
            _ = try await timed.send("pay", ["amount": 1], to: "t", key: key)
        }
        #expect(error?.message == "Key '\(key)' \(message)")
        try await timed.stop()
    }

    /// A remembered key gets its answer, however old the time in it is.
    @Test(.timeLimit(.minutes(20))) func aForgottenKeyIsNeverAppliedTwice() async throws {
        let timed = try await engine()
        let key = Self.key(at: timed.clock.now().rawValue)
        let first = try await timed.send("work", to: "t", key: key)
        let plain = try await timed.send("pay", ["amount": 1], to: "t", key: "plain")
        (timed.clock as? HandClock)?.advance(7 * 86_400_000 + 1)
        let again = try await timed.send("work", to: "t", key: key)
        #expect(again.isRepeated && Self.text(again) == Self.text(first))
        // The next batch forgets both.
        try await timed.start("till", "other")
        #expect(
            await timed.rejection { () async throws(Rejection) in try await timed.send("work", to: "t", key: key) }
                == "keyExpired")
        let anew = try await timed.send("pay", ["amount": 1], to: "t", key: "plain")
        #expect(!anew.isRepeated && anew.seq > plain.seq)
        // A forgotten key stays forgotten, also when the clock is set back.
        (timed.clock as? HandClock)?.advance(-86_400_000)
        try await timed.restart()
        #expect(
            await timed.rejection { () async throws(Rejection) in try await timed.send("work", to: "t", key: key) }
                == "keyExpired")
        try await timed.stop()
    }
}
