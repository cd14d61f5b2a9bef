import Synchronization
import WorkflowEngine
import WorkflowStore

/// The newest rows of a partition's journal, read and written as text once for all streams that have come to the
/// journal's end.
///
/// The rows are kept only as long as the slowest of these streams takes to look at them, and in a bounded number of
/// bytes. So no stream sends redacted or purged data a moment later.
final class JournalTail: Sendable {
    /// The text of a row, and the fields that filters compare.
    struct Row: Sendable {
        let position: Position
        let machine: MachineName
        let kind: String
        let event: String
        let from: String
        let to: String
        /// The text; without its cursors if there are several partitions, because each stream has its own place.
        let text: [UInt8]

        /// Returns true if a filter accepts the row.
        func isTaken(by filter: JournalFilter) -> Bool {
            filter.takes(machine: machine) && filter.takes(kind: kind, event: event, from: from, to: to)
        }
    }

    /// Consecutive rows, without a gap.
    struct Part: Sendable {
        let after: Position
        let through: Position
        /// True if nothing followed the part when it was read.
        let isLast: Bool
        let rows: [Row]
        let read: ContinuousClock.Instant
        /// The bytes of the texts.
        let bytes: Int
        /// The share that counts the texts once, however many streams hold them.
        let share: AnswerBudget.Share
    }

    private struct State {
        /// The parts, oldest first; each begins where the previous one ends.
        var parts: [Part] = []
        /// The streams that wait for another stream's read, by the position after which the read begins.
        var waiting: [Position: [CheckedContinuation<Part?, Never>]] = [:]
        /// True if a task is forgetting parts when their time has come.
        var isForgetting = false

        mutating func forget(readBefore time: ContinuousClock.Instant) {
            parts.removeAll { $0.read < time }
        }
    }

    private let state = Mutex(State())
    private let partition: PartitionID
    private let engine: Engine
    private let caller: Caller
    private let limits: ServerLimits
    private let reads: StreamReads

    /// - Parameter caller: The caller for whom the rows are read; the rows are for callers of the same namespace.
    init(
        of partition: PartitionID = .first, engine: Engine, caller: Caller, limits: ServerLimits, reads: StreamReads
    ) {
        self.partition = partition
        self.reads = reads
        self.engine = engine
        self.caller = caller
        self.limits = limits
    }

    /// Returns the newest rows of all partitions, in their order.
    static func all(
        of engine: Engine, for caller: Caller, limits: ServerLimits, reads: StreamReads
    ) -> [JournalTail] {
        engine.store.partitions.map {
            JournalTail(of: $0, engine: engine, caller: caller, limits: limits, reads: reads)
        }
    }

    /// Returns the rows after a position, and the position up to which they reach; `nil` if nothing is written there
    /// yet.
    func rows(after place: Position) async throws -> Part? {
        while true {
            if let newest = engine.feed.newest(in: partition), place >= newest { return nil }
            if let part = kept(after: place) { return part }
            let isMine = state.withLock { state in
                defer { if state.waiting[place] == nil { state.waiting[place] = [] } }
                return state.waiting[place] == nil
            }
            if isMine { return try await read(after: place) }
            if let part = await readByAnother(after: place) { return part }
            // The other stream's read was cancelled, has failed, or has just ended.
            try Task.checkCancellation()
        }
    }

    private func kept(after place: Position) -> Part? {
        state.withLock { state in
            state.forget(readBefore: .now - limits.streamTail)
            return state.parts.first { $0.after <= place && place < $0.through }
        }
    }

    private func readByAnother(after place: Position) async -> Part? {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard state.waiting[place] != nil else { return true }
                state.waiting[place]?.append(continuation)
                return false
            }
            if isOver { continuation.resume(returning: nil) }
        }
    }

    private func read(after place: Position) async throws -> Part? {
        var part: Part?
        defer {
            for waiter in keep(part, after: place) { waiter.resume(returning: part) }
        }
        // The feed reported this position before the read, so the read includes the row, if the row still exists.
        let newest = engine.feed.newest(in: partition) ?? place
        let (read, share) = try await reads.read(
            expecting: limits.streamBytes, size: { (read: ReadRows) in read.rows.reduce(0) { $0 + $1.text.count } }
        ) { try await rows(behind: place) }
        part = Part(
            after: place, through: read.reach.isLast ? max(read.reach.through, newest) : read.reach.through,
            isLast: read.reach.isLast, rows: read.rows, read: .now,
            bytes: read.rows.reduce(0) { $0 + $1.text.count }, share: share)
        return part
    }

    private typealias ReadRows = (rows: [Row], reach: JournalReach)

    private func rows(behind place: Position) async throws -> ReadRows {
        let query = JournalQuery(after: place, bytes: limits.streamBytes)
        let read = try await engine.journal(query, by: caller, into: [Row]()) {
            [generation = engine.store.partitions.count == 1 ? engine.generation : nil, size = limits.streamRowBytes]
            (rows, listed) in
            let row = listed.row
            // The capacity includes large data, so that the buffer does not become twice as large.
            var text = StreamText(capacity: size + (row.data?.count ?? 0) + (row.note?.count ?? 0))
            if let generation { text.add(listed, generation: generation) } else { text.addCursorless(listed) }
            rows.append(
                Row(
                    position: row.position, machine: listed.machine, kind: String(decoding: row.kind, as: UTF8.self),
                    event: String(decoding: row.event, as: UTF8.self), from: String(decoding: row.from, as: UTF8.self),
                    to: String(decoding: row.to, as: UTF8.self), text: text.bytes))
        }
        return (read.result, read.reach)
    }

    /// Keeps a part for the other streams, and returns the streams that wait for it.
    private func keep(_ part: Part?, after place: Position) -> [CheckedContinuation<Part?, Never>] {
        defer { forgetInTime() }
        return state.withLock { state in
            if let part, part.through > place {
                if state.parts.last.map({ $0.through != part.after }) ?? false { state.parts = [] }
                state.parts.append(part)
                var bytes = state.parts.reduce(0) { $0 + $1.bytes }
                while bytes > 4 * limits.streamBytes, state.parts.count > 1 { bytes -= state.parts.removeFirst().bytes }
            }
            return state.waiting.removeValue(forKey: place) ?? []
        }
    }

    /// Releases parts that no stream has asked for since.
    private func forgetInTime() {
        let mustBegin = state.withLock { state in
            if state.isForgetting || state.parts.isEmpty { return false }
            state.isForgetting = true
            return true
        }
        guard mustBegin else { return }
        // Nobody awaits the task; it ends by itself once nothing more is read.
        Task {
            var isEmpty = false
            while !isEmpty {
                // The task is never cancelled.
                try? await Task.sleep(for: limits.streamTail)
                isEmpty = state.withLock { state in
                    state.forget(readBefore: .now - limits.streamTail)
                    if state.parts.isEmpty { state.isForgetting = false }
                    return state.parts.isEmpty
                }
            }
        }
    }
}
