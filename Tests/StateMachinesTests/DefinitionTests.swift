import Seeds
import StateMachines
import Synchronization
import Testing

/// Tests definitions from Swift types: their texts, and the mistakes that are refused.
struct DefinitionTests {
    /// The printed text is part of the API: another text is another version of the machine.
    @Test func theTextIsTheSameForEver() {
        #expect(
            Rocket.text == """
                {
                  "id": "rocket",
                  "context": {
                    "count": 0
                  },
                  "initial": "standby",
                  "states": {
                    "standby": {
                      "on": {
                        "fire": "#countdown"
                      }
                    },
                    "countdown": {
                      "initial": "tick",
                      "entry": {
                        "assign": {
                          "count": 5
                        }
                      },
                      "on": {
                        "abort": "#standby"
                      },
                      "states": {
                        "tick": {
                          "after": {
                            "1s": [
                              {
                                "guard": "context.count > 1",
                                "target": "#countdown.tick",
                                "reenter": true,
                                "actions": {
                                  "assign": {
                                    "count": "context.count - 1"
                                  }
                                }
                              },
                              {
                                "target": "#launched",
                                "actions": {
                                  "assign": {
                                    "count": 0
                                  }
                                }
                              }
                            ]
                          }
                        }
                      }
                    },
                    "launched": {
                      "on": {
                        "land": "#standby"
                      }
                    }
                  }
                }

                """)
    }

    @Test func allPartsAreWritten() throws {
        try Everything.definition.check()
        let machine = try StateMachine(Everything.self)
        try machine.send(.go)
        #expect(machine.isIn(.workA) && machine.isIn(.workB))
        try machine.send(.a)
        try machine.send(.b)
        #expect(machine.context.note == "both 'are' \"done\"")
        #expect(machine.state == .after)
        machine.advance(by: .milliseconds(1_500))
        #expect(machine.status == .done)
        #expect(machine.value.output == ["n": 3])
    }

    private func mistakes<M: MachineDefinition>(_ machine: M.Type) -> [String] {
        do throws(DefinitionMistakes) {
            try M.definition.check()
            return []
        } catch {
            return error.mistakes.map { String($0.drop { $0 != ":" }.dropFirst()) }
        }
    }

    @Test func mistakesHaveTheirLineOfSwift() {
        #expect(
            mistakes(Mistaken.self)
                == [
                    "\(Mistaken.line + 1): 'tick' has no parent 'countdwn'",
                    "\(Mistaken.line + 3): the context has no key 'total'; declare it in 'context'",
                    "\(Mistaken.line + 4): the context has no field 'cuont'; did you mean 'count'?",
                ])
        #expect(
            mistakes(Lenient.self)
                == ["\(Lenient.line + 3): Lenient.Context lacks 'total', which the definition assigns"])
        let told = mistakes(BadGuard.self)
        #expect(told.count == 1)
        #expect(told.first?.hasPrefix("\(BadGuard.line + 3): ") == true)
        #expect(told.first?.contains("cuont") == true)
    }

    @Test func aGenericDefinitionIsReadOnce() throws {
        for _ in 0..<3 { _ = try StateMachine(Counted<Int>.self) }
        #expect(Counted<Int>.text.contains("counted"))
        #expect(readings.withLock { $0 } == 1)
    }

    @Test func aMachineMayHaveNoEvents() throws {
        let egg = try StateMachine(Egg.self)
        egg.advance(by: .seconds(300))
        #expect(egg.state == .done)
    }

    @Test func aStateMachineThrowsThem() {
        #expect(throws: DefinitionMistakes.self) { try StateMachine(BadGuard.self) }
        #expect(throws: DefinitionMistakes.self) { try StateMachine(BadGuard.self) }
    }

    @Test func whatIsProbablyNotMeantIsReturned() throws {
        let warnings = try Unreachable.definition.check()
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("'island'") == true)
    }

    /// An expression of several lines has one place, and the parts after it keep their own.
    @Test func aMistakeInManyLinesHasItsPlace() {
        #expect(mistakes(Long.self).compactMap { Int($0.prefix { $0 != ":" }) } == [Long.line + 3])
    }

    @Test func noDelayIsRoundedToNone() throws {
        #expect(mistakes(TooShort.self).isEmpty)
        #expect(TooShort.text.contains(#""1ms""#))
        #expect(mistakes(Backwards.self).count == 1)
        #expect(Seconds.text.contains(#""4350ms""#))
        #expect(Seconds.text.contains(#""2h""#))
    }

    @Test func aTextMustFitTheTypes() throws {
        #expect(mistakes(Foreign<Screens>.self).first?.contains("has the state 'legal' that") == true)
        #expect(mistakes(WithoutContext.self).first?.contains("has 'total' in its context") == true)
    }

    @Test func yamlIsRead() throws {
        let machine = try StateMachine(FromYAML.self)
        try machine.send(.launch)
        #expect(machine.state == .greeting)
    }
}

private enum Everything: MachineDefinition {
    enum State: String, MachineState {
        case start, work, workA = "work.a", workAOpen = "work.a.open", workADone = "work.a.done", workB = "work.b"
        case workBOpen = "work.b.open", workBDone = "work.b.done", after, end
    }
    enum Event: String, MachineEvent { case go, a, b, ping }

    struct Context: Codable, Sendable {
        var n = 0
        var note: String?
        var list: [Int] = []
    }

