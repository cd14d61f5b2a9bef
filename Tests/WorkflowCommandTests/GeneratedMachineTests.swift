import GeneratedMachines
import StateMachines
import Testing

/// Tests the output of `wfctl generate swift` by running it.
struct GeneratedMachineTests {
    @Test func theTextIsTheFileToTheByte() throws {
        for (text, file) in [
            (Order.text, "Examples/order.yaml"), (Values.text, "Tests/WorkflowCommandTests/Definitions/values.json"),
            (Words.text, "Tests/WorkflowCommandTests/Definitions/words.yaml"),
        ] {
            #expect(Array(text.utf8) == Array(try GeneratedFiles.text(file).utf8))
        }
    }

    @Test func regionsOfRegionsAreRead() throws {
        let machine = try StateMachine(Regions.self)
        let both = Regions.State.ReviewOne.Both(in: .a, outSide: .a)
        #expect(
            machine.state
                == .init(reviewOne: .reviewing(legal: .pending, theDefault: .pending, both: both), switch: .off))
        try machine.send(.defaultOk)
        try machine.send(.b)
        let later = Regions.State.ReviewOne.Both(in: .b, outSide: .b)
        #expect(
            machine.state == .init(reviewOne: .reviewing(legal: .pending, theDefault: .ok, both: later), switch: .off))
        try machine.send(.read(["name": "Ada"]))
        #expect(machine.context.paidBy == "Ada")
        try machine.send(.again)
        try machine.send(.flip)
        #expect(machine.state == .init(reviewOne: .again(legal: .a), switch: .on))
        try machine.send(.back)
        try machine.send(.legalOkay)
        #expect(machine.isIn(.reviewOneReviewingLegalOk))
    }

    @Test func wordsOfSwiftAreNames() throws {
        func end(_ event: Words.Event) throws -> Words.State {
            let machine = try StateMachine(Words.self)
            #expect(machine.state == .`self`)
            return try machine.send(event).state
        }
        #expect(try end(.default(in: "x", self: .init(type: 1))) == .default(.in))
        #expect(try end(.`init`) == .`init`)
        #expect(try end(.codingKeys(["_0": 1])) == .string(.int))
        #expect(try end(.text("x")) == .state(.name(.codingKeys)))
        #expect(try end(.text(nil)) == .state(.name(.codingKeys)))
        #expect(try end(.nothing([:])) == .none)
        let machine = try StateMachine(Words.self)
        try machine.send(.codingKeys(["_0": 1]))
        #expect(try machine.send(.anyThing(["a": 1])).state == .none)
        #expect(Words.Context().firstName == ["a": 1])
        #expect(Words.definitionWarnings() != nil)
    }

    @Test func dataHaveTheirTypes() throws {
        let machine = try StateMachine(Values.self)
        #expect(machine.context == Values.Context())
        try machine.send(
            .put(
                a: true, b: -1, c: 2, d: [1, nil], e: ["x": .null], f: .null, h: "AA==",
                i: .init(deep: .init(er: 3))))
        #expect(machine.context.count == -1)
        var context = Values.Context()
        context.later = .init(at: "5m")
        context.mixed = ["z"]
        #expect(try StateMachine(Values.self, context: context).context == context)
    }

    @Test func timeAloneMovesAMachine() throws {
        let machine = try StateMachine(Timers.self)
        machine.advance(by: .seconds(3))
        #expect(machine.state == .off)
    }

    /// The types of each machine fit its definition.
    @Test func allOfThemCanBeRead() throws {
        try Editor.definition.check()
        try Profile.definition.check()
        try Request.definition.check()
        try Rocket.definition.check()
        try Screens.definition.check()
    }
}

extension Words {
    fileprivate static func definitionWarnings() -> [String]? { try? definition.check() }
}
