import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// The rows of a stream, part by part, in their order; each part is read when it is asked for.
struct StreamRows: Sendable {
    /// What is to be sent next.
    struct Part: Sendable {
        /// Empty when nothing that was read is wanted.
        var text: [UInt8] = []
        /// Whether nothing stood behind it.
        var isLast: Bool
    }

    private enum Source: Sendable {
        /// Of all instances.
        case journal(JournalTail)
        /// Of one, behind a seq.
        case instance(InstanceID, Seq)
    }

    private let engine: Engine
    private let caller: Caller
    private let filter: JournalFilter
    private let limits: ServerLimits
    private let budget: AnswerBudget
    private var source: Source
    /// What is read while the part before is made and sent; nil near the end.
    private var ahead: Task<ReadSlice, any Error>?

    /// A slice, and when it was read.
    private struct ReadSlice: Sendable {
        let slice: JournalSlice
        let time = ContinuousClock.now
    }
    /// Up to where everything was told.
    private(set) var place: Position
    /// Whether it has come to the end of the journal, so that others probably read the same.
    private var isNearEnd = false

    /// The rows of all instances behind a position.
    init(
        after place: Position, of tail: JournalTail, _ filter: JournalFilter, engine: Engine, by caller: Caller,
        limits: ServerLimits, budget: AnswerBudget
    ) {
        self.budget = budget
        source = .journal(tail)
        self.place = place
        self.filter = filter
        self.engine = engine
        self.caller = caller
        self.limits = limits
    }

    /// The rows of one instance behind a seq.
    init(
        of record: InstanceRecord, after seq: Seq, at place: Position, _ filter: JournalFilter, engine: Engine,
        by caller: Caller, limits: ServerLimits, budget: AnswerBudget
    ) {
        self.budget = budget
        source = .instance(record.id, seq)
        self.place = place
        self.filter = filter
        self.engine = engine
        self.caller = caller
        self.limits = limits
    }

    /// Bytes of the next part, about.
    var expectedBytes: Int { isNearEnd ? AnswerLimits.smallBytes : limits.streamBytes }

    /// The next part; nil when there will be none, because the instance is no more.
    mutating func next() async throws -> Part? {
        switch source {
        case .journal(let tail):
            return isNearEnd ? try await read(tail) : try await readJournal()
        case .instance(let id, let seq):
            guard let record = try await engine.instance(id, by: caller) else { return nil }
            let (slice, last) = try await engine.journal(
                of: record, after: seq, filter, limit: limits.streamRows, by: caller)
            source = .instance(id, last)
            return text(of: slice)
        }
    }

    private mutating func read(_ tail: JournalTail) async throws -> Part {
        guard let read = try await tail.rows(after: place) else { return Part(isLast: true) }
        var text: [UInt8] = []
        for row in read.rows where row.listed.row.position > place && filter.takes(row.listed) {
            text += row.text
        }
        isNearEnd = read.isLast
        place = max(place, read.through)
        let isLast = read.isLast && engine.feed.newest.map { place >= $0 } ?? true
        return Part(text: text, isLast: isLast)
    }

    private mutating func readJournal() async throws -> Part {
        let slice = try await nextSlice()
        isNearEnd = slice.isLast
        // Not where memory is short; and one slice only, however long the reader takes for the part before.
        if !slice.isLast, let share = budget.share(of: limits.streamBytes) {
            ahead = Task { [self] in
                defer { withExtendedLifetime(share) {} }
                return try await readSlice(after: slice.through)
            }
        }
        return text(of: slice)
    }

    private mutating func nextSlice() async throws -> JournalSlice {
        // What was redacted or purged while the stream stood still is told no more.
        if let read = try await ahead.take()?.value, read.time > .now - limits.streamTail { return read.slice }
        return try await readSlice(after: place).slice
    }

    private func readSlice(after place: Position) async throws -> ReadSlice {
        let query = JournalQuery(after: place, filter: filter, bytes: limits.streamBytes)
        return ReadSlice(slice: try await engine.journal(query, by: caller))
    }

    /// Reads no more.
    mutating func end() { ahead.take()?.cancel() }

    private mutating func text(of slice: JournalSlice) -> Part {
        var text = StreamText(rows: slice.rows.count)
        for listed in slice.rows { text.add(listed, generation: engine.generation) }
        place = max(place, slice.through)
        return Part(text: text.bytes, isLast: slice.isLast)
    }
}
