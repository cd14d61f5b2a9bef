import Statechart
import WorkflowStore

/// The counts of a machine's rows, up to a position.
///
/// A row says which states were active before and after it. The length of a stay needs the row that began it: the sheet
/// knows the stays of the instances whose rows it took last, and asks for the others as `searches`.
struct StatisticsSheet: Sendable {
    /// A state and its stays.
    struct StateCount: Sendable {
        let path: String
        var visits: Int64 = 0
        var lengths = DurationSketch()
        var longest: LongestStay
    }

    /// An event and a change of leaves, whose paths are joined by commas.
    struct TransitionKey: Hashable {
        let event: String
        let from: String
        let to: String
    }

    /// The place of a change in the counts.
    private struct Move {
        /// The places of states that were left and entered.
        var left: [Int] = []
        var entered: [Int] = []
        /// The place in `transitions`; `nil` if the change is no transition, or there is no room for it.
        var transition: Int?
        var isOther = false
        /// True if some states are not counted, because there are too many.
        var isPartial = false
    }

    /// The stays of an instance that are known, after one of its rows.
    private struct OpenStays: Sendable {
        var seq: Int64
        var stays: [(state: Int, entered: Timestamp)] = []
    }

    /// A search for the begins of stays that ended at a time.
    struct EndedStays: Sendable {
        var search: StaySearch
        let end: Timestamp
    }

    let query: StatisticsQuery
    private let limits: StatisticsLimits
    /// The place after which rows count.
    let start: JournalPlace
    /// The place up to which rows were read.
    private(set) var through: JournalPlace
    private(set) var rows: Int64 = 0
    private(set) var states: [StateCount] = []
    private(set) var transitions: [(key: TransitionKey, count: Int64)] = []
    private(set) var failures: [FailureCause: Int64] = [:]
    private(set) var others = MachineStatistics.Others()
    /// The stays that ended and whose begins are to be found.
    var searches: [EndedStays] = []
    /// The search for the longest stays; `nil` if none is under way.
    var scan: StayScan?
    /// True if the longest stay of each state was searched for once.
    var isScanned = false
    private var places: [String: Int] = [:]
    private var transitionPlaces: [TransitionKey: Int] = [:]
    /// The bytes of names in `states` and `transitions`.
    private var nameBytes = 0
    private var moves: [TransitionKey: Move] = [:]
    private var moveBytes = 0
    private var open: GenerationCache<InstanceID, OpenStays>

    init(of query: StatisticsQuery, after start: JournalPlace, limits: StatisticsLimits) {
        self.query = query
        self.limits = limits
        self.start = start
        through = start
        open = GenerationCache(bound: limits.openStays)
    }

    /// Takes the next row of the machine; skips a row that was taken already.
    mutating func take(_ listed: LentListedRow) {
        let row = listed.row
        guard row.position > through.position(in: row.position.partition) else { return }
        through.advance(to: row.position)
        // Proof: the store refuses rows of other kinds.
        guard query.version.map({ $0 == listed.version }) ?? true,
            let kind = JournalKind(rawValue: String(decoding: row.kind, as: UTF8.self))
        else { return }
        rows += 1
        if kind == .failed { count(FailureCause(row)) }
        let move = move(of: row, isTransition: kind.isStep && !(kind == .timer && row.isTooLate))
        if let transition = move.transition { transitions[transition].count += 1 }
        if move.isOther { others.transitions += 1 }
        if move.isPartial { others.states += 1 }
        follow(row, move)
        // A reset instance may have been cancelled before, and a migrated one comes from another version: they may be
        // back in states that they entered long ago.
        if kind.changesMachine {
            for state in active(in: String(decoding: row.to, as: UTF8.self)) { states[state].longest = .unknown }
        }
    }

    /// Ends a slice of rows.
    mutating func advance(to position: Position) { through.advance(to: position) }

    /// Counts the ends of stays whose begins were found.
    mutating func add(_ ended: [EndedStays]) {
        for ended in ended {
            for (path, entered) in zip(ended.search.states, ended.search.entered) {
                guard let entered, let place = places[path] else { continue }
                states[place].lengths.add(milliseconds: ended.end.rawValue - entered.rawValue)
            }
        }
    }

    /// Returns the places of the states that are active in a configuration, as far as there is room for them.
    mutating func active(in configuration: String) -> [Int] {
        var isPartial = false
        return SnapshotText.activePaths(in: configuration).compactMap { place(of: $0, &isPartial) }
    }

    mutating func setLongest(_ longest: LongestStay, at place: Int) { states[place].longest = longest }

    // MARK: Rows

