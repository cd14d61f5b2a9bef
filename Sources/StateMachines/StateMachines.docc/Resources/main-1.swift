import Seeds
import StateMachines

let rocket = try StateMachine(Rocket.self)
let moves = rocket.transitions
// Timers fire by the clock as long as this task runs, on the main actor as all of this file.
let clock = Task { try await rocket.run() }
try rocket.send(.fire)
for await move in moves {
    print(move.context.count, move)
    if move.state == .launched { break }
}
clock.cancel()
