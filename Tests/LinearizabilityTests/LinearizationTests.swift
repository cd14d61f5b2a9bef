import DaemonTesting
import Testing

/// Tests the checker itself: it accepts answers that an order explains, and finds those that none explains.
@Suite struct LinearizationTests {
    private typealias Place = LampModel.Place

    private static func read(_ times: ClosedRange<Int>, _ seq: Int64, _ isOn: Bool) -> Operation<LampModel> {
        Operation(
            action: .read, call: times.lowerBound, end: times.upperBound,
            answer: .isAt(Place(seq: seq, isOn: isOn)))
    }

    private static func send(
        _ event: LampModel.Event, _ times: ClosedRange<Int>, expecting: Int64? = nil, key: String? = nil,
        _ answer: LampModel.Answer
    ) -> Operation<LampModel> {
        Operation(
            action: .send(event, expecting: expecting, key: key), call: times.lowerBound, end: times.upperBound,
            answer: answer)
    }

    private static func lost(
        _ event: LampModel.Event, from call: Int, to end: Int? = nil, expecting: Int64? = nil, key: String? = nil
    ) -> Operation<LampModel> {
        Operation(action: .send(event, expecting: expecting, key: key), call: call, end: end)
    }

    private static func applied(_ seq: Int64, _ isOn: Bool) -> LampModel.Answer {
        .applied(Place(seq: seq, isOn: isOn))
    }

    private static let explained: [(String, [Operation<LampModel>])] = [
        ("nothing", []),
        ("one after another", [send(.flip, 0...1, applied(2, true)), read(2...3, 2, true)]),
        (
            "two at once, answered against their order",
            [send(.flip, 0...5, applied(3, false)), send(.flip, 1...2, applied(2, true)), read(6...7, 3, false)]
        ),
        ("a read beside a write, before it", [send(.flip, 0...9, applied(2, true)), read(1...2, 1, false)]),
        (
            "a read beside a write, after it, and one more",
            [send(.flip, 0...9, applied(2, true)), read(1...2, 2, true), read(3...4, 2, true)]
        ),
        ("a lost one that took effect late", [lost(.flip, from: 0), read(1...2, 1, false), read(3...4, 2, true)]),
        ("a lost one that never took effect", [lost(.flip, from: 0), read(1...2, 1, false)]),
        (
            "of two that expect the same, one wins",
            [
                send(.flip, 0...3, expecting: 1, applied(2, true)),
                send(.flip, 1...4, expecting: 1, .notExpected(Place(seq: 2, isOn: true))),
            ]
        ),
        (
            "the first answer again, after others",
            [
                lost(.flip, from: 0, to: 3, key: "k"), send(.flip, 4...5, applied(3, false)),
                send(.flip, 6...7, key: "k", applied(2, true)), send(.on, 8...9, key: "k", .keyReused),
                read(10...11, 3, false),
            ]
        ),
        (
            "a refusal is not remembered",
            [
                send(.off, 0...1, key: "k", .notAccepted(Place(seq: 1, isOn: false))),
                send(.on, 2...3, applied(2, true)), send(.off, 4...5, key: "k", applied(3, false)),
            ]
        ),
    ]

    @Test(arguments: explained) func whatAnOrderExplainsIsAccepted(what: String, history: [Operation<LampModel>]) {
        var search = Linearization(history)
        #expect(search.verdict() == .linearizable)
    }

