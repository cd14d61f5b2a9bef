import Ports
import StateMachines
import Testing

/// The assertions of the turnstile's tests in Tinder's StateMachine.
struct TurnstileTests {
    private let machine: StateMachine<Turnstile>

    init() throws { machine = try StateMachine(Turnstile.self) }

    /// Sends an event; returns the names of the outputs.
    private func outputs(_ event: Turnstile.Event) throws -> [String] {
        try machine.send(event).outputs.map(\.name)
    }

    @Test func itBeginsLockedWithoutCredit() {
        #expect(machine.state == .locked && machine.context.credit == 0)
    }

    @Test func aCoinBelowTheFareIsCredit() throws {
        #expect(try outputs(.insertCoin(10)) == [])
        #expect(machine.state == .locked && machine.context.credit == 10)
    }

    @Test(arguments: [15, 20]) func theFareUnlocksAndOpensTheDoors(coin: Int) throws {
        try machine.send(.insertCoin(35))
        #expect(try outputs(.insertCoin(coin)) == ["openDoors"])
        #expect(machine.state == .unlocked)
    }

    @Test func aPersonAtALockedTurnstileSoundsTheAlarm() throws {
        try machine.send(.insertCoin(35))
        #expect(try outputs(.admitPerson) == ["soundAlarm"])
        #expect(machine.state == .locked && machine.context.credit == 35)
    }

    @Test func aPersonLocksItAgainAndClosesTheDoors() throws {
        try machine.send(.insertCoin(50))
        #expect(try outputs(.admitPerson) == ["closeDoors"])
        #expect(machine.state == .locked && machine.context.credit == 0)
    }

    @Test func aFailureOrdersARepairWhichLeadsBack() throws {
        try machine.send(.insertCoin(15))
        #expect(try outputs(.machineDidFail) == ["orderRepair"])
        #expect(machine.state == .broken)
        #expect(try outputs(.machineRepairDidComplete) == [])
        #expect(machine.state == .locked && machine.context.credit == 15)
        // An unlocked one is unlocked again.
        try machine.send(.insertCoin(35))
        try machine.send(.machineDidFail)
        try machine.send(.machineRepairDidComplete)
        #expect(machine.state == .unlocked)
    }
}
