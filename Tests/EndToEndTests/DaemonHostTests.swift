import DaemonTesting
import HostSuite
import StateMachines
import Testing
import WorkflowAPI
import WorkflowClient

/// The Swift library's host that talks to a daemon.
struct DaemonHostTests {
    @Test func itDoesWhatEveryHostDoes() async throws {
        let folder = try TemporaryFolder()
        let socket = "unix:" + folder.path("wfd.sock")
        let daemon = try await Daemon(
            arguments: ["--clock", "virtual"]
                + Daemon.arguments(database: folder.path("wfd.db"), listen: [socket]),
            database: folder.path("wfd.db"))
        let host = try DaemonHost(socket)
        try await HostSuite(host) { duration in
            let now = try await host.client.clock().now
            let target = WireTime(milliseconds: now.milliseconds + Int64(duration / .milliseconds(1)))
            while try await host.client.moveClock(to: target).done == false {}
        }.run()
        await host.shutdown()
        _ = try await daemon.stop()
    }

    @Test func nobodyThereIsAnErrorOfTheHost() async throws {
        let folder = try TemporaryFolder()
        let host = try DaemonHost("unix:" + folder.path("wfd.sock"))
        let error = await #expect(throws: HostError.self) { _ = try await host.start(Job.self, "job-1") }
        #expect(error?.code == "unreachable")
        await host.shutdown()
        #expect(throws: HostError.self) { try DaemonHost("nowhere") }
    }
}
