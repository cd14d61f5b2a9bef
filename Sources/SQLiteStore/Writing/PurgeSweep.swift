import GRDB
import Statechart
import WorkflowStore

/// Removes a bounded part of the deleted instances' rows, inside a transaction that its caller begins and ends. The
/// next row to remove is always the remaining row with the highest position.
///
/// Rows of instances that were deleted together stand together, so a part changes few pages. A row costs a few lookups
/// by number. The sweep reads neither the rows that stay for later nor the rows of other instances.
struct PurgeSweep {
    /// An instance and its last remaining row.
    private struct Place {
        let stored: Position
        let instance: InstanceID
        let audit: Position
        var head: Position
        var seq: Int64
        var isChanged: Bool { head != stored }
    }

    /// The columns of a row that the sweep reads.
    private struct Row {
        let previous: Position?
        let machine: MachineID
        let key: RequestKey?
        let kind: String
    }

    /// The number of instances whose places are read at once.
    private static let placesAtOnce = 256

    let values: BoundValues
    let order: SweepOrder
    let database: Database
    private(set) var ledger: KeyLedger
    private(set) var backlog: PurgeBacklog
    /// The position above all removed rows.
    private(set) var floor = Position(rawValue: 0)
    private var rows = 0
    private let hasAttempts: Bool
    private let begin = ContinuousClock.now

    init(_ order: SweepOrder, _ ledger: KeyLedger, _ backlog: PurgeBacklog, values: BoundValues, _ database: Database)
        throws
    {
        self.order = order
        self.ledger = ledger
        self.backlog = backlog
        self.values = values
        self.database = database
        hasAttempts = try PreparedStatement.number(database, "SELECT EXISTS (SELECT 1 FROM attempt)") == 1
    }

    /// True if there is time and room for one more row.
    private var isOpen: Bool {
        rows < order.rows && (rows % 16 != 0 || rows == 0 || ContinuousClock.now < begin + order.time)
    }

    /// Removes as many rows as the order allows.
    mutating func run() throws {
        try endWaiting()
        while isOpen, backlog.instances > 0 {
            let (places, bound) = try nextPlaces()
            guard !places.isEmpty else { break }
            guard try take(places, above: bound) else { break }
        }
        backlog.floor = ledger.floor
        backlog.firstWaiting = try firstWaiting()
    }

    // MARK: Places

    /// Returns the instances with the highest rows, and the highest row of all other instances.
    private func nextPlaces() throws -> (places: [Place], bound: Position) {
        var select = try PreparedStatement(
            database,
            "SELECT head, instance_id, seq, audit FROM purge WHERE waits = 0 ORDER BY head DESC LIMIT ?",
            Self.placesAtOnce + 1)
        var places = try select.all { row in
            let (head, instance, seq) = (try row.position(), try row.instanceID(), try row.ordinal())
            return Place(stored: head, instance: instance, audit: try row.position(), head: head, seq: seq)
        }
        guard places.count > Self.placesAtOnce, let first = places.popLast() else {
            return (places, Position(rawValue: 0))
        }
        return (places, first.head)
    }

    /// Removes rows of some instances, the highest first, and writes the progress of each. Returns false if no row
    /// could be removed.
    private mutating func take(_ places: [Place], above bound: Position) throws -> Bool {
        let before = rows
        var places = places
        // In ascending order of heads, the highest last.
        places.reverse()
        while isOpen, var place = places.popLast() {
            guard place.head > bound else {
                places.append(place)
                break
            }
            var isLeft = true
            repeat {
                isLeft = try takeRow(of: &place)
            } while isLeft && isOpen && place.head > max(bound, places.last?.head ?? bound)
            if isLeft { Self.insert(place, into: &places) }
        }
        for place in places where place.isChanged { try move(place) }
        return rows > before
    }

