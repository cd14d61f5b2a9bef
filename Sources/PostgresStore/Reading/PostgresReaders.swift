import Synchronization
import WorkflowStore
import WorkflowThreads

/// The connections for reading, each used by one read at a time, and their threads.
final class PostgresReaders: Sendable {
    /// The number of connections, which is the number of simultaneous reads.
    private static let count = 4
    /// The number of reads that run or wait; further reads are refused. Keeps a burst from queueing for longer than its
    /// clients wait.
    private static let waitingReads = 1_000

    private struct State {
        var free: [ReadingConnection]
        var reads = 0
        /// The partitions whose writing side is not closed.
        var writers: Int
        var isOpen: Bool { writers > 0 }
    }

    let address: PostgresAddress
    private let state: Mutex<State>
    /// The threads, as many as connections.
    private let threads: BackgroundThreads

    /// Makes the connections, which connect when they are first needed.
    ///
    /// - Parameter writers: The partitions whose writing side closes the connections, all together.
    init(_ address: PostgresAddress, writers: Int) {
        self.address = address
        state = Mutex(State(free: (0..<Self.count).map { _ in ReadingConnection(address) }, writers: writers))
        threads = BackgroundThreads("wfd-read", count: Self.count)
    }

    /// False once the store is closed.
    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Runs reads of one committed state on a connection.
    func read<Value: Sendable>(
        _ body: @Sendable (Snapshot) throws -> Value
    ) async throws(StoreError) -> Value {
        try await take { connection in
            defer { connection.end() }
            return try body(Snapshot(address: address, read: connection.run))
        }
    }

    /// Runs one read on a connection.
    func readOnce<Value: Sendable>(
        _ body: @Sendable (Snapshot) throws -> Value
    ) async throws(StoreError) -> Value {
        try await take { connection in try body(Snapshot(address: address, read: connection.once)) }
    }

    private func take<Value: Sendable>(
        _ body: @Sendable (ReadingConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        try begin()
        defer { state.withLock { $0.reads -= 1 } }
        return try await withTaskExecutorPreference(threads) { @concurrent () async throws(StoreError) in
            // A long read is many slices: meanwhile its caller may have gone, or the daemon may stop.
            if Task.isCancelled { throw StoreError(.unavailable, "Cannot read from '\(address)': it was cancelled") }
            return try takeHere(body)
        }
    }

    /// Runs a read. Call this method only on one of the threads: there is a connection for each of them.
    private func takeHere<Value>(_ body: (ReadingConnection) throws -> Value) throws(StoreError) -> Value {
        guard let connection = state.withLock({ $0.free.popLast() }) else {
            // Proof: each thread reads one thing at a time, and there is a connection for each.
            preconditionFailure("there are as many connections as threads")
        }
        defer {
            state.withLock { $0.free.append(connection) }
            if !isOpen { connection.close() }
        }
        do {
            return try body(connection)
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError("Cannot read from '\(address)'", PostgresFailure(error))
        }
    }

    private func begin() throws(StoreError) {
        let hasRoom = state.withLock { state -> Bool? in
            guard state.isOpen else { return nil }
            guard state.reads < Self.waitingReads else { return false }
            state.reads += 1
            return true
        }
        guard let hasRoom else { throw .closed }
        guard hasRoom else {
            throw StoreError(
                .unavailable, "Cannot read from '\(address)': \(Self.waitingReads) reads are waiting already")
        }
    }

    /// Counts closed writing sides. The last one closes the connections; a read that runs ends first.
    func close(_ writers: Int) {
        let free = state.withLock { state in
            state.writers -= writers
            return state.isOpen ? [] : state.free
        }
        for connection in free { connection.close() }
    }
}

/// Reads on one connection.
struct Snapshot: RowReading {
    let address: PostgresAddress
    let read: ([Request]) throws(PostgresFailure) -> [Answer]

    func answers(_ requests: [Request]) throws(StoreError) -> [Answer] {
        do throws(PostgresFailure) {
            return try read(requests)
        } catch {
            throw self.error(error)
        }
    }

    func error(_ failure: PostgresFailure) -> StoreError {
        // Half a restore stays half, however long one waits.
        // A role without rights stays without them.
        guard failure.state == "55000" || failure.state == "42501" else {
            return StoreError("Cannot read from '\(address)'", failure)
        }
        return StoreError(.cannotOpen, "Cannot use '\(address)': \(failure.message)")
    }
}
