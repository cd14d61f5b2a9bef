import DaemonTesting
import Foundation
import Testing
import ThreadTesting
import WorkflowJSON

/// Every Nth flush to the disk fails, N = 1, 2, 3 …: the answers about each row agree with the file.
@Suite(.tags(.heavy)) struct EveryFlushTests {
    private static let clients = 3
    private static let events = 4
    private static let definition = """
        id: counter
        initial: counting
        states:
          counting: {on: {tick: {}}}
        """

    /// The answer to a client about the start of its instance (seq 1) or about an event.
    private struct Told: Sendable, CustomStringConvertible {
        enum Outcome: Equatable, Sendable {
            case accepted
            case unchanged
            /// The daemon reported that the outcome is unknown, or the connection ended.
            case unknown
        }

        let instance: String
        /// The marker in the data of the event; 0 for the start.
        let marker: Int
        let outcome: Outcome

        var description: String { "\(marker == 0 ? "the start" : "event \(marker)") of \(instance) was \(outcome)" }
    }

    @Test(.timeLimit(.minutes(20))) func whateverFlushFailsNobodyIsToldWhatIsNotSo() async throws {
        var counts: [String: Int] = [:]
        var every = 0
        var hasFailed = true
        while hasFailed {
            every += 1
            try #require(every < 500, "the scenario never gets through")
            let folder = try TemporaryFolder()
            let faults = try SyncFaults(in: folder)
            try faults.failEvery(every)
            let (told, end) = try await Self.run(in: folder, faults)
            hasFailed = try faults.failures() > 0
            counts[end, default: 0] += 1
            try await Self.expect(told, in: folder, "every flush number \(every) fails, \(end)")
            if !hasFailed { #expect(told.allSatisfy { $0.outcome == .accepted }) }
        }
        let ends = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        print("flushes: every Nth failed for N = 1 … \(every), and none any more at the last; \(ends)")
        #expect(every > 10)
    }

    /// Uses a daemon until it ends: properly, by its own decision, or killed after the first failure. Returns the
    /// answers.
    private static func run(in folder: TemporaryFolder, _ faults: SyncFaults) async throws -> ([Told], end: String) {
        let arguments = Daemon.arguments(database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock")])
        let daemon: Daemon
        do {
            daemon = try await Daemon(
                arguments: arguments, database: folder.path("wfd.db"), environment: faults.environment)
        } catch {
            // The daemon ended before it served, and nothing else is wrong.
            guard try faults.failures() > 0, "\(error)".contains("exited(74)") else { throw error }
            return ([], "no start")
        }
        let applied = try? await daemon.answer(to: .post("/v1/machines", definition, as: "application/yaml"))
        guard applied?.status == 201 else {
            daemon.program.signal(SIGKILL)
            _ = try await daemon.program.result()
            return ([], "no machine")
        }
        let told = try await withThrowingTaskGroup(of: [Told].self) { group in
            for client in 1...clients {
                group.addTask { try await onOwnThread { try Self.use(daemon, instance: "counter-\(client)") } }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        if told.contains(where: { $0.outcome != .accepted }) {
            daemon.program.signal(SIGKILL)
            _ = try await daemon.program.result()
            return (told, "serving")
        }
        let end = try await daemon.stop().end
        return (told, end == .exited(0) ? "stopped in order" : "stopping")
    }

    /// Starts an instance and sends all events, whatever the answers are; the end of the connection is no answer.
    private static func use(_ daemon: Daemon, instance: String) throws -> [Told] {
        var told: [Told] = []
        for marker in 0...events {
            let request: RawRequest =
                marker == 0
                ? .post("/v1/instances", #"{"machine": "counter", "instance": "\#(instance)"}"#)
                : .post("/v1/instances/\(instance)/events", #"{"event": "tick", "data": {"marker": \#(marker)}}"#)
            var outcome = Told.Outcome.unknown
            if let connection = try? RawConnection(to: daemon.address), let answer = try? connection.answer(to: request)
            {
                let type = try answer.object["type"]
                switch (answer.status, type) {
                case (200, _), (201, _): outcome = .accepted
                case (_, "outcome-unknown"): outcome = .unknown
                case (_, "storage-unavailable"), (_, "draining"), (_, "instance-not-found"): outcome = .unchanged
                default: throw TestingError(answer.text)
                }
            }
            told.append(Told(instance: instance, marker: marker, outcome: outcome))
        }
        return told
    }

    /// Expects that the file, after a start without faults, has every acknowledged row and no refused one.
    private static func expect(_ told: [Told], in folder: TemporaryFolder, _ comment: Comment) async throws {
        let daemon = try await Daemon(in: folder)
        let file = DatabaseFile(daemon.database)
        for one in told {
            let rows = try file.number(
                """
                SELECT count(*) FROM journal JOIN instance ON instance.id = instance_id
                WHERE name = '\(one.instance)' AND coalesce(data ->> 'marker', 0) = \(one.marker)
                """)
            switch one.outcome {
            case .accepted: #expect(rows == 1, "\(one); \(comment)")
            case .unchanged: #expect(rows == 0, "\(one); \(comment)")
            case .unknown: #expect(rows <= 1, "\(one); \(comment)")
            }
        }
        #expect(
            try file.number("SELECT count(*) FROM journal")
                == file.number("SELECT coalesce(sum(seq), 0) FROM instance"),
            comment)
        #expect(try file.integrityCheck() == "ok", comment)
        #expect(try await daemon.stop().end == .exited(0), comment)
    }
}
