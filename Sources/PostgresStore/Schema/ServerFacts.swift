import WorkflowStore

/// The facts about a server, a database and a connection that decide if a store can be there.
struct ServerFacts: Equatable {
    /// The version as a number, such as 150003.
    var version: Int64 = 150_000
    var encoding = "UTF8"
    /// True for a standby server, which accepts no writes.
    var isStandby = false
    var synchronousCommit = "on"
    var fsync = "on"
    var fullPageWrites = "on"
    /// The version of our schema; `nil` if the database has no store.
    var schema: Int64? = StoreSchema.newest
    /// True if two connections that are open at once were given the same process of the server.
    var isPooled = false
    var link = ConnectionLink()

    /// The lowest version of PostgreSQL.
    static let lowestVersion: Int64 = 140_000

    /// Returns the error that refuses the database; `nil` if a store can be there.
    ///
    /// - Parameter isInsecure: True to accept settings by which a crash may lose what was answered.
    func refusal(at address: PostgresAddress, insecure isInsecure: Bool) -> StoreError? {
        if version < Self.lowestVersion {
            return refusal(
                address, .unsupported,
                "the server is PostgreSQL \(version / 10_000); upgrade it to \(Self.lowestVersion / 10_000) or later")
        }
        if isPooled {
            return refusal(
                address, .unsupported,
                "a pooler gives its connections to others after each transaction; name the server itself, or pool by "
                    + "session")
        }
        if isStandby {
            return refusal(
                address, .unavailable,
                "the server is a standby; name the primary server too, and add 'target_session_attrs=read-write'")
        }
        if encoding != "UTF8" {
            return refusal(
                address, .unsupported,
                "the encoding of the database is \(encoding); create one with 'ENCODING UTF8 TEMPLATE template0'")
        }
        if isInsecure { return schemaRefusal(address) }
        return schemaRefusal(address) ?? durabilityRefusal(address) ?? linkRefusal(address)
    }

    private func schemaRefusal(_ address: PostgresAddress) -> StoreError? {
        guard let schema else {
            return refusal(address, .foreignFile, "it has no store; run 'wfd init' for an empty database")
        }
        if schema > StoreSchema.newest {
            return refusal(
                address, .newerSchema,
                "its schema \(schema) is of a later version of wfd (this one knows \(StoreSchema.newest)); "
                    + "use that version")
        }
        return nil
    }

    /// Refuses a connection beyond this machine that others can read or answer.
    private func linkRefusal(_ address: PostgresAddress) -> StoreError? {
        if link.isLocal { return nil }
        if !link.isVerified {
            return refusal(
                address, .unsupported,
                "others may read and change what is sent to the server; add 'sslmode=verify-full', or give '--insecure'"
            )
        }
        if link.showsPassword {
            return refusal(
                address, .unsupported,
                "the password may not be checked by SCRAM; add 'channel_binding=require', or give '--insecure'")
        }
        return nil
    }

    /// Refuses settings by which a crash of the server may lose what was answered.
    private func durabilityRefusal(_ address: PostgresAddress) -> StoreError? {
        if synchronousCommit == "off" || synchronousCommit == "local" {
            return refusal(
                address, .unsupported,
                "'synchronous_commit' is \(synchronousCommit), so an answered event may be lost; set it to 'on' for "
                    + "this role or database")
        }
        for (name, value) in [("fsync", fsync), ("full_page_writes", fullPageWrites)] where value != "on" {
            return refusal(
                address, .unsupported,
                "'\(name)' is \(value), so a crash may destroy the database; set it to 'on'")
        }
        return nil
    }

    private func refusal(_ address: PostgresAddress, _ code: StoreError.Code, _ why: String) -> StoreError {
        StoreError(code, "Cannot use the database '\(address)': \(why)")
    }
}

