import DaemonTesting
import DurableMachines
import Glibc
import Seeds
import StateMachines
import Testing
import ThreadTesting

/// The example `rocket`, killed in its countdown.
@Suite(.tags(.heavy)) struct KilledRocketTests {
    @Test func itLaunchesOnce() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("app.db")
        let first = try RunningProgram(Programs.path("rocket"), [file], environment: Programs.environment([:]))
        _ = try await first.outputLines(containing: "countdown.tick -> countdown.tick", count: 2)
        first.signal(SIGKILL)
        #expect(try await first.result().end == .killed(by: SIGKILL))

        let second = try RunningProgram(Programs.path("rocket"), [file], environment: Programs.environment([:]))
        let result = try await second.result()
        #expect(result.end == .exited(0))
        #expect(result.output.hasSuffix("launched\n"))

        let host = try await FileHost.open(file)
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