    private static let unexplained: [(String, [Operation<LampModel>])] = [
        ("a stale read", [send(.flip, 0...1, applied(2, true)), read(2...3, 1, false)]),
        (
            "reads that go back beside a write",
            [send(.flip, 0...9, applied(2, true)), read(1...2, 2, true), read(3...4, 1, false)]
        ),
        ("a lost update", [send(.flip, 0...1, applied(2, true)), send(.flip, 2...3, applied(2, true))]),
        (
            "two that expect the same, and both win",
            [send(.flip, 0...3, expecting: 1, applied(2, true)), send(.flip, 1...4, expecting: 1, applied(3, false))]
        ),
        (
            "applied twice for one key",
            [
                send(.flip, 0...1, key: "k", applied(2, true)), send(.flip, 2...3, key: "k", applied(3, false)),
            ]
        ),
        (
            "applied once more after an answer that was lost",
            [
                lost(.flip, from: 0, to: 1, key: "k"), send(.flip, 2...3, key: "k", applied(2, true)),
                read(4...5, 3, false),
            ]
        ),
        (
            "another answer than the first",
            [
                send(.flip, 0...1, key: "k", applied(2, true)), send(.flip, 2...3, applied(3, false)),
                send(.flip, 4...5, key: "k", applied(2, false)),
            ]
        ),
        (
            "a key that is forgotten",
            [
                send(.flip, 0...1, key: "k", applied(2, true)),
                send(.on, 2...3, key: "k", .notAccepted(Place(seq: 2, isOn: true))),
            ]
        ),
        ("an effect before the call", [read(0...1, 2, true), send(.flip, 2...3, applied(2, true))]),
        (
            "an effect after a death",
            [lost(.flip, from: 0, to: 1), read(2...3, 1, false), read(4...5, 2, true)]
        ),
        (
            "a refusal that nothing explains",
            [send(.on, 0...1, .notAccepted(Place(seq: 1, isOn: true)))]
        ),
        (
            "a lost one with two effects",
            [lost(.flip, from: 0), read(1...2, 2, true), read(3...4, 3, false)]
        ),
    ]

    @Test(arguments: unexplained) func whatNoOrderExplainsIsFound(what: String, history: [Operation<LampModel>]) {
        var search = Linearization(history)
        guard case .violation = search.verdict() else {
            Issue.record("\(what) was accepted")
            return
        }
    }

    @Test func theFirstAnswerThatCannotBeIsNamed() {
        var search = Linearization([Self.send(.flip, 0...1, Self.applied(2, true)), Self.read(2...3, 1, false)])
        #expect(
            search.verdict().description
                == "not linearizable: read from 2 to 3 was told isAt(seq 1 off); before it: seq 2 on")
    }

    @Test func pastItsBoundNothingIsClaimed() {
        let history = (0..<10).map { Self.lost(.flip, from: $0, key: "\($0)") } + [Self.read(20...21, 9, false)]
        var search = Linearization(history, bound: 100)
        #expect(
            search.verdict().description
                == "undecided: more than 100 configurations at read from 20 to 21 was told isAt(seq 9 off)")
    }

    /// The histories are random, of a correct lamp with overlapping requests and lost answers. With one answer changed,
    /// a history must fail if nothing explains the change.
    @Test(arguments: 1...40) func aRandomHistoryOfARightLampIsAccepted(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var model = LampModel()
        var history: [Operation<LampModel>] = []
        for number in 0..<300 {
            let event = LampModel.Event.allCases.randomElement(using: &random) ?? .flip
            let expected = Bool.random(using: &random) ? Int64.random(in: 0...1, using: &random) + model.place.seq : nil
            let key = Bool.random(using: &random) ? "\(Int.random(in: 0...number, using: &random))" : nil
            let action: LampModel.Action =
                Int.random(in: 0..<3, using: &random) == 0 ? .read : .send(event, expecting: expected, key: key)
            let answer = model.answer(to: action)
            // It takes effect at ten times its number, and is under way for up to eight others before and after.
            let call = number * 10 - Int.random(in: 0...80, using: &random)
            let isLost = Int.random(in: 0..<20, using: &random) == 0
            history.append(
                Operation(
                    action: action, call: call, end: number * 10 + Int.random(in: 1...80, using: &random),
                    answer: isLost ? nil : answer))
        }
        history.shuffle(using: &random)
        var search = Linearization(history)
        #expect(search.verdict() == .linearizable)
        // A lost update: what was told of one that was applied is told of one more, much later.
        let applied = history.compactMap { operation -> LampModel.Answer? in
            guard case .applied? = operation.answer else { return nil }
            return operation.answer
        }
        let answer = try #require(applied.randomElement(using: &random))
        let action = LampModel.Action.send(.flip, expecting: nil, key: nil)
        history.append(Operation(action: action, call: 5_000, end: 5_001, answer: answer))
        search = Linearization(history)
        #expect(search.verdict() != .linearizable)
    }
}