extension ServerFacts {
    /// Reads the facts, with two connections at once: a pooler that gives its connections away after each transaction
    /// gives the idle one of the first to the second.
    static func read(_ address: PostgresAddress) throws(StoreError) -> ServerFacts {
        do throws(PostgresFailure) {
            _ = try Connection(address)
        } catch {
            throw error.isDenied
                ? StoreError(.cannotOpen, error.message) : StoreError("Cannot open '\(address)'", error)
        }
        let (first, second) = (ReadingConnection(address), ReadingConnection(address))
        let one = Snapshot(address: address, read: first.once)
        let other = Snapshot(address: address, read: second.run)
        var (facts, process) = try one.read(Request(settings)) { answer in
            guard let found = try answer.first({ row in try read(&row) }) else {
                throw PostgresFailure(.damaged, "the server gave no settings")
            }
            return found
        }
        let hasStore = try one.read(Request(tables)) { answer in try answer.first { row in try row.flag() } ?? false }
        if hasStore {
            facts.schema = try one.read(Request(schema)) { answer in try answer.first { row in try row.ordinal() } }
            // The last transaction of the first connection, just before the second one begins.
            process = try one.read(Request(backend)) { answer in try answer.first { row in try row.count() } ?? 0 }
        }
        let another = try other.read(Request(backend)) { answer in try answer.first { row in try row.count() } ?? 0 }
        facts.isPooled = process == another
        if let link = first.link { facts.link = link }
        return facts
    }

    private static func read(_ row: inout AnswerRow) throws -> (ServerFacts, process: Int64) {
        var facts = ServerFacts()
        facts.schema = nil
        facts.version = try row.count()
        facts.encoding = try row.text()
        facts.isStandby = try row.flag()
        facts.synchronousCommit = try row.text()
        facts.fsync = try row.text()
        facts.fullPageWrites = try row.text()
        return (facts, try row.count())
    }

    private static let settings = Statement(
        name: "settings",
        sql: """
            SELECT current_setting('server_version_num')::bigint, current_setting('server_encoding'),
                pg_is_in_recovery(), current_setting('synchronous_commit'), current_setting('fsync'),
                current_setting('full_page_writes'), pg_backend_pid()::bigint
            """)

    /// Refuses a server that has not enough free connections for a daemon.
    ///
    /// - Parameter partitions: The number of partitions of the store.
    static func requireConnections(_ address: PostgresAddress, partitions: Int) throws(StoreError) {
        // A lane looks up on two connections. The others commit, renew the lease, load tokens, read, and make a backup.
        let needed = 2 * Int64(partitions) + 8
        let reading = Snapshot(address: address, read: ReadingConnection(address).once)
        let free = try reading.read(Request(free)) { answer in
            try answer.first { row in try row.integer(in: -Int64(Int32.max)...Int64(Int32.max)) } ?? needed
        }
        guard free < needed else { return }
        throw StoreError(
            .unavailable,
            "Cannot use the database '\(address)': wfd needs \(needed) connections for \(partitions) "
                + "partition\(partitions == 1 ? "" : "s"), and \(max(0, free)) are free; "
                + "raise 'max_connections', or the limit of the role or the database")
    }

    /// The connections that are free for this user, and the own one.
    private static let free = Statement(
        name: "free-connections",
        sql: """
            SELECT 1 + least(
                current_setting('max_connections')::bigint
                    - current_setting('superuser_reserved_connections')::bigint
                    - coalesce(current_setting('reserved_connections', true)::bigint, 0)
                    - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
                (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user)
                    - (SELECT count(*) FROM pg_stat_activity WHERE usename = current_user),
                (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())
                    - (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()))
            """)

    private static let tables = Statement(
        name: "has-store",
        sql: """
            SELECT count(*) = 2 FROM unnest(ARRAY['store.partitions', 'batch.previous']) t (known)
            JOIN pg_catalog.pg_attribute a ON a.attrelid = to_regclass(split_part(known, '.', 1))
                AND a.attname = split_part(known, '.', 2)
            """)

    private static let schema = Statement(name: "schema", sql: "SELECT version FROM store WHERE id = 1")

    private static let backend = Statement(name: "backend", sql: "SELECT pg_backend_pid()::bigint")
}
