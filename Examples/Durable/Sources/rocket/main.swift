import DurableMachines
import Foundation
import Seeds
import StateMachines

// rocket FILE: counts down and launches. Kill it in the countdown and start it again: it goes on, and launches once.
guard let file = CommandLine.arguments.dropFirst().first else { fatalError("write: rocket FILE") }
let host = try await FileHost.open(file)
// With a key: started again, it is the same rocket.
let apollo = try await host.start(Rocket.self, "apollo", context: nil, key: "apollo")
let before = try await apollo.read()
if before.state == .standby { try await apollo.send(.fire, SendOptions(key: "fire")) }
if before.state != .launched {
    for try await move in apollo.transitions(after: before.seq) {
        print(move)
        // Also where standard output is a pipe.
        fflush(nil)
        if move.state == .launched { break }
    }
}
print("launched")
try await host.close()
