import DaemonTesting
import HostSuite
import StateMachines
import Testing
import WorkflowAPI
import WorkflowClient

/// Tests the Swift library's host for a daemon.
struct DaemonHostTests {
    @Test func itDoesWhatEveryHostDoes() async throws {
        try await withHost { host, advance in try await HostSuite(host, advance: advance).run() }
    }

    @Test(.timeLimit(.minutes(20))) func itHandsOutTasksAsEveryHostDoes() async throws {
        try await withHost { host, advance in
            try await TaskSuite(host, countsReturned: true, advance: advance).run()
        }
    }

    /// A worker with a result waits while the daemon is away.
    @Test(.timeLimit(.minutes(20))) func aWorkerOutlivesTheDaemon() async throws {
        let folder = try TemporaryFolder()
        let address = "unix:" + folder.path("wfd.sock")
        let arguments = Daemon.arguments(database: folder.path("wfd.db"), listen: [address])
        let first = try await Daemon(arguments: arguments, database: folder.path("wfd.db"))
        let host = try DaemonHost(address)
        let parcel = try await host.start(Delivery.self, "parcel-1")
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Never.self)
        let working = Task {
            try await host.work(Weighing.self) { task in
                begin.yield()
                for await _ in ends {}
                return Weighing.Output(weight: task.attempt)
            }
        }
        for await _ in begun { break }
        _ = try await first.stop()
        end.finish()
        let second = try await Daemon(arguments: arguments, database: folder.path("wfd.db"))
        for try await _ in parcel.transitions() {}
        #expect(try await parcel.read().context.weight == 1)
        working.cancel()
        try await working.value
        await host.shutdown()
        _ = try await second.stop()
    }

    private func withHost(
        _ body: (DaemonHost, _ advance: @escaping @Sendable (Duration) async throws -> Void) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let socket = "unix:" + folder.path("wfd.sock")
        let daemon = try await Daemon(
            arguments: ["--clock", "virtual"]
                + Daemon.arguments(database: folder.path("wfd.db"), listen: [socket]),
            database: folder.path("wfd.db"))
        let host = try DaemonHost(socket)
        do {
            try await body(host) { duration in
                let now = try await host.client.clock().now
                let target = WireTime(milliseconds: now.milliseconds + Int64(duration / .milliseconds(1)))
                while try await host.client.moveClock(to: target).done == false {}
            }
        } catch {
            await host.shutdown()
            throw error
        }
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
