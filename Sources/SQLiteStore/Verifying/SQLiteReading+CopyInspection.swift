import GRDB
package import WorkflowStore

extension SQLiteReading {
    package func inspectCopies(after place: InspectionPlace) async throws(StoreError) -> InspectedCopies {
        try await readers.slice { database, budget in
            var inspection = CopyInspection(place: CopyPlace(place))
            do {
                try inspection.run(database, &budget)
                return inspection.slice
            } catch {
                return try inspection.unreadable(error)
            }
        }
    }
}

/// A place in the tables that only repeat what others say, which are gone through one after another.
private struct CopyPlace: Sendable {
    enum Table {
        case snapshots, timers, effects, attempts, keys, settings, erasures, runs, runNames, queues, instances
        case purges, deletions, tally
    }

    var table = Table.snapshots
    var walk = OrderedWalk()
    /// The keys so far.
    var keys: Int64 = 0
    /// What the store said of its keys when the counting began: with something else at its end the numbers say nothing.
    var ledger: KeyLedger?
    /// What was counted of instances.
    var tally = TallyInspection()
    /// Instances that are deleted, and those of which something is left to delete.
    var purges = PurgeInspection()
    /// The numbers of instances that are there or were deleted.
    var deletions = DeletionInspection()
    /// What was erased of instances that are not there.
    var erasures = ErasureInspection()

    /// Before the next table; nil behind the last one.
    func following() -> CopyPlace? {
        switch table {
        case .snapshots: CopyPlace(table: .timers)
        case .timers: CopyPlace(table: .effects)
        case .effects: CopyPlace(table: .attempts)
        case .attempts: CopyPlace(table: .keys)
        case .keys: CopyPlace(table: .settings)
        case .settings: CopyPlace(table: .erasures)
        case .erasures: CopyPlace(table: .runs, erasures: erasures)
        case .runs: CopyPlace(table: .runNames, erasures: erasures)
        case .runNames: CopyPlace(table: .queues, erasures: erasures)
        case .queues: CopyPlace(table: .instances, erasures: erasures)
        case .instances:
            CopyPlace(table: .purges, tally: tally, purges: purges, deletions: deletions, erasures: erasures)
        case .purges: CopyPlace(table: .deletions, tally: tally, deletions: deletions, erasures: erasures)
        case .deletions: CopyPlace(table: .tally, tally: tally)
        case .tally: nil
        }
    }
}

/// One slice of the tables that only repeat what others say, being read.
private struct CopyInspection {
    var place: CopyPlace
    var slice = InspectedCopies()
    private var isInOrder = true

    init(place: CopyPlace) {
        self.place = place
    }

    mutating func run(_ database: Database, _ budget: inout SliceBudget) throws {
        guard let store = try StoreRow.read(database) else { throw StoreRow.missing }
        let ledger = store.keys
        defer { if slice.next == nil { slice.next = place.following().map(InspectionPlace.init) } }
        guard try place.table.isThere(in: database) else { return }
        if place.ledger == nil { place.ledger = ledger }
        place.tally.see(store.nextPosition)
        place.deletions.see(store.nextPosition)
        try place.purges.see(store.nextPosition, database)
        let order = place.table.order
        try place.walk.begin(order, database)
        var select = try PreparedStatement(database, place.table.rows(after: place.walk.last != nil))
        for value in place.walk.last ?? [] { select.bind(value) }
        try select.forEachRow { row in
            // The row is read again from its first column on.
            var columns = row
            switch try place.walk.step(order.columns.map { _ in columns.value() }, order, database) {
            case .take: break
            case .stop: return false
            case .refuse(let what):
                slice.inconsistencies.append(Inconsistency(what))
                isInOrder = false
                return false
            }
            do {
                try look(at: &row, store, database)
            } catch let failure as SQLiteFailure where failure.isOurs {
                slice.inconsistencies.append(Inconsistency("a row of \(order.name): \(failure.message)"))
                leaveOut()
            }
            if budget.spend() { return true }
            slice.next = InspectionPlace(place)
            return false
        }
        if slice.next == nil { compareCounts(store) }
    }

