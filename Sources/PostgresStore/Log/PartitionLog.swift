import WorkflowStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The logs of the partitions that one owner writes. One thread uses it at a time.
///
/// Each transaction appends a row to the log of every partition that it touches. The row is also the fence: it can be
/// appended only on top of the owner's own last row. Whom the last row names owns the partition; nothing else decides.
final class PartitionLog {
    /// The tries of a commit that the server refuses because of another transaction.
    private static let tries = 3

    /// The 16 bytes of the owner, unique for each start of a daemon.
    let owner: UniqueID
    private let address: PostgresAddress
    /// The longest wait for a commit, and for its outcome.
    private let patience: Duration
    private let losses: LostCommits?
    /// The last rows of the owned partitions, as of the last commit.
    private(set) var rows: [PartitionID: LogRow] = [:]
    private var connection: Connection?
    /// The number of connections that were made so far.
    private(set) var connectionCount = 0
    private var doubt: Doubt?

    /// A commit whose outcome is unknown.
    private struct Doubt {
        /// The rows that it appends, ordered by partition.
        let rows: [LogRow]
        /// The row under the first one.
        let base: LogRow
    }

    /// - Parameter generation: The generation of the store when it was opened; `nil` for a log that only takes and
    ///   gives.
    init(
        _ address: PostgresAddress, owner: UniqueID, generation: Int64? = nil, patience: Duration = Connection.patience
    ) {
        self.address = address
        self.owner = owner
        self.patience = patience
        losses = generation.map { LostCommits(address: address, generation: $0) }
    }

    /// Takes partitions, whoever owns them. A transaction of an owner that is under way ends first.
    ///
    /// - Throws: `fenced` if another owner appended at the same time; the caller may try again. `outcomeUnknown` as
    ///   `commit` does.
    func take(_ partitions: [PartitionID]) throws(StoreError) {
        let bases = try last(of: partitions)
        let missing = Set(partitions).subtracting(bases.map(\.partition)).min()
        if let missing { throw LogRow.missing(missing) }
        try append(bases, on: bases, with: [])
    }

    /// Gives owned partitions to another daemon, on top of their last rows. Nothing is owned afterwards.
    func give(_ partitions: [PartitionID], to heir: UniqueID) throws(StoreError) {
        let bases = try last(of: partitions)
        guard bases.allSatisfy({ $0.owner == owner.bytes }) else { throw fenced(bases) }
        try append(bases, on: bases, with: [], naming: heir)
        rows = [:]
    }

    /// Commits rows of tables in one transaction. Everything is on disk on return.
    ///
    /// - Parameters:
    ///   - next: The state after the batches, for each partition that they write; `number` is that of the last row.
    ///   - requests: The statements that write the tables.
    /// - Throws: `outcomeUnknown` if the connection broke or the server warned; then `resolve` must follow. After any
    ///   other error nothing is written.
    func commit(_ next: [LogRow], with requests: [Request]) throws(StoreError) {
        let next = next.sorted { $0.partition < $1.partition }
        try append(next, on: next.compactMap { rows[$0.partition] }, with: requests)
    }

    /// Throws `fenced` if another owner has appended to an owned partition, or if the last row is gone.
    ///
    /// - Parameter partitions: The partitions to look at; `nil` for all that are owned.
    func confirm(_ partitions: [PartitionID]? = nil) throws(StoreError) {
        let partitions = partitions ?? rows.keys.sorted()
        let last = try last(of: partitions)
        let overtaken = partitions.compactMap { rows[$0] }.filter { row in
            !last.contains { $0.partition == row.partition && $0.number == row.number && $0.owner == row.owner }
        }
        if !overtaken.isEmpty { throw fenced(overtaken.sorted { $0.partition < $1.partition }) }
    }

    /// Runs requests that read, and returns their answers.
    func read(_ requests: [Request]) throws(StoreError) -> [Answer] {
        do throws(PostgresFailure) {
            return try connected().run(requests, within: patience)
        } catch {
            if error.kind == .lost { connection = nil }
            throw StoreError("Cannot read from '\(address)'", error)
        }
    }

    /// Returns the last rows of partitions. A partition without a row is left out.
    private func last(of partitions: [PartitionID]) throws(StoreError) -> [LogRow] {
        let answers = try read([LogRow.lasts(partitions)])
        do {
            return try answers.first?.all { row in try LogRow(&row) } ?? []
        } catch {
            throw StoreError("Cannot read from '\(address)'", PostgresFailure(error))
        }
    }

