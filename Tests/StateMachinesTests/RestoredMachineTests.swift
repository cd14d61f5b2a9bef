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
        let other = StateMachine(restoring: try JSONDecoder().decode(MachineValue<Rocket>.self, from: stored))
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
        let other = StateMachine(restoring: try JSONDecoder().decode(MachineValue<Rocket>.self, from: stored))
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
    }
}