    /// Compares what was counted of a table that is through. What a daemon wrote meanwhile would be counted half.
    private mutating func compareCounts(_ store: StoreRow) {
        let ledger = store.keys
        if !isInOrder { leaveOut() }
        if place.table == .purges, let inconsistency = place.purges.inconsistency {
            slice.inconsistencies.append(inconsistency)
        }
        if place.table == .deletions {
            if let inconsistency = place.erasures.inconsistency { slice.inconsistencies.append(inconsistency) }
            slice.miscount = place.deletions.inconsistency(store.numbers.nextInstance)
        }
        if place.table == .tally { slice.miscount = place.tally.inconsistency }
        guard place.table == .keys, isInOrder, place.ledger == ledger, place.keys != ledger.count else { return }
        slice.inconsistencies.append(
            Inconsistency("the store says that it remembers \(ledger.count) keys, but there are \(place.keys)"))
    }

    /// What was found so far, and that the rest of this table is left out; throws what is no damage.
    func unreadable(_ error: any Error) throws -> InspectedCopies {
        let failure = SQLiteFailure(error)
        guard failure.isCorrupt else { throw error }
        var slice = slice
        var left = self
        left.leaveOut()
        slice.inconsistencies.append(
            Inconsistency("\(place.table.order.name) cannot be read, and its rest was not compared: \(failure)"))
        slice.next = left.place.following().map(InspectionPlace.init)
        return slice
    }

    /// Not all rows of the table are seen, or one cannot be read.
    private mutating func leaveOut() {
        place.tally.leaveOut()
        place.purges.leaveOut()
        place.deletions.leaveOut()
        if place.table == .deletions { place.erasures = ErasureInspection() }
    }

    private mutating func look(at row: inout StatementRow, _ store: StoreRow, _ database: Database) throws {
        switch place.table {
        case .snapshots:
            slice.snapshots += 1
            if let inconsistency = try Self.inconsistency(ofSnapshot: &row) {
                slice.inconsistencies.append(inconsistency)
            }
        case .timers:
            slice.timers += 1
            let timer = try TimerRecord(row: &row)
            if let inconsistency = try TimerInspection.inconsistency(of: timer, database) {
                slice.inconsistencies.append(inconsistency)
            }
        case .effects:
            slice.effects += 1
            if let inconsistency = try EffectInspection.inconsistency(of: &row, database) {
                slice.inconsistencies.append(inconsistency)
            }
        case .attempts:
            slice.attempts += 1
            if let inconsistency = try AttemptInspection.inconsistency(of: &row) {
                slice.inconsistencies.append(inconsistency)
            }
        case .keys:
            slice.keys += 1
            place.keys += 1
            // Proof: these are looked up, and nothing counts with them.
            let (key, scope, position) = (row.bytes(), row.integer(), Position(rawValue: row.integer()))
            if let inconsistency = try inconsistency(key, scope, position, store.keys, database) {
                slice.inconsistencies.append(inconsistency)
            }
        case .settings:
            if let inconsistency = try SettingInspection.inconsistency(of: &row) {
                slice.inconsistencies.append(inconsistency)
            }
        case .erasures, .runs, .runNames, .queues: try lookAtOperators(&row)
        case .instances:
            // Proof: it is kept among others, and nothing counts with it.
            let id = row.integer()
            if try row.text(at: 2) == InstanceStatus.purging.rawValue {
                place.purges.add(id)
            } else {
                try place.tally.add(&row)
                place.deletions.add(id)
            }
        case .purges:
            if let inconsistency = try place.purges.inconsistency(of: &row, floor: store.purgeFloor, database) {
                slice.inconsistencies.append(inconsistency)
            }
        case .deletions:
            if let inconsistency = try place.deletions.inconsistency(of: &row, store, &place.erasures) {
                slice.inconsistencies.append(inconsistency)
            }
        case .tally: try place.tally.subtract(&row)
        }
    }