    static let definition = Definition<Self>("everything", initial: .start, context: Context()) {
        In(.start, tags: ["idle"], exit: [.log("'leaving ' + string(context.n)")]) {
            On(.go, to: .work, if: "context.n == 0", .assign(["n": 1, "list": [1, "context.n + 2"]]))
        }
        In(.work, .parallel) {
            OnDone(
                to: .after,
                .choose(
                    if: "context.n > 5", then: [.assign(["n": 0])],
                    else: [.assign(["note": .literal("both 'are' \"done\"")])]))
        }
        In(.workA, initial: .workAOpen)
        In(.workAOpen) { On(.a, to: .workADone, .raise(Event.ping)) }
        In(.workADone, .final)
        In(.workB, initial: .workBOpen) { On(.ping, .assign(["n": "context.n + 2"])) }
        In(.workBOpen) { On(.b, to: .workBDone) }
        In(.workBDone, .final)
        In(.after, entry: [.send(Event.ping, delay: .seconds(1), id: "x"), .cancel("x")]) {
            After("duration('1500ms')", to: .end)
            Always(if: "context.n == 100")
        }
        In(.end, .final, output: ["n": "context.n"])
    }
}

private enum Mistaken: MachineDefinition {
    enum State: String, MachineState { case standby, tick = "countdwn.tick" }
    enum Event: String, MachineEvent { case fire }
    struct Context: Codable, Sendable { var count = 0 }
    static let line = #line
    static let definition = Definition<Self>("mistaken", initial: .standby, context: Context()) {
        In(.standby) {
            On(.fire, to: .tick, .assign(["total": 1]))
            On(.fire, to: .tick, if: "context.cuont > 0")
        }
    }
}

private enum Lenient: MachineDefinition {
    enum State: String, MachineState { case standby }
    enum Event: String, MachineEvent { case fire }
    struct Context: Codable, Sendable { var count = 0 }
    static let line = #line
    static let definition = Definition<Self>("lenient", initial: .standby, context: Context(), strict: false) {
        In(.standby) {
            On(.fire, .assign(["total": 1]))
        }
    }
}

/// A generic type, which cannot have a stored property.
private enum Counted<Kind>: MachineDefinition {
    enum State: String, MachineState { case home }
    enum Event: String, MachineEvent { case stay }
    static var definition: Definition<Self> {
        readings.withLock { $0 += 1 }
        return Definition("counted", initial: .home) { In(.home) { On(.stay) } }
    }
}
private let readings = Mutex(0)

/// A machine without events: `Event` may be left out.
private enum Egg: MachineDefinition {
    enum State: String, MachineState { case raw, done }
    static let definition = Definition<Self>("egg", initial: .raw) { In(.raw) { After(.seconds(300), to: .done) } }
}

private enum BadGuard: MachineDefinition {
    enum State: String, MachineState { case standby }
    enum Event: String, MachineEvent { case fire }
    struct Context: Codable, Sendable { var count = 0 }
    static let line = #line
    static let definition = Definition<Self>("bad", initial: .standby, context: Context()) {
        In(.standby) {
            On(.fire, to: .standby, if: "context.cuont > 1")
        }
    }
}

private enum Unreachable: MachineDefinition {
    enum State: String, MachineState { case home, island }
    enum Event: String, MachineEvent { case stay }
    static let definition = Definition<Self>("unreachable", initial: .home) { In(.home) { On(.stay) } }
}

private enum TooShort: MachineDefinition {
    enum State: String, MachineState { case home }
    enum Event: String, MachineEvent { case stay }
    static let definition = Definition<Self>("short", initial: .home) {
        In(.home) { After(.microseconds(100), to: .home) }
    }
}

private enum Backwards: MachineDefinition {
    enum State: String, MachineState { case home }
    enum Event: String, MachineEvent { case stay }
    static let definition = Definition<Self>("backwards", initial: .home) {
        In(.home) { After(.microseconds(-100), to: .home) }
    }
}

private enum Long: MachineDefinition {
    enum State: String, MachineState { case home }
    enum Event: String, MachineEvent { case stay, go }
    struct Context: Codable, Sendable { var count = 1 }
    static let line = #line
    static let definition = Definition<Self>("long", initial: .home, context: Context()) {
        In(.home) {
            On(
                .stay,
                if: """
                    context.count > 0
                    && context.cuont > 1
                    """)
            On(.go)
        }
    }
}

private enum Seconds: MachineDefinition {
    enum State: String, MachineState { case home }
    enum Event: String, MachineEvent { case stay }
    static let definition = Definition<Self>("seconds", initial: .home) {
        In(.home) {
            After(.seconds(4.35), to: .home)
            After(.seconds(7_200), to: .home)
        }
    }
}

private enum Foreign<Names>: MachineDefinition {
    enum State: String, MachineState { case draft }
    enum Event: String, MachineEvent { case submit }
    static var definition: Definition<Self> {
        Definition(text: #"{"id": "order", "initial": "draft", "states": {"draft": {}, "legal": {}}}"#)
    }
}

private enum WithoutContext: MachineDefinition {
    enum State: String, MachineState { case draft }
    enum Event: String, MachineEvent { case submit }
    static let definition = Definition<Self>(
        text: #"{"id": "order", "initial": "draft", "context": {"total": 0}, "states": {"draft": {}}}"#)
}

private enum FromYAML: MachineDefinition {
    typealias State = Screens.State
    typealias Event = Screens.Event
    static let definition = Definition<Self>(
        text: """
            id: screens
            initial: initial
            states:
              initial: {on: {launch: greeting}}
              greeting: {on: {start: login}}
              login: {on: {loggedIn: home}}
              home: {}
            """)
}