    private mutating func follow(_ row: LentRow, _ move: Move) {
        var known = OpenStays(seq: row.seq.rawValue)
        if let found = open.value(for: row.instanceID, cost: { $0.stays.count + 1 }), found.seq == row.seq.rawValue - 1
        {
            known.stays = found.stays
        }
        let count = known.stays.count
        var unknown: [String] = []
        for state in move.left {
            states[state].longest.left(by: row.instanceID)
            if let place = known.stays.firstIndex(where: { $0.state == state }) {
                let entered = known.stays.remove(at: place).entered
                states[state].lengths.add(milliseconds: row.at.rawValue - entered.rawValue)
            } else {
                unknown.append(states[state].path)
            }
        }
        if let previous = row.previous, !unknown.isEmpty {
            let search = StaySearch(of: row.instanceID, in: unknown, after: previous)
            searches.append(EndedStays(search: search, end: row.at))
        }
        for state in move.entered {
            states[state].visits += 1
            states[state].longest.entered(by: row.instanceID, at: row.at)
            known.stays.append((state, row.at))
        }
        open.insert(known, for: row.instanceID, cost: count + 1)
        open.grow(by: known.stays.count - count)
        open.trim()
    }

    private mutating func count(_ failure: FailureCause) {
        if failures[failure] == nil, failures.count >= limits.failures {
            others.failures += 1
        } else {
            failures[failure, default: 0] += 1
        }
    }

    private mutating func move(of row: LentRow, isTransition: Bool) -> Move {
        let key = TransitionKey(
            event: isTransition ? String(decoding: row.event, as: UTF8.self) : "",
            from: String(decoding: row.from, as: UTF8.self), to: String(decoding: row.to, as: UTF8.self))
        if let move = moves[key] { return move }
        let move = newMove(key, isTransition: isTransition)
        moveBytes += key.bytes + Self.moveBytes
        if moveBytes > limits.moveBytes {
            moves.removeAll()
            moveBytes = key.bytes + Self.moveBytes
        }
        // A change for which there is no room now has none later.
        moves[key] = move
        return move
    }

    /// The approximate bytes of a remembered change without its texts.
    private static let moveBytes = 256

    private mutating func newMove(_ key: TransitionKey, isTransition: Bool) -> Move {
        var move = Move()
        let before = SnapshotText.activePaths(in: key.from)
        let after = SnapshotText.activePaths(in: key.to)
        let (isBefore, isAfter) = (Set(before), Set(after))
        move.left = before.filter { !isAfter.contains($0) }.compactMap { place(of: $0, &move.isPartial) }
        move.entered = after.filter { !isBefore.contains($0) }.compactMap { place(of: $0, &move.isPartial) }
        guard isTransition else { return move }
        let from = SnapshotText.leafPaths(in: key.from).filter { !isAfter.contains($0) }
        let to = SnapshotText.leafPaths(in: key.to).filter { !isBefore.contains($0) }
        let changed =
            from.isEmpty && to.isEmpty
            ? key
            : TransitionKey(event: key.event, from: from.joined(separator: ","), to: to.joined(separator: ","))
        move.transition = place(of: changed)
        move.isOther = move.transition == nil
        return move
    }

    private mutating func place(of transition: TransitionKey) -> Int? {
        if let place = transitionPlaces[transition] { return place }
        guard transitions.count < limits.transitions, hasRoom(for: transition.bytes) else { return nil }
        transitions.append((transition, 0))
        transitionPlaces[transition] = transitions.count - 1
        return transitions.count - 1
    }

    private mutating func place(of path: String, _ isPartial: inout Bool) -> Int? {
        if let place = places[path] { return place }
        guard states.count < limits.states, hasRoom(for: path.utf8.count) else {
            isPartial = true
            return nil
        }
        states.append(StateCount(path: path, longest: isScanned ? .none : .unknown))
        places[path] = states.count - 1
        return states.count - 1
    }

    private mutating func hasRoom(for bytes: Int) -> Bool {
        guard nameBytes + bytes <= limits.nameBytes else { return false }
        nameBytes += bytes
        return true
    }
}

extension StatisticsSheet.TransitionKey {
    fileprivate var bytes: Int { event.utf8.count + from.utf8.count + to.utf8.count }
}

extension JournalKind {
    /// True if a row of this kind records that transitions were taken.
    fileprivate var isStep: Bool {
        switch self {
        case .started, .event, .sent, .timer, .result, .retried: true
        case .failed, .skipped, .suspended, .resumed, .cancelled, .reset, .set, .migrated, .effect, .redacted: false
        }
    }
}

extension LentRow {
    /// True if the row's timer came too late, so that no transition was taken.
    fileprivate var isTooLate: Bool {
        note.map { RowNote(String(decoding: $0, as: UTF8.self)).skipped != nil } ?? false
    }
}

extension SnapshotText {
    /// Returns the paths of all active states: the leaves and the states around them.
    fileprivate static func activePaths(in configuration: String) -> [String] {
        var paths: [String] = []
        var known: Set<Substring> = []
        for leaf in leafPaths(in: configuration) {
            for end in leaf.indices.filter({ leaf[$0] == "." }) + [leaf.endIndex]
            where known.insert(leaf[..<end]).inserted {
                paths.append(String(leaf[..<end]))
            }
        }
        return paths
    }
}
