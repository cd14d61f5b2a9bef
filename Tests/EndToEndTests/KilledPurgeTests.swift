import DaemonTesting
import Foundation
import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowJSON

/// Instances are deleted while the daemon is killed again and again: what was told to be gone is gone, nothing is half
/// there, and the file is whole after each kill.
///
/// `PURGE_KILLS` says how often (4), `CRASH_SEED` repeats a run.
@Suite struct KilledPurgeTests {
    private static let definition = """
        id: door
        initial: open
        states:
          open: {on: {push: {}, shut: shut}}
          shut: {type: final}
        """
    private static let instances = 6
    private static let events = 50

    @Test(.timeLimit(.minutes(20))) func whatIsDeletedIsGoneAfterEveryKill() async throws {
        let environment = ProcessInfo.processInfo.environment
        let kills = environment["PURGE_KILLS"].flatMap { Int($0) } ?? 4
        let seed = environment["CRASH_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        let folder = try TemporaryFolder()
        var daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", try folder.write(Self.definition, to: "door.yaml"))
        var gone: [String] = []
        for round in 0..<kills {
            let names = (0..<Self.instances).map { "d-\(round)-\($0)" }
            try await daemon.withClient { client in try await Self.fill(names, client) }
            let pause = Duration.microseconds(Int.random(in: 0...60_000, using: &random))
            let victim = daemon
            async let killed: Void = Self.kill(victim, after: pause)
            gone += try await daemon.withClient { client in await Self.delete(names, client) }
            try await killed
            let found = try await Daemon.launch(["verify", folder.path("wfd.db")]).result()
            #expect(found.end == .exited(0), "round \(round), seed \(seed): \(found)")
            daemon = try await Daemon(in: folder)
            for name in gone.suffix(Self.instances) {
                #expect(try await daemon.wfctl("show", name).end == .exited(4), "\(name), seed \(seed)")
            }
        }
        let end = ContinuousClock.now + .seconds(60)
        while try await daemon.json("status")["deleting"] != .null, ContinuousClock.now < end { await Task.yield() }
        #expect(try await daemon.stop().end == .exited(0))
        let file = DatabaseFile(folder.path("wfd.db"))
        let left = "SELECT count(*) FROM journal j JOIN instance i ON i.id = j.instance_id WHERE i.status = 'purging'"
        let waiting = "SELECT count(*) FROM purge WHERE waits = 1"
        #expect(try file.number(left) == (try file.number(waiting)))
        #expect(try file.number("SELECT count(*) FROM audit") >= Int64(gone.count))
    }

    private static func fill(_ names: [String], _ client: WorkflowClient) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, name) in names.enumerated() {
                group.addTask {
                    // Some starts have a key, whose row waits.
                    let key = number % 2 == 0 ? "key-\(name)" : nil
                    _ = try await client.start(StartRequest(machine: "door", instance: name), key: key)
                    for _ in 0..<events { _ = try await client.send(SendRequest(event: "push"), to: name) }
                    _ = try await client.send(SendRequest(event: "shut"), to: name)
                }
            }
            try await group.waitForAll()
        }
    }

    /// Gives those that the daemon said were deleted.
    private static func delete(_ names: [String], _ client: WorkflowClient) async -> [String] {
        var gone: [String] = []
        for name in names {
            do {
                _ = try await client.delete(name, DeleteParameters(reason: "r"), key: "delete-\(name)")
                gone.append(name)
            } catch {
                // It was killed meanwhile.
                break
            }
        }
        return gone
    }

    private static func kill(_ daemon: Daemon, after pause: Duration) async throws {
        let end = ContinuousClock.now + pause
        while ContinuousClock.now < end { await Task.yield() }
        try await daemon.kill()
    }
}
