import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// The rows of a stream in their order, part by part; each part is read on demand or ahead.
struct StreamRows: Sendable {
    /// The rows that are sent next.
    struct Part: Sendable {
        /// The texts; empty if no row that was read is wanted.
        var texts: [[UInt8]] = []
        /// True if nothing followed the part.
        var isLast: Bool
        /// The share that counts the texts as long as it is held.
        var share: AnswerBudget.Share?
        /// The shares of further partitions.
        var others: [AnswerBudget.Share] = []
    }

    private enum Source: Sendable {
        /// The rows of all instances.
        case journal(JournalTail)
        /// The rows of all instances in several partitions, with the place up to which everything was sent.
        case partitions([JournalTail], JournalPlace)
        /// The rows of one instance, after a seq.
        case instance(InstanceID, Seq)
    }

    private let engine: Engine
    private let caller: Caller
    private let filter: JournalFilter
    private let limits: ServerLimits
    private let reads: StreamReads
    private var source: Source
    /// The parts that are read while the previous part is sent, in their order; empty near the end.
    private var ahead: [PartAhead] = []
    /// The last position of a journal that gets no rows while this stream reads; `nil` until it is read.
    private var standing: Position?
    /// The number of the partition that was read last.
    private var turn = 0
    /// The approximate number of positions in a part.
    private var width: Int64 = 1

    /// The text of some rows, and the time when the rows were read.
    private struct ReadPart: Sendable {
        let text: [UInt8]
        let reach: JournalReach
        let time = ContinuousClock.now
    }

    /// A part that is being read, and the position where it is to end; `nil` for any end. The share counts until the
    /// part is sent. The task returns `nil` if there was no room.
    private struct PartAhead: Sendable {
        let part: Task<ReadPart?, any Error>
        let through: Position?
        let share: AnswerBudget.Share
    }
    /// The position up to which everything was sent.
    private(set) var place: Position
    /// True if the stream has come to the end of the journal, so that other streams probably read the same rows.
    private var isNearEnd = false

    /// The place up to which everything was sent.
    var reached: JournalPlace {
        if case .partitions(_, let place) = source { place } else { JournalPlace([place]) }
    }

    /// Creates the rows of all instances after a place.
    ///
    /// - Parameter tails: The newest rows of the partitions, in their order.
    init(
        after place: JournalPlace, of tails: [JournalTail], _ filter: JournalFilter, engine: Engine, by caller: Caller,
        limits: ServerLimits, reads: StreamReads
    ) {
        let first = place.positions.first ?? .beginning(of: .first)
        self.init(
            // Proof: a store has at least one partition.
            after: first, of: tails[0], filter, engine: engine, by: caller, limits: limits, reads: reads)
        if tails.count > 1 { source = .partitions(tails, place) }
    }

    /// Creates the rows of all instances of a store with one partition, after a position.
    init(
        after place: Position, of tail: JournalTail, _ filter: JournalFilter, engine: Engine, by caller: Caller,
        limits: ServerLimits, reads: StreamReads
    ) {
        self.reads = reads
        source = .journal(tail)
        self.place = place
        self.filter = filter
        self.engine = engine
        self.caller = caller
        self.limits = limits
    }

    /// Creates the rows of one instance after a seq.
    init(
        of record: InstanceRecord, after seq: Seq, at place: Position, _ filter: JournalFilter, engine: Engine,
        by caller: Caller, limits: ServerLimits, reads: StreamReads
    ) {
        self.reads = reads
        source = .instance(record.id, seq)
        self.place = place
        self.filter = filter
        self.engine = engine
        self.caller = caller
        self.limits = limits
    }

    /// Returns the next part; `nil` if there will be none, because the instance is gone.
    mutating func next() async throws -> Part? {
        switch source {
        case .journal(let tail):
            return isNearEnd ? try await read(tail) : try await readJournal()
        case .partitions(let tails, let place): return try await read(tails, after: place)
        case .instance(let id, let seq):
            let (read, share) = try await reads.read(
                expecting: limits.streamBytes, size: { (read: InstancePart?) in read?.text.count ?? 0 }
            ) { try await readInstance(id, after: seq) }
            guard let read else { return nil }
            source = .instance(id, read.seq)
            place = max(place, read.through)
            return Part(texts: read.text.isEmpty ? [] : [read.text], isLast: read.isLast, share: share)
        }
    }

    /// The text of some rows of one instance, and the seq and position up to which they reach.
    private struct InstancePart: Sendable {
        let text: [UInt8]
        let seq: Seq
        let through: Position
        let isLast: Bool
    }

    /// Reads the next rows; `nil` if the instance is gone.
    private func readInstance(_ id: InstanceID, after seq: Seq) async throws -> InstancePart? {
        guard let record = try await engine.instance(id, by: caller) else { return nil }
        let (slice, last) = try await engine.journal(
            of: record, after: seq, filter, limit: limits.streamRows, by: caller)
        var text = StreamText(capacity: slice.rows.count * limits.streamRowBytes)
        for listed in slice.rows { listed.lend { text.add($0, generation: engine.generation) } }
        return InstancePart(text: text.bytes, seq: last, through: slice.through, isLast: slice.isLast)
    }

