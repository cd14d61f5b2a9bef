import Seeds
import StateMachines
import Testing

struct StateMachineTests {
    @Test func aRouteIsTaken() throws {
        let machine = try StateMachine(Screens.self)
        #expect("\(try machine.send(.launch))" == "initial -> greeting   (seq 1 -> 2)")
        #expect(!machine.attempt(.loggedIn))
        #expect(machine.state == .greeting)
        #expect(machine.previous == .initial)
    }
}