    /// Notes that no timer of a partition is due before a time. The next commit stores it.
    func raiseTimerFloor(of partition: PartitionID, to time: Timestamp) { rows[partition]?.timerFloor = time }

    /// Closes the connection.
    func close() { connection = nil }

    /// Ends writing to partitions. Without any, closes the connection.
    func release(_ partitions: [PartitionID]) {
        for partition in partitions { rows[partition] = nil }
        if rows.isEmpty { close() }
    }

    private func connected() throws(PostgresFailure) -> Connection {
        if let connection { return connection }
        let new = try Connection(address, within: patience, name: Connection.writerName(of: owner))
        connection = new
        connectionCount += 1
        return new
    }
}

// MARK: Appending

extension PartitionLog {
    /// - Parameters:
    ///   - next: The states to append, ordered by partition.
    ///   - bases: The rows on top of which they are appended.
    ///   - heir: The owner that the rows name; `nil` for this one.
    private func append(
        _ next: [LogRow], on bases: [LogRow], with requests: [Request], naming heir: UniqueID? = nil
    ) throws(StoreError) {
        guard next.count == bases.count, let base = bases.first else {
            throw StoreError(.fenced, "Cannot write: this process does not own the partition")
        }
        let new = zip(next, bases).map { $0.appended(to: $1, by: (heir ?? owner).bytes) }
        let fence = Self.fence(new, on: bases.map(\.owner))
        let pipeline = [Request(.begin), fence] + requests + [Request(.commit)]
        for attempt in 1... {
            do throws(PostgresFailure) {
                let connection = try connected()
                let warnings = connection.warningCount
                doubt = Doubt(rows: new, base: base)
                let answers = try connection.run(pipeline, within: patience)
                guard answers.last?.tag == "COMMIT", connection.warningCount == warnings else {
                    throw PostgresFailure(.lost, "the server warned, so a standby may not have the commit")
                }
                return accept()
            } catch {
                if error.isWorthRepeating, attempt < Self.tries { continue }
                throw outcome(of: error, new)
            }
        }
    }

    /// Returns the error of a commit. Keeps the doubt only if the outcome is unknown.
    private func outcome(of failure: PostgresFailure, _ new: [LogRow]) -> StoreError {
        if failure.kind == .lost {
            connection = nil
            if doubt != nil { return StoreError(.outcomeUnknown, "Cannot tell if a commit was written: \(failure)") }
        }
        doubt = nil
        // The fence is the second request. Its row is there already, or the row under it is gone.
        let isFenced = failure.place == 1 && (failure.state == "23505" || failure.state == "23502")
        return isFenced ? fenced(new) : StoreError("Cannot write to '\(address)'", failure)
    }

    private func accept() {
        for var row in doubt?.rows ?? [] {
            row.tally = nil
            rows[row.partition] = row
        }
        doubt = nil
    }

    /// Returns the error of a daemon that may not write any more.
    ///
    /// - Parameter rows: The rows that could not be appended, or those that are gone.
    private func fenced(_ rows: [LogRow]) -> StoreError {
        let own = rows.compactMap { self.rows[$0.partition] }
        if let loss = losses?.error(after: own) { return loss }
        let partitions = rows.map { "\($0.partition.rawValue)" }.joined(separator: ", ")
        return StoreError(.fenced, "Cannot write: another process has taken partition \(partitions) over")
    }
}

// MARK: Unknown outcomes

extension PartitionLog {
    /// Finds out the outcome of a commit that threw `outcomeUnknown`, on a new connection.
    ///
    /// Appends an empty row in the place of the commit's first row. The primary key makes the server wait for the
    /// transaction in doubt. If the row can be appended, that transaction can never commit.
    func resolve() -> CommitOutcome {
        let deadline = Deadline(after: patience)
        guard let doubt, let first = doubt.rows.first else { return .unknown }
        var settling = doubt.base.appended(to: doubt.base, by: owner.bytes)
        settling.settles = true
        while !deadline.isOver {
            connection = nil
            do throws(PostgresFailure) {
                try settle(settling, on: doubt.base.owner, deadline)
                self.doubt = Doubt(rows: [settling], base: doubt.base)
                accept()
                return .notCommitted
            } catch {
                switch error.state {
                case "23505": if let outcome = outcome(of: first, deadline) { return outcome }
                // The row under it is gone: a later owner has removed it, or the server has lost it.
                case "23502": return .unknown
                // The server is out of reach, or busy with the transaction in doubt.
                default: pause(deadline)
                }
            }
        }
        return .unknown
    }