    private mutating func read(_ tail: JournalTail) async throws -> Part {
        guard let read = try await tail.rows(after: place) else { return Part(isLast: true) }
        let texts = read.rows.filter { $0.position > place && $0.isTaken(by: filter) }.map(\.text)
        isNearEnd = read.isLast
        place = max(place, read.through)
        let isLast = read.isLast && engine.feed.newest(in: .first).map { place >= $0 } ?? true
        return Part(texts: texts, isLast: isLast, share: read.share)
    }

    /// Reads the next rows of each partition, until there are enough bytes. The partition after the last one that was
    /// read comes first, so that a busy partition keeps no other one waiting.
    private mutating func read(_ tails: [JournalTail], after place: JournalPlace) async throws -> Part {
        var place = place
        var part = Part(isLast: true)
        var bytes = 0
        for _ in tails where bytes < limits.streamBytes {
            turn = (turn + 1) % tails.count
            let before = place.position(in: engine.store.partitions[turn])
            guard let read = try await tails[turn].rows(after: before) else { continue }
            for row in read.rows where row.position > before && row.isTaken(by: filter) {
                place.advance(to: row.position)
                let cursor = JournalCursor(generation: engine.generation, place: place)
                part.texts.append(StreamText.text(row.text, with: cursor.text))
                bytes += row.text.count
            }
            place.advance(to: read.through)
            part.others.append(read.share)
            let newest = engine.feed.newest(in: before.partition)
            let isBehind = newest.map { place.position(in: before.partition) < $0 } ?? false
            if !read.isLast || isBehind { part.isLast = false }
        }
        if bytes >= limits.streamBytes { part.isLast = false }
        source = .partitions(tails, place)
        return part
    }

    private mutating func readJournal() async throws -> Part {
        let before = place
        let (read, share, isWhole) = try await nextPart()
        place = max(place, read.reach.through)
        isNearEnd = read.reach.isLast
        if !isWhole {
            width = max(1, (place.rawValue - before.rawValue) / 4 * 3)
        } else if read.text.count < limits.streamBytes / 2 {
            width += max(1, width / 8)
        }
        if isNearEnd { end() } else { try await readAhead() }
        return Part(texts: read.text.isEmpty ? [] : [read.text], isLast: read.reach.isLast, share: share)
    }

    /// Returns the next part, and true if the part reaches the position where it was to end.
    private mutating func nextPart() async throws -> (ReadPart, AnswerBudget.Share, isWhole: Bool) {
        if !ahead.isEmpty {
            let first = ahead.removeFirst()
            let read = try await first.part.value
            let isWhole = read.map { first.through == $0.reach.through } ?? false
            // The following parts do not join on to this part.
            if !isWhole { end() }
            // A part that was read too long ago is read again: data that was redacted or purged meanwhile must not be
            // sent.
            if let read, read.time > .now - limits.streamTail { return (read, first.share, isWhole) }
            end()
        }
        let (read, share) = try await reads.read(expecting: limits.streamBytes, size: Self.size(of:)) {
            try await readPart(after: place, through: nil)
        }
        return (read, share, false)
    }

    private static func size(of part: ReadPart) -> Int { part.text.count }

    /// Begins to read the next parts concurrently, each over the same number of positions. Reads nothing ahead while a
    /// quarter of the memory for answers is in use. So bytes that some callers do not read leave the rest to all
    /// others. The last part has no fixed end.
    private mutating func readAhead() async throws {
        let newest = try await newestOnDisk()
        while ahead.count < limits.streamAhead {
            var start = place
            if let last = ahead.last {
                guard let through = last.through else { return }
                start = through
            }
            let through = Position(rawValue: start.rawValue + width)
            let isOnDisk = through <= newest
            let budget = reads.budget
            guard isOnDisk || ahead.isEmpty, !budget.isSpent(by: budget.limit / 4 * 3),
                let share = reads.share(of: limits.streamBytes)
            else { return }
            let end = isOnDisk ? through : nil
            let part = Task { [self] in
                try await reads.read(into: share, size: Self.size(of:)) {
                    try await readPart(after: start, through: end)
                }
            }
            ahead.append(PartAhead(part: part, through: end, share: share))
        }
    }

    private mutating func newestOnDisk() async throws -> Position {
        if let newest = engine.feed.newest(in: .first) ?? standing { return newest }
        // No row has been written since wfd was started.
        let last = try await engine.lastPosition(in: .first, by: caller)
        standing = last
        return last
    }

    private func readPart(after place: Position, through: Position?) async throws -> ReadPart {
        let query = JournalQuery(after: place, through: through, filter: filter, bytes: limits.streamBytes)
        let text = StreamText(capacity: limits.streamBytes)
        let (read, reach) = try await engine.journal(query, by: caller, into: text) {
            [generation = engine.generation] (text, row) in text.add(row, generation: generation)
        }
        return ReadPart(text: read.bytes, reach: reach)
    }

    /// Cancels the reads ahead.
    mutating func end() {
        for part in ahead { part.part.cancel() }
        ahead = []
    }
}
