import Seeds
import StateMachines

let machine = try StateMachine(Screens.self)
print(try machine.send(.launch))
do {
    try machine.send(.loggedIn)
} catch {
    print(error)
}
print(machine.attempt(.start), machine.attempt(.start), machine.state)
