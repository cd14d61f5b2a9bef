import PostgresTesting
import Synchronization
import Testing
import ThreadTesting
import WorkflowStore

@testable import PostgresStore

/// A database of the run's server with the schema of a store.
struct TestDatabase {
    let server: PostgresServer
    let name: String

    /// Names a database that is there.
    init(server: PostgresServer, name: String) {
        self.server = server
        self.name = name
    }

    /// Makes an empty store.
    init(partitions: Int64 = 1) throws {
        server = try #require(PostgresServer.shared, "PostgreSQL must be there: apt-get install postgresql")
        name = try server.database(from: try Self.template(partitions))
    }

    var address: PostgresAddress {
        get throws { try PostgresAddress(server.url(name)) }
    }

    /// Returns the log of a new owner.
    func log(_ owner: UInt8, through proxy: CuttingProxy? = nil) throws -> PartitionLog {
        let url = server.url(name, port: proxy?.port)
        return PartitionLog(try PostgresAddress(url), owner: UniqueID(bytes: Array(repeating: owner, count: 16)))
    }

    /// Runs a statement on a connection of its own, and returns the numbers of its first row.
    @discardableResult
    func run(_ sql: String) throws -> [Int64] {
        let answers = try Connection(try address).run([Request(Statement(name: "test", sql: sql))])
        return try answers.first?.all { row in try row.integer(in: .min ... .max) } ?? []
    }

    /// The databases that are copied, by their numbers of partitions.
    private static let templates = Mutex<[Int64: String]>([:])

    private static func template(_ partitions: Int64) throws -> String {
        try templates.withLock { templates in
            if let known = templates[partitions] { return known }
            let server = try #require(PostgresServer.shared)
            let name = try server.database()
            try StoreSchema(PostgresAddress(server.url(name))).create(
                UniqueID(bytes: Array(repeating: 7, count: 16)), partitions: partitions)
            templates[partitions] = name
            return name
        }
    }
}
