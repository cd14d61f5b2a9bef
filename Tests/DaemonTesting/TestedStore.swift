import Foundation
import PostgresTesting
import Synchronization
import ThreadTesting

/// The kind of database that the daemons of a run use: a file, or with `WFD_TEST_STORE=postgres` a database of
/// PostgreSQL for each path that a test names, with as many partitions as `WFD_TEST_PARTITIONS` says.
enum TestedStore {
    private static let urls = Mutex<[String: String]>([:])

    /// Returns the database for a path: the path itself, or the URL of a store.
    static func database(at path: String) async throws -> String {
        let environment = ProcessInfo.processInfo.environment
        guard environment["WFD_TEST_STORE"] == "postgres", PostgresServer.isWanted else { return path }
        if let known = urls.withLock({ $0[path] }) { return known }
        let url = try await onOwnThread { try PostgresServer.emptyDatabase() }
        let partitions = environment["WFD_TEST_PARTITIONS"] ?? "1"
        let made = try await Daemon.launch(["init", url, "--partitions", partitions]).result()
        guard made.end == .exited(0) else { throw TestingError("no store: \(made)") }
        urls.withLock { $0[path] = url }
        return url
    }
}

extension PostgresServer {
    /// Makes an empty database, and returns its URL.
    package static func emptyDatabase() throws -> String {
        guard let shared else { throw TestingError("PostgreSQL must be there: apt-get install postgresql") }
        return shared.url(try shared.database())
    }
}
