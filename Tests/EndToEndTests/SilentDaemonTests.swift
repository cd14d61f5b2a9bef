import DaemonTesting
import Foundation
import Testing

/// Tests a daemon that does not answer: a waiting caller learns the key, and the event is applied once.
@Suite struct SilentDaemonTests {
    @Test(.timeLimit(.minutes(20))) func whoWaitsIsToldTheKey() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("screens")
        daemon.program.signal(SIGSTOP)
        let asking = try RunningProgram(
            Programs.path("wfctl"), ["send", "screens", "launch"],
            environment: Programs.environment(["WFCTL_ADDRESS": "\(daemon.address)"]))
        let line = try #require(try await asking.errorLines(containing: "no answer yet", count: 1).first)
        let key = try #require(line.firstMatch(of: /'--key ([0-9a-f-]{36})'/)).1
        asking.signal(SIGINT)
        #expect(try await asking.result().end == .killed(by: SIGINT))
        daemon.program.signal(SIGCONT)
        for _ in 0..<2 {
            #expect(
                try await daemon.said("send", "screens", "launch", "--key", String(key))
                    == "screens: initial -> greeting   (seq 1 -> 2)\n")
        }
    }
}
