import DurableMachines
import Seeds
import StateMachines
import Testing
import ThreadTesting

/// The example `rocket`, killed in its countdown.
@Suite(.tags(.heavy)) struct KilledRocketTests {
    @Test(.timeLimit(.minutes(20))) func itLaunchesOnce() async throws {
        let killed = try await KilledExample("rocket", after: "countdown.tick -> countdown.tick", count: 2)
        #expect(try await killed.startedAgain().hasSuffix("launched\n"))

        let host = try await FileHost.open(killed.file)
        let apollo = try await host.instance(Rocket.self, "apollo")
        #expect(try await apollo.read().state == .launched)
        var moves: [String] = []
        for try await move in apollo.transitions() {
            moves.append("\(move.event) \(move.context.count)")
            if move.state == .launched { break }
        }
        #expect(
            moves == [
                "init 0", "fire 5", "after.1s.countdown.tick 4", "after.1s.countdown.tick 3",
                "after.1s.countdown.tick 2", "after.1s.countdown.tick 1", "after.1s.countdown.tick 0",
            ])
        try await host.close()
    }
}
