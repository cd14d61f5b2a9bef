import Synchronization
import WorkflowEngine
import WorkflowStore

/// The newest rows of the journal, read and written as text once for all streams that have come to its end.
///
/// It keeps them only as long as the slowest of these takes to look at them, and in a bounded number of bytes: what was
/// redacted or purged is told by no stream a moment later.
final class JournalTail: Sendable {
    /// A row and its text.
    struct Row: Sendable {
        let listed: ListedRow
        let text: [UInt8]
    }

    /// Rows that stand behind each other without a gap.
    struct Part: Sendable {
        let after: Position
        let through: Position
        /// Whether nothing stood behind it when it was read.
        let isLast: Bool
        let rows: [Row]
        let read: ContinuousClock.Instant
        /// Of the texts.
        let bytes: Int
    }

    private struct State {
        /// The oldest first; each begins where the one before it ends.
        var parts: [Part] = []
        /// Who waits for a read that another one does, by the position behind which that begins.
        var waiting: [Position: [CheckedContinuation<Part?, Never>]] = [:]
    }

    private let state = Mutex(State())
    private let engine: Engine
    private let caller: Caller
    private let limits: ServerLimits

    /// - Parameter caller: On whose behalf it reads; its rows are for callers of the same namespace.
    init(engine: Engine, caller: Caller, limits: ServerLimits) {
        self.engine = engine
        self.caller = caller
        self.limits = limits
    }

    /// The rows behind a position, and up to where they reach; nil where nothing is written yet.
    func rows(after place: Position) async throws -> Part? {
        while true {
            if let newest = engine.feed.newest, place >= newest { return nil }
            if let part = kept(after: place) { return part }
            let isMine = state.withLock { state in
                defer { if state.waiting[place] == nil { state.waiting[place] = [] } }
                return state.waiting[place] == nil
            }
            if isMine { return try await read(after: place) }
            if let part = await readByAnother(after: place) { return part }
            // The other one was cancelled or failed, or has just ended.
            try Task.checkCancellation()
        }
    }

    private func kept(after place: Position) -> Part? {
        state.withLock { state in
            let oldest = ContinuousClock.now - limits.streamTail
            state.parts.removeAll { $0.read < oldest }
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
        // Told before, so read now, if it is still there.
        let newest = engine.feed.newest ?? place
        let slice = try await engine.journal(JournalQuery(after: place, bytes: limits.streamBytes), by: caller)
        let rows = slice.rows.map { listed in
            var text = StreamText(capacity: limits.streamRowBytes)
            listed.lend { text.add($0, generation: engine.generation) }
            return Row(listed: listed, text: text.bytes)
        }
        part = Part(
            after: place, through: slice.isLast ? max(slice.through, newest) : slice.through, isLast: slice.isLast,
            rows: rows, read: .now, bytes: rows.reduce(0) { $0 + $1.text.count })
        return part
    }

    /// Keeps a part for the others, and gives those that wait for it.
    private func keep(_ part: Part?, after place: Position) -> [CheckedContinuation<Part?, Never>] {
        state.withLock { state in
            if let part, part.through > place {
                if state.parts.last.map({ $0.through != part.after }) ?? false { state.parts = [] }
                state.parts.append(part)
                var bytes = state.parts.reduce(0) { $0 + $1.bytes }
                while bytes > 4 * limits.streamBytes, state.parts.count > 1 { bytes -= state.parts.removeFirst().bytes }
            }
            return state.waiting.removeValue(forKey: place) ?? []
        }
    }
}
