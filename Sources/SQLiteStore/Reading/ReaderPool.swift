import GRDB
import Synchronization
import WorkflowStore
import WorkflowThreads

/// The read-only connections, each used by one read at a time, and their threads.
package final class ReaderPool: Sendable {
    private struct State {
        var free: [DatabaseQueue]
        /// The number of reads that run or wait.
        var reads = 0
    }

    let gate: ReadGate
    let path: String
    /// The connection for the views of the writing side, which alone uses it.
    let aside: DatabaseQueue
    private let limits: StoreLimits
    private let connections: [DatabaseQueue]
    private let state: Mutex<State>
    private let held = Mutex<LogHold?>(nil)
    /// The threads, as many as connections.
    private let threads: BackgroundThreads

    /// Opens the connections. They hold the file open until `close`.
    init(file: StoreFile, limits: StoreLimits) throws {
        path = file.given
        self.limits = limits
        gate = ReadGate(limit: limits.gateWait)
        func open(_ label: String) throws -> DatabaseQueue {
            try DatabaseQueue(
                path: file.path, configuration: ConnectionSettings.reader(limits).configuration(label, file))
        }
        connections = try (0..<limits.readers).map { number in try open("reader \(number)") }
        aside = try open("view")
        state = Mutex(State(free: connections))
        threads = BackgroundThreads("wfd-read", count: connections.count)
    }

    /// The reader that keeps the log from starting over, as the writer found it last; `nil` if there is none.
    var hold: LogHold? {
        get { held.withLock { $0 } }
        set { held.withLock { $0 = newValue } }
    }

    /// Runs one slice of a read: one short read transaction on one of the connections.
    ///
    /// The slice must be bounded, and by its budget if it reads more than a few rows.
    func slice<T: Sendable>(
        _ body: @Sendable (Database, inout SliceBudget) throws -> T
    ) async throws(StoreError) -> T {
        try begin()
        defer { state.withLock { $0.reads -= 1 } }
        return try await withTaskExecutorPreference(threads) { @concurrent () async throws(StoreError) in
            // A long read is many slices: meanwhile its caller may have gone, or the daemon may stop.
            if Task.isCancelled { throw StoreError(reading: path, CancellationError()) }
            return try sliceHere(body)
        }
    }

    /// Runs a slice. Call this method only on one of the threads: there is a connection for each of them.
    private func sliceHere<T>(_ body: (Database, inout SliceBudget) throws -> T) throws(StoreError) -> T {
        guard let connection = state.withLock({ $0.free.popLast() }) else {
            // Proof: each thread reads one thing at a time, and there is a connection for each.
            preconditionFailure("there are as many connections as threads")
        }
        defer { state.withLock { $0.free.append(connection) } }
        do {
            // `read` would begin its transaction before the gate and end it after the gate.
            return try connection.unsafeRead { database in
                try self.gate.pass {
                    // The slice's time begins here: waiting for the gate is not reading.
                    var budget = SliceBudget(self.limits, isBusy: SharedCores.ofProcess.eventsCome, self.gate)
                    return try Self.transaction(database) { database in try body(database, &budget) }
                }
            }
        } catch {
            throw StoreError(reading: path, error)
        }
    }

    /// Runs a read before anybody else reads, and waits for its result.
    func inspect<T>(_ body: (Database) throws -> T) throws -> T {
        // Proof: a pool is opened with one connection at least.
        try connections[0].inDatabase { database in try Self.transaction(database, body) }
    }

    /// Passes the gate and begins a transaction on `aside`. Returns a function that ends the transaction and leaves the
    /// gate.
    func beginView() throws -> () -> Void {
        let entered = try gate.enter()
        do {
            try aside.inDatabase { database in
                try database.run("BEGIN DEFERRED")
            }
        } catch {
            gate.leave(entered)
            throw error
        }
        return { [aside, gate] in
            aside.inDatabase(Self.endReading)
            gate.leave(entered)
        }
    }

    /// Closes the connections, and waits for the reads on them. Call this method after the gate's end.
    func close() throws {
        for connection in connections + [aside] { try connection.close() }
    }

    private func begin() throws(StoreError) {
        let hasRoom = state.withLock { state in
            guard state.reads < limits.waitingReads else { return false }
            state.reads += 1
            return true
        }
        guard hasRoom else {
            throw StoreError(.unavailable, "Cannot read '\(path)': \(limits.waitingReads) reads are waiting already")
        }
    }

    private static func transaction<T>(_ database: Database, _ body: (Database) throws -> T) throws -> T {
        try database.run("BEGIN DEFERRED")
        defer { endReading(database) }
        return try body(database)
    }

    /// Ends a transaction that wrote nothing. A failure does not affect the values read.
    private static func endReading(_ database: Database) {
        if database.isInsideTransaction { try? database.rollback() }
    }
}

/// The amount that one slice may still read.
struct SliceBudget {
    private var rows: Int
    private var untilLook = 16
    private let end: ContinuousClock.Instant
    /// The end of a slice with costly rows.
    private let earlyEnd: ContinuousClock.Instant
    private let gate: ReadGate
    /// The most costly rows that a slice should look up before it reads them: it would not come to more.
    let costlyRows: Int

    /// - Parameter isBusy: True while events arrive.
    init(_ limits: StoreLimits, isBusy: Bool, _ gate: ReadGate) {
        let now = ContinuousClock.now
        self.gate = gate
        rows = limits.sliceRows
        costlyRows = isBusy ? 64 : limits.sliceRows
        end = now + (isBusy ? limits.busySliceDuration : limits.sliceDuration)
        earlyEnd = now + (isBusy ? limits.searchSliceDuration : limits.sliceDuration)
    }

    /// The rows that the slice may still read: at least one while it should not end.
    var rowsLeft: Int { max(rows, 1) }

    /// Subtracts rows that were read together, and checks the time and the gate. Returns false if the slice should end.
    mutating func spend(rows count: Int) -> Bool {
        rows -= count
        if gate.isShut || ContinuousClock.now >= end { rows = 0 }
        return rows > 0
    }

    /// Subtracts one row. Returns false if the slice should end, also because the writer waits for it. Checks the time
    /// and the gate every 16 rows, and after each costly row.
    mutating func spend(isCostly: Bool = false) -> Bool {
        rows -= 1
        untilLook -= 1
        if untilLook == 0 || isCostly {
            untilLook = 16
            if gate.isShut || ContinuousClock.now >= (isCostly ? earlyEnd : end) { rows = 0 }
        }
        return rows > 0
    }
}