    /// Returns the outcome of a commit in whose place another row stands; `nil` if it cannot be read now.
    private func outcome(of row: LogRow, _ deadline: Deadline) -> CommitOutcome? {
        let found: LogRow?
        do {
            let request = Request(Self.row) {
                $0.add(row.partition.rawValue)
                $0.add(row.number)
            }
            found = try connected().run([request], within: deadline.left).first?.first { row in
                try LogRow(&row)
            }
        } catch {
            return nil
        }
        // A row that is gone was removed by a later owner.
        guard let found else { return .unknown }
        guard found.owner == owner.bytes else {
            doubt = nil
            return .notCommitted
        }
        if found.settles { doubt = doubt.map { Doubt(rows: [found], base: $0.base) } }
        accept()
        if found.settles { return .notCommitted }
        return hasReachedStandbys(found, deadline) ? .committed : .unknown
    }

    /// Appends an empty row to a partition, whose commit waits for the standbys, and so for all rows before.
    private func hasReachedStandbys(_ row: LogRow, _ deadline: Deadline) -> Bool {
        var next = row.appended(to: row, by: owner.bytes)
        next.settles = true
        do throws(PostgresFailure) {
            try settle(next, on: row.owner, deadline)
            rows[row.partition] = next
            return true
        } catch {
            return false
        }
    }

    private func settle(_ row: LogRow, on base: [UInt8], _ deadline: Deadline) throws(PostgresFailure) {
        let connection = try Connection(
            address, within: deadline.left, name: Connection.writerName(of: owner))
        let warnings = connection.warningCount
        let pipeline = [Request(.begin), Self.fence([row], on: [base]), Request(.commit)]
        let answers = try connection.run(pipeline, within: deadline.left)
        guard answers.last?.tag == "COMMIT", connection.warningCount == warnings else {
            throw PostgresFailure(.lost, "the server warned")
        }
        self.connection = connection
        connectionCount += 1
    }

    private func pause(_ deadline: Deadline) {
        poll(nil, 0, CInt(truncatingIfNeeded: min(100, deadline.milliseconds)))
    }
}

// MARK: Statements

extension PartitionLog {
    private static let row = Statement(
        name: "one-batch",
        sql: "SELECT \(LogRow.columns) FROM batch WHERE partition = $1::bigint AND number = $2::bigint")

    private static let append: Statement = {
        let numbers = LogRow.numberColumns
        let places = numbers.indices.map { "$\($0 + 3)::bigint[]" }.joined(separator: ", ")
        let names = numbers.joined(separator: ", ")
        return Statement(
            name: "append",
            sql: """
                INSERT INTO batch (owner, previous, \(names), settles, tally)
                SELECT $1::bytea, (SELECT number FROM batch b WHERE b.partition = u.partition
                    AND b.number = u.number - 1 AND b.owner = u.base), \(names), settles, tally
                FROM unnest($2::bytea[], \(places), $\(numbers.count + 3)::boolean[], $\(numbers.count + 4)::text[])
                    u (base, \(names), settles, tally)
                """)
    }()

    /// Returns the request that appends rows, each on top of a row of one of `owners`.
    private static func fence(_ rows: [LogRow], on owners: [[UInt8]]) -> Request {
        Request(append) { parameters in
            parameters.add(rows.first?.owner ?? [])
            var bases = ArrayColumn(.bytea)
            for owner in owners { owner.append(to: &bases) }
            parameters.add(bases)
            var numbers = LogRow.numberColumns.map { _ in ArrayColumn(.int8) }
            var (settles, tally) = (ArrayColumn(.bool), ArrayColumn(.text))
            for row in rows {
                for (place, number) in row.columnNumbers.enumerated() { numbers[place].append(number) }
                settles.append(row.settles)
                if let text = row.tally { tally.append(text) } else { tally.appendNull() }
            }
            for column in numbers + [settles, tally] { parameters.add(column) }
        }
    }
}
