import PostgresMigrations
package import WorkflowStore

/// Makes an empty database a store.
package struct StoreSchema: Sendable {
    /// The newest version of the schema.
    package static let newest = Int64(PostgresMigrations.all.count)

    /// The numbers of partitions that a store may have.
    package static let partitions: ClosedRange<Int64> = 1...64

    private let address: PostgresAddress

    package init(_ address: PostgresAddress) {
        self.address = address
    }

    /// Creates the tables, the row of the store and the first row of each partition's log, in one transaction.
    ///
    /// - Throws: `foreignFile` if the database has tables. `unavailable` if it cannot be reached.
    package func create(_ uuid: UniqueID, partitions: Int64) throws(StoreError) {
        guard Self.partitions.contains(partitions) else {
            throw StoreError(
                .unsupported, "Cannot create the store in '\(address)': it may have 1 to 64 partitions")
        }
        var facts = try ServerFacts.read(address)
        // There is no store yet, and the settings of the server matter once it is used.
        facts.schema = Self.newest
        if let refusal = facts.refusal(at: address, insecure: true) { throw refusal }
        do {
            let connection = try Connection(address)
            let found = try connection.run([Request(Self.tables)])
            guard try found.first?.first({ row in try row.flag() }) == false else {
                throw PostgresFailure(.refused(state: "42P07"), "it has tables")
            }
            let steps = PostgresMigrations.all.flatMap(SQLScript.statements).enumerated().map {
                Request(Statement(name: "step-\($0)", sql: $1))
            }
            let begin = Request(Self.begin) {
                $0.add(Self.newest)
                $0.add(uuid.bytes)
                $0.add(partitions)
            }
            let log = Request(Self.log) { $0.add(partitions) }
            let secret = Request(Self.secret) { $0.add((0..<32).map { _ in UInt8.random(in: .min ... .max) }) }
            _ = try connection.run(
                [Request(.begin)] + steps + [begin, log, secret, Request(.commit)], within: .seconds(60))
        } catch {
            let error = PostgresFailure(error)
            guard error.state == "42P07" else { throw StoreError("Cannot create the store in '\(address)'", error) }
            throw StoreError(
                .foreignFile, "Cannot create the store in '\(address)': the database has tables; name an empty one")
        }
    }

    private static let tables = Statement(
        name: "tables",
        sql: """
            SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema')
            """)

    private static let begin = Statement(
        name: "begin-store",
        sql: """
            INSERT INTO store (id, version, uuid, generation, partitions, clock, held)
            VALUES (1, $1::bigint, $2::bytea, 1, $3::bigint, 'real', false)
            """)

    private static let secret = Statement(
        name: "begin-secret", sql: "INSERT INTO wfd_access.secret (id, secret) VALUES (1, $1::bytea)")

    private static let log = Statement(
        name: "begin-log",
        sql: """
            INSERT INTO batch SELECT p, 1, '', 0, (p << 48) + 1, (p << 48) + 1, 1, 0, 0, (p << 48) + 1, (p << 48) + 1,
                0, 0, (p << 48) + 1, 0, false, NULL
            FROM generate_series(0::bigint, $1::bigint - 1) p
            """)
}
