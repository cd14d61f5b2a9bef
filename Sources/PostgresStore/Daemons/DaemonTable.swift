package import WorkflowStore

/// This daemon's row among the daemons of a store, and looks at the others. One thread uses it at a time.
package final class DaemonTable {
    /// The length of a lease.
    package static let lease = Duration.milliseconds(leaseMilliseconds)
    private static let leaseMilliseconds: Int64 = 6_000
    /// The longest wait for an answer of the server; a lease must outlast it and the next try.
    private static let patience = Duration.seconds(2)

    package let id: UniqueID
    private let address: PostgresAddress
    private let version: String
    private let partitions: [PartitionID]
    private var connection: Connection?
    private var wasConnected = false
    /// The time at which the server was found again; `nil` if it was there all the time.
    private var found: ContinuousClock.Instant?

    /// - Parameter id: The daemon, unique for each start.
    package init(_ address: PostgresAddress, id: UniqueID, version: String, partitions: [PartitionID]) {
        self.address = address
        self.id = id
        self.version = version
        self.partitions = partitions
    }

    /// Renews this daemon's lease, and looks at all daemons.
    ///
    /// - Parameters:
    ///   - now: The time of this daemon's clock.
    ///   - tokens: The number of the tokens that this daemon knows.
    ///   - peer: The address for other daemons, as HOST:PORT; `nil` without one.
    package func renew(at now: Timestamp, tokens: Int64, peer: String?) throws(StoreError) -> StoreLook {
        let renewal = Request(Self.renew) {
            $0.add(id.bytes)
            $0.add(peer)
            $0.add(now.rawValue)
            $0.add(tokens)
            $0.add(version)
        }
        do {
            let isNew = connection == nil
            let connection = try connected()
            let clearing = isNew ? [Request(Self.unflushed), Request(Self.clear)] : []
            let answers = try connection.run(
                clearing + [renewal, Request(Self.daemons), LogRow.lasts(partitions)], within: Self.patience)
            guard answers.count == clearing.count + 3 else { throw PostgresFailure(.lost, "answers are missing") }
            var (tokens, generation): (Int64, Int64) = (0, 0)
            let daemons = try answers[clearing.count + 1].all { row in
                tokens = try row.count()
                generation = try row.ordinal()
                return try DaemonRow(&row)
            }
            return StoreLook(
                daemons: daemons, owners: try owners(answers[clearing.count + 2]), tokens: tokens,
                generation: generation,
                isAfterOutage: found.map { .now - $0 < Self.lease } ?? false)
        } catch {
            throw failed("look at the daemons of", error)
        }
    }

    /// - Throws: `locked` if a daemon is alive.
    func refuseLiving() throws(StoreError) {
        let daemons: [DaemonRow]
        do {
            let answers = try connected().run([Request(Self.daemons)], within: Self.patience)
            daemons =
                try answers.first?.all { row in
                    _ = (try row.count(), try row.ordinal())
                    return try DaemonRow(&row)
                } ?? []
        } catch {
            throw failed("look at the daemons of", error)
        }
        guard let living = daemons.first(where: \.isAlive) else { return }
        throw StoreError(
            .locked, "Cannot use '\(address)': daemon \(living.id.text) serves it; stop it first")
    }

    /// Takes all partitions. If a transaction of a former owner is in the way for half a second, ends its sessions.
    ///
    /// - Parameter owners: The owners from whom they are taken.
    /// - Throws: `fenced` if another daemon took one at the same time.
    package func take(from owners: [UniqueID]) throws(StoreError) {
        do {
            try PartitionLog(address, owner: id, patience: .milliseconds(500)).take(partitions)
        } catch {
            guard error.code == .outcomeUnknown || error.code == .unavailable else { throw error }
            for owner in owners where owner != id { try endSessions(of: owner) }
            try takeAgain()
        }
    }

    /// Takes all partitions. The first try waits in the server, and may commit now: then the second one finds its rows.
    private func takeAgain() throws(StoreError) {
        do {
            try PartitionLog(address, owner: id).take(partitions)
        } catch {
            guard error.code == .fenced, try owners() == partitions.map({ _ in id }) else { throw error }
        }
    }

    /// Returns the owner of each partition; `nil` for one that nobody owns.
    private func owners() throws(StoreError) -> [UniqueID?] {
        do {
            return try owners(connected().run([LogRow.lasts(partitions)], within: Self.patience).first)
        } catch {
            throw failed("read the owners in", error)
        }
    }

    private func owners(_ lasts: Answer?) throws -> [UniqueID?] {
        let rows = try lasts?.all { row in try LogRow(&row) } ?? []
        let owners = Dictionary(rows.map { ($0.partition, $0.owner) }) { first, _ in first }
        return partitions.map { partition in
            owners[partition].flatMap { $0.count == 16 ? UniqueID(bytes: $0) : nil }
        }
    }

    /// Gives all partitions to another daemon, whose writers have ended here.
    package func give(to heir: UniqueID) throws(StoreError) {
        try PartitionLog(address, owner: id).give(partitions, to: heir)
    }

    /// Removes this daemon's row, and closes the connection.
    package func leave() throws(StoreError) {
        do {
            _ = try connected().run([Request(Self.leave) { $0.add(id.bytes) }], within: Self.patience)
            connection = nil
        } catch {
            throw failed("leave", error)
        }
    }

    /// Returns the secret by which the store's daemons trust each other.
    package func secret() throws(StoreError) -> [UInt8] {
        do {
            let answers = try connected().run([Request(Self.secret)], within: Self.patience)
            guard let secret = try answers.first?.first({ row in try row.blob(of: 32...32) }) else {
                throw PostgresFailure(.damaged, "the row in 'wfd_access.secret' is missing; insert 32 random bytes")
            }
            return secret
        } catch {
            throw failed("read the secret in", error)
        }
    }

    /// Ends the sessions by which another daemon writes. One that waits for a synchronous standby has committed.
    private func endSessions(of owner: UniqueID) throws(StoreError) {
        do {
            let request = Request(Self.end) { $0.add(Connection.writerName(of: owner)) }
            _ = try connected().run([request], within: Self.patience)
        } catch {
            throw failed("end sessions in", error)
        }
    }

    private func connected() throws(PostgresFailure) -> Connection {
        if let connection { return connection }
        let new = try Connection(address, within: Self.patience, name: "wfd-control")
        connection = new
        found = wasConnected ? .now : nil
        wasConnected = true
        return new
    }

    private func failed(_ work: String, _ error: any Error) -> StoreError {
        let failure = PostgresFailure(error)
        if failure.kind == .lost { connection = nil }
        return StoreError("Cannot \(work) '\(address)'", failure)
    }
}

