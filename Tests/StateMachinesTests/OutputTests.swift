import Foundation
import StateMachines
import Testing

/// Tests what observers hear of `.emit`: each output once and in order, after the move.
struct OutputTests {
    @Test func outputsFollowTheMoveInTheirOrder() throws {
        let machine = try StateMachine(Lamp.self)
        var log: [String] = []
        machine.onExit(.off) { _ in log.append("exit") }
        machine.onEnter(.on) { _ in log.append("enter") }
        machine.onTransition { log.append("first \($0.seq)") }
        machine.onOutput { [unowned machine] in log.append("\($0.name) in \(machine.state)") }
        machine.onTransition { log.append("last \($0.seq)") }
        let move = try machine.send(.press)
        #expect(log == ["exit", "enter", "first 2", "dark in on", "click in on", "bright in on", "last 2"])
        #expect(
            move.outputs == [
                Output(name: "dark"), Output(name: "click", data: ["count": 1, "of": "lamp"]), Output(name: "bright"),
            ])
        log = []
        try machine.send(.press)
        #expect(log == ["first 3", "last 3"])
    }

    @Test func timersAndSentEventsEmitOnceEach() throws {
        let machine = try StateMachine(Lamp.self)
        var heard: [String] = []
        machine.onOutput { heard.append($0.name) }
        try machine.send(.press)
        heard = []
        #expect(machine.advance(by: .seconds(10)).map { $0.outputs.map(\.name) } == [["warm"]])
        #expect(heard == ["warm"])
        let move = try machine.send(.twice)
        #expect(move.outputs.map(\.name) == ["one", "two"])
        #expect(heard == ["warm", "one", "two"])
        machine.advance(by: .seconds(100))
        #expect(heard == ["warm", "one", "two"])
    }

    @Test func whatIsRefusedEmitsNothing() throws {
        let machine = try StateMachine(Lamp.self)
        var heard: [String] = []
        machine.onOutput { heard.append($0.name) }
        #expect(!machine.attempt(.fail))
        #expect(machine.canSend(.press) && machine.canReach(.on))
        #expect(machine.acceptance(of: .press) == .taken)
        machine.shouldTransition = { _, _ in false }
        #expect(!machine.attempt(.press))
        #expect(heard.isEmpty)
        machine.shouldTransition = nil
        #expect(machine.attempt(.press))
        #expect(heard == ["dark", "click", "bright"])
    }

    /// An event that an observer sends is applied at once, and its outputs are heard after those of its cause.
    @Test func anObserverMaySend() throws {
        let machine = try StateMachine(Lamp.self)
        var heard: [String] = []
        machine.onOutput { [unowned machine] output in
            if output.name == "dark" { machine.attempt(.twice) }
        }
        machine.onOutput { heard.append($0.name) }
        try machine.send(.press)
        #expect(heard == ["dark", "click", "bright", "one", "two"])
    }

    @Test func aTokenEndsItsObserverAtOnce() throws {
        let machine = try StateMachine(Lamp.self)
        var heard: [String] = []
        var token: ObserverToken?
        token = machine.onOutput {
            heard.append($0.name)
            if $0.name == "click" { token?.cancel() }
        }
        try machine.send(.press)
        try machine.send(.twice)
        #expect(heard == ["dark", "click"])
    }

    @Test func anObserverEndsWithItsOwner() throws {
        final class View { var names: [String] = [] }
        let machine = try StateMachine(Lamp.self)
        var view: View? = View()
        weak let last = view
        var count = 0
        let token = machine.onOutput(with: try #require(view)) { view, output in
            view.names.append(output.name)
            count += 1
        }
        try machine.send(.press)
        #expect(view?.names == ["dark", "click", "bright"])
        view = nil
        #expect(last == nil)
        try machine.send(.twice)
        #expect(count == 3)
        token.cancel()
    }

    @Test func aTokenEndsAnOwnersObserverAtOnce() throws {
        final class View { var names: [String] = [] }
        let machine = try StateMachine(Lamp.self)
        let view = View()
        var token: ObserverToken?
        token = machine.onOutput(with: view) { view, output in
            view.names.append(output.name)
            token?.cancel()
        }
        try machine.send(.press)
        #expect(view.names == ["dark"])
    }

    @Test func aValueReturnsItsOutputs() throws {
        var value = try MachineValue(Lamp.self)
        #expect(try value.take(.press).outputs.map(\.name) == ["dark", "click", "bright"])
        #expect(value.takeNext(until: .seconds(10))?.outputs == [Output(name: "warm")])
        #expect(throws: Refusal<Lamp>.self) { try value.take(.fail) }
    }

    @Test func movesDifferByTheirOutputs() throws {
        var (one, two) = (try MachineValue(Lamp.self), try MachineValue(Lamp.self))
        #expect(try one.take(.press) == two.take(.press))
        #expect(try one.take(.twice) != two.take(.press))
    }

    /// An output that was heard before the machine was stored is not heard again.
    @Test func aRestoredMachineRepeatsNothing() throws {
        let machine = try StateMachine(Lamp.self)
        try machine.send(.press)
        let stored = try JSONEncoder().encode(machine.value)
        let value = try JSONDecoder().decode(MachineValue<Lamp>.self, from: stored)
        let other = try StateMachine(restoring: value)
        var heard: [String] = []
        other.onOutput { heard.append($0.name) }
        other.advance(by: .seconds(9))
        #expect(heard.isEmpty)
        other.advance(by: .seconds(1))
        #expect(heard == ["warm"])
    }

    @Test func theTextHasTheActions() throws {
        #expect(try Lamp.definition.check() == [])
        let text = Lamp.text.filter { !$0.isWhitespace }
        #expect(text.contains(#""exit":[{"emit":"dark"},"#))
        let data = #"{"count":"context.count","of":"instance.name"}"#
        #expect(text.contains(#"{"emit":{"event":"click","data":"# + data + "}}"))
    }

    @Test func mistakesHaveTheirLineOfSwift() {
        let mistakes = #expect(throws: DefinitionMistakes.self) { try Mistaken.definition.check() }?.mistakes ?? []
        let place = "StateMachinesTests/OutputTests.swift:\(Mistaken.line + 3): "
        #expect(mistakes.count == 2 && mistakes.allSatisfy { $0.hasPrefix(place) }, "\(mistakes)")
        #expect(mistakes.contains { $0.contains("'not so' cannot be the name of an event") })
    }
}

private enum Lamp: MachineDefinition {
    enum State: String, MachineState { case off, on }
    enum Event: String, MachineEvent { case press, twice, fail, again }
    struct Context: Codable, Sendable, Equatable { var count = 0 }

    static let definition = Definition<Self>("lamp", initial: .off, context: Context()) {
        In(.off, entry: [.emit("unheard")], exit: [.emit("dark"), .assign(["count": "context.count + 1"])]) {
            On(
                .press, to: .on,
                .choose(
                    if: "context.count > 0",
                    then: [.emit("click", data: ["count": "context.count", "of": "instance.name"])]))
            On(.fail, .emit("lost"), .assign(["count": "1 / context.count"]))
        }
        In(.on, entry: [.emit("bright")]) {
            On(.press)
            On(.twice, .emit("one"), .send(Event.again))
            On(.again, .emit("two"))
            After(.seconds(10), .emit("warm"))
        }
    }
}

private enum Mistaken: MachineDefinition {
    enum State: String, MachineState { case here }
    enum Event: String, MachineEvent { case go }
    static let line = #line
    static let definition = Definition<Self>("mistaken", initial: .here) {
        In(.here) {
            On(.go, .emit("not so"), .emit("data", data: "context.nothing"))
        }
    }
}
