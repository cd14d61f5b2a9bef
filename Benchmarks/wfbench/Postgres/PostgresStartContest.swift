import EngineFloor
import Foundation

/// The time from the start of a daemon until it has taken the data, after a clean stop, on a database with many
/// instances and timers.
struct PostgresStartContest: Contest {
    private static let instances = 1_000_000
    private static let timers = 100_000
    private let databases: PostgresDatabases
    private let folder: URL

    init(_ setting: Setting) async throws {
        folder = setting.folder
        databases = try await PostgresDatabases(.after(1_000), partitions: 16, setting, more: Self.fill)
    }

    /// Multiplies the rows that an engine wrote: an engine would take minutes. A start verifies no digest, so copies
    /// have those of their originals.
    private static let fill = """
        BEGIN;
        INSERT INTO journal
            (position, instance_id, machine_id, seq, at_ms, kind, event, from_state, to_state, digest)
            SELECT position + n * 100000, instance_id + n * 100000, machine_id, seq, at_ms, kind, event, from_state,
            to_state, digest FROM journal, generate_series(1, \(instances / 1_000 - 1)) n;
        INSERT INTO timer
            SELECT partition, due_ms + n, position + n * 100000, ordinal, instance_id + n * 100000, event
            FROM timer, generate_series(1, \(timers / 1_000 - 1)) n;
        INSERT INTO instance
            SELECT id + n * 100000, decode(md5(name || n), 'hex'), namespace_id, name || '-' || n, machine_id, status,
            seq, head + n * 100000, configuration, context, memory, armed, output, failure, entered_ms, parent, salt,
            salt_from, digest, created_ms, updated_ms
            FROM instance, generate_series(1, \(instances / 1_000 - 1)) n;
        UPDATE batch SET next_position = next_position + 1000000000, next_instance = next_instance + 1000000000;
        COMMIT
        """

    func ours() async throws -> Sample {
        let begin = nanoseconds()
        let daemon = try await ServerProcess.daemon(
            at: databases.cluster.url(PostgresDatabases.ours), in: folder, name: "start")
        let connection = try LoadConnection(socket: daemon.socket)
        // It stands by until it has taken the data.
        repeat { try connection.exchange(HTTPRequestText.get("/readyz")) } while connection.body.contains("standby")
        let passed = Double(nanoseconds() - begin) / 1e6
        connection.close()
        let memory = try daemon.anonymousMiB()
        try daemon.stop()
        return Sample(value: passed, note: "RssAnon \(memory) MiB")
    }

    func floor() async throws -> Sample? { nil }

    func end() async throws {}
}