// MARK: Statements

extension DaemonTable {
    private static let now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
    /// Another text after each start of the server, and after each promotion of a standby server.
    private static let server = """
        extract(epoch FROM pg_postmaster_start_time())::text || ' '
            || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
        """

    /// A lost renewal is harmless, so none waits for the disk.
    private static let unflushed = Statement(
        name: "unflushed", sql: "SELECT set_config('synchronous_commit', 'off', false)")

    private static let clear = Statement(
        name: "clear-daemons", sql: "DELETE FROM daemon WHERE lease_until_ms < \(now) - 60000")

    private static let renew = Statement(
        name: "renew",
        sql: """
            INSERT INTO daemon (id, peer, server, pid, lease_until_ms, skew_ms, tokens, version)
            SELECT $1::bytea, $2::text, \(server), pg_backend_pid(), now + \(leaseMilliseconds), $3::bigint - now,
                $4::bigint, $5::text
            FROM (SELECT \(now) AS now) t
            ON CONFLICT (id) DO UPDATE SET peer = excluded.peer, server = excluded.server, pid = excluded.pid,
                lease_until_ms = excluded.lease_until_ms, skew_ms = excluded.skew_ms, tokens = excluded.tokens
            """)

    /// A process of the server whose number is given again to another daemon's connection hides a dead daemon until its
    /// lease ends.
    private static let daemons = Statement(
        name: "daemons",
        sql: """
            SELECT coalesce((SELECT number FROM wfd_access.token), 0), (SELECT generation FROM store), id, peer,
                lease_until_ms - \(now), skew_ms,
                tokens, version, server = \(server),
                EXISTS (SELECT 1 FROM pg_stat_activity a WHERE a.pid = d.pid AND a.application_name = 'wfd-control')
            FROM daemon d ORDER BY id
            """)

    private static let leave = Statement(name: "leave", sql: "DELETE FROM daemon WHERE id = $1::bytea")

    private static let secret = Statement(name: "secret", sql: "SELECT secret FROM wfd_access.secret WHERE id = 1")

    private static let end = Statement(
        name: "end-sessions",
        sql: """
            SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE datname = current_database() AND usename = current_user AND application_name = $1::text
                AND wait_event IS DISTINCT FROM 'SyncRep'
            """)
}

extension DaemonRow {
    fileprivate init(_ row: inout AnswerRow) throws(PostgresFailure) {
        let span = -Timestamp.range.upperBound...Timestamp.range.upperBound
        id = try row.uniqueID()
        peer = try row.optionalText()
        lease = .milliseconds(try row.integer(in: span))
        skew = .milliseconds(try row.integer(in: span))
        tokens = try row.count()
        version = try row.text()
        let isOfServer = try row.flag()
        let hasProcess = try row.flag()
        isConnected = isOfServer ? hasProcess : nil
    }
}
