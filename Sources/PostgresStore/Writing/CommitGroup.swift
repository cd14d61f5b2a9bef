import WorkflowStore
import WorkflowThreads

/// The commits of all writers of a store. A writer that commits takes along the batches that others have waiting, in
/// one transaction; if that one fails, the batches of each writer are tried alone.
///
/// `@unchecked Sendable`: `writer` is used by the thread that has the turn. `monitor` guards everything else.
final class CommitGroup: @unchecked Sendable {
    /// The batches of one writer.
    private final class Entry {
        let batches: [StoreBatch]
        var ending: Result<Void, Unwritten>?

        init(_ batches: [StoreBatch]) {
            self.batches = batches
        }
    }

    /// A write that failed.
    private struct Unwritten: Error {
        let error: StoreError
        /// The outcome, if the error is `outcomeUnknown`.
        var outcome = CommitOutcome.unknown
    }

    /// The rows of history after which a transaction takes no further batches along.
    private static let rowsTogether = 4_096

    private let writer: LogWriter
    private let monitor = Monitor()
    /// True while a thread has the turn.
    private var isTaken = false
    /// One entry at most for each writer.
    private var waiting: [Entry] = []
    private var states: [PartitionID: PartitionState] = [:]
    private var connections = 0
    /// Floors that the next turn notes.
    private var timerFloors: [PartitionID: Timestamp] = [:]

    /// - Parameters:
    ///   - owner: A number that is unique for each start of a daemon.
    ///   - generation: The generation of the store when it was opened.
    ///   - patience: The longest wait for a commit.
    init(
        _ address: PostgresAddress, owner: UniqueID, generation: Int64? = nil, patience: Duration = .seconds(10),
        folding: LogWriter.FoldLimits = LogWriter.FoldLimits()
    ) {
        writer = LogWriter(
            PartitionLog(address, owner: owner, generation: generation, patience: patience), address: address,
            folding: folding)
    }

    /// Returns the state of a partition as of the last commit; `nil` if no writer has it.
    func state(of partition: PartitionID) -> PartitionState? { monitor.withLock { states[partition] } }

    /// The number of connections on which the group has committed so far.
    var connectionCount: Int { monitor.withLock { connections } }

    /// The number of writers that wait for the next transaction.
    var waitingCount: Int { monitor.withLock { waiting.count } }

    /// Notes that no timer of a partition is due before a time. The next commit stores it.
    func raiseTimerFloor(of partition: PartitionID, to time: Timestamp) {
        monitor.withLock {
            states[partition]?.row.timerFloor = time
            timerFloors[partition] = time
        }
    }

    /// Commits batches, possibly together with those of other writers. Everything is on disk on return.
    ///
    /// - Parameter outcome: Set if the error is `outcomeUnknown`.
    func commit(_ batches: [StoreBatch], outcome: inout CommitOutcome) throws(StoreError) {
        let entry = Entry(batches)
        let ending = monitor.withLock {
            waiting.append(entry)
            while true {
                if let ending = entry.ending { return ending }
                if isTaken {
                    monitor.wait()
                } else {
                    let entries = takeWaiting()
                    takeTurn { write(entries) }
                }
            }
        }
        do throws(Unwritten) {
            try ending.get()
        } catch {
            outcome = error.outcome
            throw error.error
        }
    }

    /// Takes the oldest entries, as many as have a bounded number of rows together. Called under the lock.
    private func takeWaiting() -> [Entry] {
        var rows = 0
        let taken = waiting.prefix { entry in
            defer { rows += entry.batches.reduce(0) { $0 + $1.journal.count } }
            return rows < Self.rowsTogether
        }
        waiting.removeFirst(taken.count)
        return Array(taken)
    }

    /// Calls a function that writes, while nobody else does.
    ///
    /// - Parameter outcome: Set if the error is `outcomeUnknown`.
    func write(
        outcome: inout CommitOutcome, _ body: (LogWriter) throws(StoreError) -> Void
    ) throws(StoreError) {
        let failure = withTurn { writer in Self.failure(of: writer, body) }
        guard let failure else { return }
        outcome = failure.outcome
        throw failure.error
    }

    /// Calls a function while nobody else writes.
    func withTurn<Value, Failure: Error>(_ body: (LogWriter) throws(Failure) -> Value) throws(Failure) -> Value {
        let result = monitor.withLock {
            while isTaken { monitor.wait() }
            return takeTurn { Result { () throws(Failure) in try body(writer) } }
        }
        return try result.get()
    }

    /// Calls a function without the lock, which is held before and afterwards.
    private func takeTurn<Value>(_ body: () -> Value) -> Value {
        isTaken = true
        for (partition, time) in timerFloors { writer.raiseTimerFloor(of: partition, to: time) }
        timerFloors = [:]
        let value = monitor.withoutLock(body)
        isTaken = false
        states = writer.states
        for (partition, time) in timerFloors { states[partition]?.row.timerFloor = time }
        connections = writer.connectionCount
        monitor.tell()
        return value
    }

    /// Writes the batches of some writers together. If they break a constraint, or if one of the writers was overtaken,
    /// tries each alone.
    private func write(_ entries: [Entry]) {
        let batches = entries.flatMap(\.batches)
        guard let failure = Self.failure(of: writer, { writer throws(StoreError) in try writer.commit(batches) }) else {
            for entry in entries { entry.ending = .success(()) }
            return
        }
        let isOfOne = failure.error.code == .constraint || failure.error.code == .fenced
        guard entries.count > 1, isOfOne else {
            for entry in entries { entry.ending = .failure(failure) }
            return
        }
        for (place, entry) in entries.enumerated() {
            write([entry])
            // Nothing may be written behind a commit that may be there or not.
            guard case .failure(let failure)? = entry.ending, failure.error.code == .outcomeUnknown,
                case .unknown = failure.outcome
            else { continue }
            for entry in entries[(place + 1)...] { entry.ending = .failure(failure) }
            return
        }
    }

    /// Calls a function that writes. Returns its error, and the outcome of a commit without an answer.
    ///
    /// A commit that was certainly not carried out is tried again: mostly the server was started again while nobody
    /// used the connection.
    private static func failure(
        of writer: LogWriter, _ body: (LogWriter) throws(StoreError) -> Void
    ) -> Unwritten? {
        var tries = 0
        while true {
            tries += 1
            do throws(StoreError) {
                try body(writer)
                return nil
            } catch {
                guard error.code == .outcomeUnknown else { return Unwritten(error: error) }
                let outcome = writer.resolve()
                if case .notCommitted = outcome, tries < 3 { continue }
                return Unwritten(error: error, outcome: outcome)
            }
        }
    }
}
