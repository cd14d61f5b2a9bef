import StateMachines
import Testing

/// Tests observers, closures and behaviors of a machine: their order, and how they end.
struct ObserverTests {
    @Test func aTokenEndsItsObserver() throws {
        let machine = try StateMachine(Cooker.self)
        var heard: [String] = []
        let first = machine.onTransition { heard.append("first \($0.seq)") }
        var second: ObserverToken?
        second = machine.onTransition {
            heard.append("second \($0.seq)")
            second?.cancel()
        }
        machine.onTransition { heard.append("third \($0.seq)") }
        machine.attempt(.heat)
        first.cancel()
        machine.attempt(.cool)
        #expect(heard == ["first 2", "second 2", "third 2", "third 3"])
    }

    @Test func anObserverEndsWithItsOwner() throws {
        final class View { var seqs: [Int64] = [] }
        let machine = try StateMachine(Cooker.self)
        var view: View? = View()
        weak let last = view
        var count = 0
        machine.onTransition(with: try #require(view)) { view, move in
            view.seqs.append(move.seq)
            count += 1
        }
        machine.attempt(.heat)
        #expect(view?.seqs == [2])
        view = nil
        #expect(last == nil)
        machine.attempt(.cool)
        #expect(count == 1)
    }

    /// The exit is told before the state changes, from the inside out, and the entries after it.
    @Test func closuresSurroundTheMove() throws {
        let machine = try StateMachine(Cooker.self)
        var log: [String] = []
        machine.onExit(.off) { [unowned machine] in log.append("exit \(machine.state) to \($0)") }
        for state in [Cooker.State.on, .low] {
            machine.onEnter(state) { [unowned machine] in log.append("enter \(state) from \($0) in \(machine.state)") }
            machine.onExit(state) { [unowned machine] in log.append("leave \(state) in \(machine.state) to \($0)") }
        }
        machine.onTransition { log.append("\($0.to)") }
        machine.attempt(.heat)
        machine.attempt(.cool)
        #expect(
            log == [
                "exit off to on.low", "enter on from off in on.low", "enter on.low from off in on.low", "[on.low]",
                "leave on.low in on.low to off", "leave on in on.low to off", "[off]",
            ])
    }

    @Test func codeOfAStateRunsInOrderOfRegistration() throws {
        let machine = try StateMachine(Cooker.self)
        let lamp = Lamp()
        var log: [String] = []
        lamp.tell = { log.append($0) }
        let before = machine.onEnter(.on) { _ in log.append("before") }
        machine.set(lamp, for: .on)
        machine.onEnter(.on) { _ in log.append("after") }
        machine.attempt(.heat)
        #expect(log == ["before", "in", "after"])
        before.cancel()
        machine.set(lamp, for: .on)
        machine.attempt(.cool)
        machine.set(nil, for: .on)
        machine.attempt(.heat)
        #expect(log == ["before", "in", "after", "in", "out", "after"])
    }

    @Test func nothingIsSentFromAnExit() throws {
        let machine = try StateMachine(Cooker.self)
        var text: String?
        machine.onExit(.off) { [unowned machine] _ in
            do { try machine.send(.heat) } catch { text = "\(error)" }
        }
        #expect(machine.attempt(.heat))
        #expect(text == "an event cannot be sent from 'shouldTransition' or 'willExit'")
        #expect(machine.value.seq == 2)
    }

    /// An entry that sends an event does not overtake the entries of its own move.
    @Test func entriesPrecedeTheNextExit() throws {
        let machine = try StateMachine(Cooker.self)
        var log: [String] = []
        machine.onEnter(.on) { [unowned machine] _ in
            log.append("on")
            machine.attempt(.cool)
        }
        machine.onEnter(.low) { _ in log.append("low") }
        machine.onExit(.low) { _ in log.append("not low") }
        machine.onEnter(.off) { _ in log.append("off") }
        var moves: [String] = []
        machine.onTransition { moves.append("\($0)") }
        #expect("\(try machine.send(.heat))" == "off -> on.low   (seq 1 -> 2)")
        #expect(log == ["on", "low", "not low", "off"])
        #expect(moves == ["off -> on.low   (seq 1 -> 2)", "on.low -> off   (seq 2 -> 3)"])
    }

    /// Each timer's move has its own exits and entries, also if several are due.
    @Test func timersTellEachMove() throws {
        let machine = try StateMachine(Cooker.self)
        var log: [String] = []
        for state in Cooker.State.allCases {
            machine.onEnter(state) { log.append("\($0) > \(state)") }
            machine.onExit(state) { log.append("\(state) < \($0)") }
        }
        machine.attempt(.heat)
        log = []
        machine.advance(by: .seconds(60))
        #expect(log == ["on.low < on.high", "on.low > on.high", "on.high < off", "on < off", "on.high > off"])
    }

    /// Code that ends does not keep the program's objects alive.
    @Test func whatEndsIsReleased() throws {
        let machine = try StateMachine(Cooker.self)
        var lamp: Lamp? = Lamp()
        weak let last = lamp
        machine.set(lamp, for: .on)
        let tokens = [
            machine.onEnter(.on) { [lamp] _ in lamp?.tell("") }, machine.onExit(.on) { [lamp] _ in lamp?.tell("") },
            machine.onTransition { [lamp] _ in lamp?.tell("") },
        ]
        lamp = nil
        #expect(last != nil)
        machine.set(nil, for: .on)
        for token in tokens { token.cancel() }
        #expect(last == nil)
    }
}

private final class Lamp: StateBehavior {
    typealias Machine = Cooker
    var tell: (String) -> Void = { _ in }
    func didEnter(from previous: Cooker.State?) { tell("in") }
    func willExit(to next: Cooker.State) { tell("out") }
}

private enum Cooker: MachineDefinition {
    enum State: String, MachineState { case off, on, low = "on.low", high = "on.high" }
    enum Event: String, MachineEvent { case heat, cool }

    static let definition = Definition<Self>("cooker", initial: .off) {
        Path(from: .off, to: .on, by: .heat)
        In(.on, initial: .low) { On(.cool, to: .off) }
        In(.low) { After(.seconds(10), to: .high) }
        In(.high) { After(.seconds(10), to: .off) }
    }
}
