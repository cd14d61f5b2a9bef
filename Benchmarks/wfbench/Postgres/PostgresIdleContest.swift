import EngineFloor
import Foundation

/// The statements of a daemon that owns everything and has nothing to do. The server logs every statement.
struct PostgresIdleContest: Contest {
    private let databases: PostgresDatabases
    private let daemon: ServerProcess
    private let seconds: Double

    init(_ setting: Setting) async throws {
        // The daemon renews its row once a second.
        seconds = max(5, setting.seconds)
        databases = try await PostgresDatabases(.flat(100), partitions: 16, setting)
        let ours = PostgresDatabases.ours
        try databases.cluster.run("ALTER DATABASE \(ours) SET log_statement = 'all'", in: ours)
        daemon = try await .daemon(at: databases.cluster.url(ours), in: setting.folder)
        // Its first statements are those of the start.
        try await Task.sleep(for: .seconds(2))
    }

    func ours() async throws -> Sample {
        let before = try statements().count
        try await Task.sleep(for: .seconds(seconds))
        let more = try statements().dropFirst(before)
        let kinds = Dictionary(grouping: more) { $0 }.sorted { $0.value.count > $1.value.count }
        return Sample(
            value: Double(more.count) / seconds,
            note: kinds.prefix(6).map { "\($0.value.count) \($0.key)" }.joined(separator: ", "))
    }

    /// Returns the name of each statement in the log so far.
    private func statements() throws -> [String] {
        try databases.cluster.log().split(separator: "\n").compactMap { line in
            if line.contains("LOG:  statement: ") { return "statement" }
            guard let name = line.components(separatedBy: "LOG:  execute ").dropFirst().first else { return nil }
            return String(name.prefix { $0 != ":" })
        }
    }

    func floor() async throws -> Sample? { nil }

    func end() async throws {
        try daemon.stop()
    }
}