    /// Inserts a place in the order of heads.
    private static func insert(_ place: Place, into places: inout [Place]) {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].head < place.head { low = middle + 1 } else { high = middle }
        }
        places.insert(place, at: low)
    }

    private func move(_ place: Place) throws {
        try database.run(
            "UPDATE purge SET head = ?, seq = ? WHERE waits = 0 AND head = ?", place.head, place.seq, place.stored,
            values: values)
    }

    // MARK: Rows

    /// Removes the last row of an instance. Returns false if the row was the first one, so the instance is finished.
    private mutating func takeRow(of place: inout Place) throws -> Bool {
        rows += 1
        backlog.rows -= 1
        let row = try row(at: place)
        guard let row, place.seq > 1, let previous = row.previous else {
            try takeFirstRow(of: place, row)
            return false
        }
        if let key = row.key { try forget(key, .instance(place.instance), place.head) }
        try delete(place)
        if row.kind == JournalKind.redacted.rawValue { try deleteSnapshot(of: place) }
        place.head = previous
        place.seq -= 1
        return true
    }

    /// Returns a row; `nil` if the row does not match the chain. `verify` reports such a row; the sweep stops removing
    /// rows of its instance.
    private func row(at place: Place) throws -> Row? {
        return try database.first(
            "SELECT previous, machine_id, key, kind FROM journal WHERE position = ? AND instance_id = ? AND seq = ?",
            place.head, place.instance, place.seq
        ) { row in
            Row(
                previous: try row.previous(of: place.head), machine: try row.machineID(),
                key: row.optionalBytes().map(RequestKey.init(bytes:)), kind: try row.text())
        }
    }

    private mutating func takeFirstRow(of place: Place, _ row: Row?) throws {
        backlog.instances -= 1
        guard let row, place.seq == 1 else {
            // The chain is broken: the remaining rows stay for an investigation.
            backlog.rows -= place.seq - 1
            return try set(place, waits: nil)
        }
        if row.key != nil, place.head >= ledger.floor {
            try empty(place)
            try set(place, waits: true)
            backlog.waiting += 1
            return
        }
        try delete(place)
        try end(place.instance)
        try set(place, waits: nil)
    }

    /// Ends the sweep of an instance, or lets its first row wait.
    ///
    /// - Parameter waits: True if the first row waits; `nil` if the instance is finished.
    private func set(_ place: Place, waits: Bool?) throws {
        try database.run("DELETE FROM purge WHERE waits = 0 AND head = ?", place.stored, values: values)
        guard waits == true else { return }
        let left = PurgeRecord(
            waits: true, head: place.head, instanceID: place.instance, seq: Seq(rawValue: place.seq), audit: place.audit
        )
        try PurgeRecord.insert([left], database, values: values)
    }

    /// Deletes a row with its snapshot and its attempts.
    private mutating func delete(_ place: Place) throws {
        try database.run("DELETE FROM journal WHERE position = ?", place.head, values: values)
        floor = max(floor, place.head.next)
        if place.seq % SnapshotRecord.interval == 0 { try deleteSnapshot(of: place) }
        if hasAttempts { try deleteAttempts(of: place) }
    }

    private func deleteSnapshot(of place: Place) throws {
        try database.run(
            "DELETE FROM snapshot WHERE instance_id = ? AND seq = ?", place.instance, place.seq, values: values)
    }

    /// Deletes the attempts at the effects that the row began. The ids of these effects follow the row's position.
    private func deleteAttempts(of place: Place) throws {
        try database.run(
            "DELETE FROM attempt WHERE effect > ?1 AND effect <= ?1 + ?2 AND instance_id = ?3", place.head,
            StepLimits.requests, place.instance, values: values)
    }

    /// Forgets a key. A key that was forgotten before has no row.
    private mutating func forget(_ key: RequestKey, _ scope: KeyScope, _ position: Position) throws {
        guard position >= ledger.floor else { return }
        var delete = try PreparedStatement(
            database, "DELETE FROM dedupe WHERE key = ? AND scope = ? AND position = ?", key, scope, position,
            values: values)
        try delete.run()
        ledger.count -= Int64(delete.changes)
    }

    private func end(_ instance: InstanceID) throws {
        try database.run(
            "DELETE FROM instance WHERE id = ? AND status = 'purging'", instance, values: values)
    }
}

// MARK: Starts that wait

extension PurgeSweep {
    /// Empties an instance's first row, and clears the instance's former name (in `context`) and its salt. The key
    /// remains, and the data that the chain covers.
    private func empty(_ place: Place) throws {
        var digests = DigestBuffer()
        guard let instance = try InstanceRecord.first(database, "WHERE id = ?", place.instance),
            let row = try JournalRecord.first(database, "WHERE position = ?", place.head), !row.isRedacted,
            let commitment = digests.commitment(row, ChainInstance(instance))
        else { return }
        try database.run(
            "UPDATE journal SET salt = x'', data = ?, note = NULL WHERE position = ?", "\"\(commitment.text)\"",
            place.head, values: values)
        try database.run(
            "UPDATE instance SET context = '\"\"', salt = ?, salt_from = 2 WHERE id = ?", Salt.zero, place.instance,
            values: values)
    }

    /// Removes the instances whose key was forgotten meanwhile.
    private mutating func endWaiting() throws {
        guard let first = backlog.firstWaiting, first < ledger.floor else { return }
        let ended = try database.all(
            "SELECT head, instance_id FROM purge WHERE waits = 1 AND head < ? ORDER BY head LIMIT ?", ledger.floor,
            order.rows
        ) { row in (head: try row.position(), instance: try row.instanceID()) }
        var purge = try PreparedStatement(database, "DELETE FROM purge WHERE waits = 1 AND head = ?", values: values)
        for (head, instance) in ended {
            guard isOpen else { break }
            rows += 1
            try delete(Place(stored: head, instance: instance, audit: head, head: head, seq: 1))
            try end(instance)
            purge.bind(head)
            try purge.run()
            backlog.waiting -= 1
        }
    }

    private func firstWaiting() throws -> Position? {
        if backlog.waiting == 0 { return nil }
        return try database.first(
            "SELECT head FROM purge WHERE waits = 1 ORDER BY head LIMIT 1"
        ) { row in try row.position() }
    }
}
