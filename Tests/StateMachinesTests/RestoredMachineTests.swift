import Foundation
import Seeds
import StateMachines
import Testing

/// Tests a machine that is stored and continues.
struct RestoredMachineTests {
    @Test func aStoredMachineGoesOn() throws {
        let machine = try StateMachine(Rocket.self, named: "apollo", at: .seconds(1_000))
        try machine.send(.fire)
        machine.advance(by: .milliseconds(2_500))
        let stored = try JSONEncoder().encode(machine.value)
        let other = try StateMachine(restoring: try JSONDecoder().decode(MachineValue<Rocket>.self, from: stored))
        #expect(other.state == .tick)
        #expect(other.context.count == 3)
        #expect(other.value.nextTimer == .milliseconds(1_003_000))
        #expect(other.advance(by: .seconds(10)).map(\.event) == machine.advance(by: .seconds(10)).map(\.event))
        #expect(other.state == .launched)
    }

    /// The time since the last move is not lost.
    @Test func aTimerGoesOnWhereItWas() throws {
        let machine = try StateMachine(Rocket.self)
        try machine.send(.fire)
        machine.advance(by: .milliseconds(700))
        let stored = try JSONEncoder().encode(machine.value)
        let other = try StateMachine(restoring: try JSONDecoder().decode(MachineValue<Rocket>.self, from: stored))
        #expect(other.advance(by: .milliseconds(299)).isEmpty)
        #expect(other.advance(by: .milliseconds(1)).count == 1)
    }

    @Test func whatTheDefinitionLacksIsTold() throws {
        let value = try MachineValue(Screens.self)
        let text = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
        func message(_ old: String, _ new: String) -> String? {
            do {
                _ = try JSONDecoder().decode(
                    MachineValue<Screens>.self, from: Data(text.replacing(old, with: new).utf8))
                return nil
            } catch {
                return "\(error)"
            }
        }
        #expect(message(#""initial""#, #""logon""#) == "Cannot restore 'screens': it has no state 'logon'")
        #expect(
            message(#""configuration":"initial""#, #""configuration":"initial,home""#)
                == "Cannot restore 'screens': it cannot be in 'initial,home'")
        #expect(
            message(#""machine":"screens""#, #""machine":"order""#)
                == "Cannot restore 'screens': what was stored is of 'order'")
        #expect(message(#""armed":"[]""#, #""armed":"[{}]""#)?.hasPrefix("Cannot restore 'screens': ") == true)
        #expect(message("", "") == nil)
        #expect(
            message(#""seq":1"#, #""seq":9223372036854775807"#)
                == "Cannot restore 'screens': its seq is 9223372036854775807")
        #expect(message(#""time":0"#, #""time":-1"#) == "Cannot restore 'screens': its time is -1")
    }

    /// A step back to the state before the last move is possible after a restart.
    @Test func thePreviousStateIsKept() throws {
        let machine = try StateMachine(Rocket.self)
        try machine.send(.fire)
        try machine.send(.abort)
        #expect(machine.previous == .tick)
        #expect(try StateMachine(restoring: copy(machine.value, as: Rocket.self)).previous == .tick)
    }

    @Test func aChangedDefinitionIsNoticed() throws {
        let machine = try StateMachine(Brew<Old>.self)
        try machine.send(.heat)
        let same = try copy(machine.value, as: Brew<Old>.self)
        #expect(!same.hasChangedDefinition)
        _ = try StateMachine(restoring: same)
        let value = try copy(machine.value, as: Brew<Longer>.self)
        #expect(value.hasChangedDefinition)
        let mismatch = #expect(throws: MachineMismatch.self) { try StateMachine(restoring: value) }
        #expect(
            mismatch?.description
                == "Cannot restore 'brew': its definition has changed since it was stored; "
                + "allow it with 'allowing: .changedDefinition'")
    }

    /// The new delay counts from the time at which the state was entered.
    @Test func timersFollowTheNewDelay() throws {
        let machine = try StateMachine(Brew<Old>.self)
        try machine.send(.heat)
        machine.advance(by: .seconds(4))
        let longer = try StateMachine(
            restoring: copy(machine.value, as: Brew<Longer>.self), allowing: .changedDefinition)
        #expect(longer.value.nextTimer == .seconds(20))
        #expect(!longer.value.hasChangedDefinition)
        #expect(longer.advance(by: .seconds(15)).isEmpty)
        #expect(longer.advance(by: .seconds(1)).map(\.to) == [[.done]])
        let shorter = try StateMachine(
            restoring: copy(machine.value, as: Brew<Shorter>.self), allowing: .changedDefinition)
        #expect(shorter.state == .done)
        let none = try StateMachine(
            restoring: copy(machine.value, as: Brew<Without>.self), allowing: .changedDefinition)
        #expect(none.value.nextTimer == nil)
    }

    /// Nobody can know which of two delays replaces one.
    @Test func aTimerThatCannotFollowIsTold() throws {
        let machine = try StateMachine(Brew<Old>.self)
        try machine.send(.heat)
        let mismatch = #expect(throws: MachineMismatch.self) { try copy(machine.value, as: Brew<Twice>.self) }
        #expect(
            mismatch?.description
                == "Cannot restore 'brew': its timer 'after.10s.hot' follows no delay of the definition")
    }

    private func copy<M: MachineDefinition, Other: MachineDefinition>(
        _ value: MachineValue<M>, as other: Other.Type
    ) throws -> MachineValue<Other> {
        try JSONDecoder().decode(MachineValue<Other>.self, from: JSONEncoder().encode(value))
    }
}

private protocol Delays { static var seconds: [Int] { get } }
private enum Old: Delays { static let seconds = [10] }
private enum Longer: Delays { static let seconds = [20] }
private enum Shorter: Delays { static let seconds = [2] }
private enum Twice: Delays { static let seconds = [20, 30] }
private enum Without: Delays { static let seconds: [Int] = [] }

/// Versions of a machine that differ in a delay.
private enum Brew<Version: Delays>: MachineDefinition {
    enum State: String, MachineState { case cold, hot, done }
    enum Event: String, MachineEvent { case heat }

    static var definition: Definition<Self> {
        Definition("brew", initial: .cold) {
            Path(from: .cold, to: .hot, by: .heat)
            In(.hot) { for seconds in Version.seconds { After(.seconds(seconds), to: .done) } }
        }
    }
}
