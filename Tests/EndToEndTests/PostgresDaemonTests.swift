import DaemonTesting
import Foundation
import PostgresTesting
import Testing
import ThreadTesting
import WorkflowJSON

/// Tests wfd on a database of PostgreSQL: making a store, serving it, kills, and what is refused.
@Suite(
    .timeLimit(.minutes(20)), .ownThreads,
    .enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed: apt-get install postgresql"))
struct PostgresDaemonTests {
    private let folder: TemporaryFolder
    private let url: String

    init() async throws {
        folder = try TemporaryFolder()
        url = try await onOwnThread { try PostgresServer.emptyDatabase() }
    }

    private func daemon() async throws -> Daemon {
        let listen = ["unix:" + folder.path("wfd.sock"), "127.0.0.1:0"]
        return try await Daemon(
            arguments: Daemon.arguments(database: url, listen: listen), database: url, addresses: 2)
    }

    private static func seq(of name: String, _ daemon: Daemon) async throws -> Int64 {
        guard case .int(let seq) = try await daemon.json("show", name)["seq"] else { return 0 }
        return seq
    }

    private func makeStore() async throws {
        let made = try await Daemon.launch(["init", url]).result()
        #expect(made.end == .exited(0) && made.output.hasSuffix(": is a store now, of 1 partition, schema 1\n"))
    }

    @Test func anOrderSurvivesKillsOnPostgreSQL() async throws {
        try await makeStore()
        let first = try await daemon()
        _ = try await first.said("apply", Programs.example("order"))
        _ = try await first.said("start", "order", "order-7")
        let before = try await first.said("history", "order-7", "--output", "json")
        let token = try await first.token("ci", "view")
        try await first.kill()

        let second = try await daemon()
        #expect(try await second.said("history", "order-7", "--output", "json") == before)
        // Tokens are in the database too.
        let request = RawRequest("GET", "/v1/machines", headers: [token])
        let web = second.web
        #expect(try await onOwnThread { try RawConnection(to: web).answer(to: request).status } == 200)
        let refused = try await second.wfctl("send", "order-7", "no-such-event")
        #expect(refused.end != .exited(0))
        #expect(try await second.stop().end == .exited(0))
    }

    /// Instances of four partitions, and a run over all of them, go on after a kill.
    @Test func fourPartitionsAreServedByOneDaemon() async throws {
        let made = try await Daemon.launch(["init", url, "--partitions", "4"]).result()
        #expect(made.end == .exited(0) && made.output.contains("of 4 partitions"))
        let first = try await daemon()
        let machine = """
            id: lamp
            initial: off
            states: {off: {on: {flip: on}}, on: {on: {flip: off}}}
            """
        _ = try await first.said("apply", folder.write(machine, to: "lamp.yaml"))
        let names = (0..<16).map { "l-\($0)" }
        for name in names { _ = try await first.said("start", "lamp", name) }
        let run = try await first.wfctl("send", "flip", "--machine", "lamp", "--run", "r", "--reason", "r")
        #expect(run.end == .exited(0) && run.output.contains("16 took it"), "\(run)")
        try await first.kill()

        let second = try await daemon()
        try await eventually("the run is done") { try await second.json("bulk", "show", "r")["state"] == "done" }
        for name in names {
            #expect(try await second.said("show", name).contains("on"))
            #expect(try await second.said("history", name).contains("flip"))
        }
        #expect(try await second.stop().end == .exited(0))
    }

    /// Events of several partitions that go together are all there after a kill, or none is.
    @Test func whatGoesTogetherStaysTogetherThroughKills() async throws {
        #expect(try await Daemon.launch(["init", url, "--partitions", "4"]).result().end == .exited(0))
        let first = try await daemon()
        _ = try await first.said(
            "apply", folder.write("{id: count, initial: a, states: {a: {on: {up: a}}}}", to: "count.yaml"))
        let names = (0..<8).map { "c-\($0)" }
        for name in names { _ = try await first.said("start", "count", name) }
        let lines = names.map { #"{"instance": "\#($0)", "event": "up"}"# }.joined(separator: "\n")
        let batch = try folder.write(lines + "\n", to: "batch.jsonl")
        var running = first
        var answered: Int64 = 0
        for round in 0..<3 {
            let daemon = running
            async let sent = withTaskGroup(of: Int64.self) { group in
                for client in 0..<4 {
                    group.addTask {
                        var count: Int64 = 0
                        func send() async -> Bool {
                            let run = ["--run", "\(round)-\(client)-\(count)"]
                            let sent = try? await daemon.wfctl(["send", "--batch", batch, "--atomic"] + run)
                            return sent?.end == .exited(0)
                        }
                        while await send() { count += 1 }
                        return count
                    }
                }
                return await group.reduce(0, +)
            }
            let before = answered
            try await eventually("some are answered") {
                try await Self.seq(of: "c-0", daemon) > before + 4
            }
            try await running.kill()
            answered += await sent
            running = try await self.daemon()
            var seqs: Set<Int64> = []
            for name in names { seqs.insert(try await Self.seq(of: name, running)) }
            #expect(seqs.count == 1 && (seqs.first ?? 0) > answered, "\(seqs), \(answered)")
            answered = (seqs.first ?? 1) - 1
        }
        let bad = try folder.write(lines + "\n" + #"{"instance": "c-3", "event": "down"}"#, to: "bad.jsonl")
        let refused = try await running.wfctl("send", "--batch", bad, "--atomic", "--run", "bad")
        #expect(refused.end == .exited(65))
        #expect(refused.errors.contains("Line 9: Machine 'count' has no event 'down'"), "\(refused)")
        #expect(try await Self.seq(of: "c-0", running) == answered + 1)
        #expect(try await running.stop().end == .exited(0))
    }

    @Test func timersFireAfterAnOutage() async throws {
        try await makeStore()
        let first = try await daemon()
        let machine = """
            {id: lamp, initial: on, states: {on: {after: {200ms: off}}, off: {on: {switch: on}}}}
            """
        _ = try await first.said("apply", folder.write(machine, to: "lamp.yaml"))
        _ = try await first.said("start", "lamp", "l")
        try await first.kill()
        let second = try await daemon()
        try await eventually("the lamp is off") {
            try await second.said("show", "l").contains("off")
        }
        try await second.kill()
    }

    @Test func aSecondDaemonIsRefused() async throws {
        try await makeStore()
        let first = try await daemon()
        let second = try await Daemon.launch(
            ["--database", url, "--listen", "unix:" + folder.path("other.sock")]
        ).result()
        #expect(second.end == .exited(75))
        #expect(second.errors.contains("another daemon serves it ("))
        #expect(try await first.wfctl("machines").end == .exited(0))
        try await first.kill()
        let third = try await daemon()
        #expect(try await third.stop().end == .exited(0))
    }

    @Test func aStoreIsMadeOnce() async throws {
        try await makeStore()
        let again = try await Daemon.launch(["init", url]).result()
        #expect(again.end == .exited(65) && again.errors.contains("the database has tables; name an empty one"))
        let server = try #require(PostgresServer.shared)
        let missing = try await Daemon.launch(["init", server.url("no_such_database")]).result()
        #expect(missing.end == .exited(73) && missing.errors.contains("no_such_database"))
        let many = try await Daemon.launch(["init", url, "--partitions", "65"]).result()
        #expect(many.end == .exited(64) && many.errors.contains("1 to 64 partitions"))
    }

    @Test func aDatabaseWithoutAStoreIsRefused() async throws {
        let result = try await Daemon.launch(["--database", url, "--listen", "unix:" + folder.path("w.sock")]).result()
        #expect(result.end == .exited(65) && result.errors.contains("wfd init"), "\(result)")
    }

    @Test(arguments: [
        (["restore", "b.db", "--erasures", "a.db", "--database"], "'--erasures' need a database in a file"),
        (["compact"], "'wfd compact' needs a database in a file"),
        (["--clock", "virtual", "--database"], "the virtual clock needs a database in a file"),
    ])
    func whatAFileAloneCanIsRefusedByName(arguments: [String], message: String) async throws {
        let secret = "postgres://wfd:hunter2@127.0.0.1:1/flows?password=hunter3"
        let result = try await Daemon.launch(
            arguments + [secret], environment: ["STATE_DIRECTORY": folder.path, "RUNTIME_DIRECTORY": folder.path]
        ).result()
        #expect(result.end != .exited(0) && result.errors.contains(message), "\(result)")
        #expect(!result.errors.contains("hunter"))
        #expect(result.errors.contains("warning: other users of this machine see the password in the arguments"))
    }

    @Test func passwordsAreNotShown() async throws {
        let secret = "postgres://wfd:hunter2@127.0.0.1:1/flows?password=hunter3&sslmode=require"
        let shown = try await Daemon.launch(["config", "--database", secret]).result()
        #expect(shown.output.contains("postgres://wfd:…@127.0.0.1:1/flows?password=…&sslmode=require"))
        // The server may come up later, so wfd waits for it.
        let waiting = try Daemon.launch(["--database", secret, "--listen", "unix:" + folder.path("w.sock")])
        let told = try await waiting.errorLines(containing: "waiting for the server of the database", count: 1)
        waiting.signal(SIGKILL)
        let served = try await waiting.result()
        #expect(told.count == 1)
        #expect(!(shown.output + served.errors).contains("hunter"))
    }
}