    /// What operators have asked for beside the histories.
    private mutating func lookAtOperators(_ row: inout StatementRow) throws {
        var inconsistency: Inconsistency?
        switch place.table {
        case .erasures: inconsistency = try place.erasures.inconsistency(of: &row)
        case .runs: inconsistency = try RunInspection.inconsistency(of: &row)
        case .queues: _ = try QueueRecord(row: &row)
        default: inconsistency = try RunInspection.inconsistency(ofNames: &row)
        }
        if let inconsistency { slice.inconsistencies.append(inconsistency) }
    }

    /// Snapshots that no journal row asks for. What the others hold is compared with the row.
    private static func inconsistency(ofSnapshot row: inout StatementRow) throws -> Inconsistency? {
        let (instance, seq, position) = (try row.instanceID(), try row.seq(), try row.position())
        let hasRow = row.integer() == 1
        guard row.integer() == 1 else {
            return Inconsistency(
                seq: seq, position: position,
                "a snapshot belongs to an instance \(instance.rawValue) that is not there")
        }
        return hasRow
            ? nil
            : Inconsistency(instance: instance, seq: seq, position: position, "there is a snapshot without its row")
    }

    /// Keys that no journal row was written with.
    private func inconsistency(
        _ key: [UInt8], _ scope: Int64, _ position: Position, _ ledger: KeyLedger, _ database: Database
    ) throws -> Inconsistency? {
        let row: JournalRecord?
        do {
            row = try StoreQueries.row(database, at: position)
        } catch let failure as SQLiteFailure where failure.isCorrupt {
            // Told with the instance.
            return nil
        }
        let instance = scope > 0 ? InstanceID(rawValue: scope) : row?.instanceID
        guard position >= ledger.floor else {
            return Inconsistency(instance: instance, position: position, "a key is remembered that should be forgotten")
        }
        if let row, row.key == key, try StoreQueries.scope(database, of: row)?.rawValue == scope { return nil }
        return Inconsistency(
            instance: instance, position: position, "a key is remembered for a row that does not have it")
    }
}

extension CopyPlace.Table {
    var order: KeyOrder {
        switch self {
        case .snapshots: KeyOrder(table: "snapshot", index: nil, columns: ["instance_id", "seq"], unique: 2)
        case .timers: KeyOrder(table: "timer", index: nil, columns: ["due_ms", "position", "ordinal"], unique: 3)
        case .effects: KeyOrder(table: "effect", index: nil, columns: ["rowid"], unique: 1)
        case .attempts: KeyOrder(table: "attempt", index: nil, columns: ["effect", "attempt"], unique: 2)
        case .keys: KeyOrder(table: "dedupe", index: nil, columns: ["key", "scope"], unique: 2)
        case .settings: KeyOrder(table: "machine_setting", index: nil, columns: ["namespace_id", "name"], unique: 2)
        case .erasures: KeyOrder(table: "erasure", index: nil, columns: ["rowid"], unique: 1)
        case .runs: KeyOrder(table: "bulk", index: nil, columns: ["namespace_id", "name", "partition"], unique: 3)
        case .runNames:
            KeyOrder(
                table: "bulk_names", index: nil, columns: ["namespace_id", "name", "partition", "piece"], unique: 4)
        case .queues: KeyOrder(table: "queue", index: nil, columns: ["name"], unique: 1)
        case .instances: KeyOrder(table: "instance", index: nil, columns: ["rowid"], unique: 1)
        case .purges: KeyOrder(table: "purge", index: nil, columns: ["waits", "head"], unique: 2)
        case .deletions: KeyOrder(table: "audit", index: nil, columns: ["rowid"], unique: 1)
        case .tally: KeyOrder(table: "tally", index: nil, columns: ["machine_id", "status", "state"], unique: 3)
        }
    }

    /// Whether the schema of the file has it.
    fileprivate func isThere(in database: Database) throws -> Bool {
        switch self {
        case .snapshots, .timers, .keys: true
        case .effects, .attempts, .queues: try EffectQueries.isThere(in: database)
        case .settings, .erasures, .runs, .runNames, .instances, .purges, .deletions, .tally:
            try TallyInspection.isThere(in: database)
        }
    }

    /// The rows in their order, from behind a place on: the columns of the order first, then what is compared.
    fileprivate func rows(after place: Bool) -> String {
        switch self {
        case .snapshots:
            """
            SELECT s.instance_id, s.seq, s.position, s.seq = j.seq AND s.instance_id = j.instance_id
                AND (s.seq % \(SnapshotRecord.interval) = 0 OR j.kind = 'redacted'),
                i.id IS NOT NULL
            FROM snapshot s LEFT JOIN journal j ON j.position = s.position LEFT JOIN instance i ON i.id = s.instance_id
            \(place ? "WHERE (s.instance_id, s.seq) > (?, ?)" : "") ORDER BY s.instance_id, s.seq
            """
        case .timers:
            """
            SELECT \(TimerRecord.columns) FROM timer
            \(place ? "WHERE (due_ms, position, ordinal) > (?, ?, ?)" : "") ORDER BY due_ms, position, ordinal
            """
        case .effects:
            "SELECT \(EffectRecord.columns) FROM effect NOT INDEXED \(place ? "WHERE id > ?" : "") ORDER BY id"
        case .attempts:
            """
            \(AttemptInspection.rows)
            \(place ? "WHERE (a.effect, a.attempt) > (?, ?)" : "") ORDER BY a.effect, a.attempt
            """
        case .keys:
            """
            SELECT key, scope, position FROM dedupe
            \(place ? "WHERE (key, scope) > (?, ?)" : "") ORDER BY key, scope
            """
        case .settings:
            """
            \(SettingInspection.rows)
            \(place ? "WHERE (s.namespace_id, s.name) > (?, ?)" : "") ORDER BY s.namespace_id, s.name
            """
        case .erasures:
            "\(ErasureInspection.rows) \(place ? "WHERE e.id > ?" : "") ORDER BY e.id"
        case .runs:
            """
            \(RunInspection.rows)
            \(place ? "WHERE (r.namespace_id, r.name, r.partition) > (?, ?, ?)" : "")
            ORDER BY r.namespace_id, r.name, r.partition
            """
        case .runNames:
            """
            \(RunInspection.names)
            \(place ? "WHERE (n.namespace_id, n.name, n.partition, n.piece) > (?, ?, ?, ?)" : "")
            ORDER BY n.namespace_id, n.name, n.partition, n.piece
            """
        case .queues:
            "SELECT \(QueueRecord.columns) FROM queue \(place ? "WHERE name > ?" : "") ORDER BY name"
        case .instances:
            """
            SELECT id, machine_id, status, configuration FROM instance NOT INDEXED
            \(place ? "WHERE id > ?" : "") ORDER BY id
            """
        case .purges:
            """
            SELECT waits, head, instance_id, seq, audit FROM purge
            \(place ? "WHERE (waits, head) > (?, ?)" : "") ORDER BY waits, head
            """
        case .deletions:
            "\(DeletionInspection.rows) \(place ? "WHERE a.position > ?" : "") ORDER BY a.position"
        case .tally:
            """
            SELECT machine_id, status, state, n FROM tally
            \(place ? "WHERE (machine_id, status, state) > (?, ?, ?)" : "") ORDER BY machine_id, status, state
            """
        }
    }
}

extension CopyPlace {
    init(_ place: InspectionPlace) {
        guard let mark = place.mark else {
            self.init()
            return
        }
        // Proof: an inspection gets back only the places that it gave.
        guard let mark = mark as? CopyPlace else { preconditionFailure("the place is of another inspection") }
        self = mark
    }
}
