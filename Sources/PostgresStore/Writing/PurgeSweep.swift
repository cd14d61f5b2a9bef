import Statechart
import WorkflowStore

/// The bounded part of a partition's deleted instances that a batch removes. The next row to remove is always the
/// remaining row with the highest position.
///
/// The rows are chosen before the transaction: only the partition's owner changes them, and the fence finds another
/// owner.
struct PurgeSweep {
    /// An instance and its last remaining row.
    struct Place {
        let stored: Position
        let instance: InstanceID
        let audit: Position
        var head: Position
        var seq: Int64
    }

    private let order: SweepOrder
    private let partition: PartitionID
    private let lookup: any RowReading
    private let end: ContinuousClock.Instant
    private var chains = PurgeChains()
    private(set) var ledger: KeyLedger
    private(set) var backlog: PurgeBacklog
    /// The position above all removed rows.
    private(set) var floor: Position
    private var count = 0
    private var removed = RemovedRows()

    init(
        _ order: SweepOrder, in partition: PartitionID, _ ledger: KeyLedger, _ backlog: PurgeBacklog,
        _ lookup: any RowReading
    ) {
        self.order = order
        self.partition = partition
        self.ledger = ledger
        self.backlog = backlog
        self.lookup = lookup
        floor = .beginning(of: partition).next
        end = .now + order.time
    }

    /// True if there is time and room for one more row.
    private var isOpen: Bool { count < order.rows && (count == 0 || count % 16 != 0 || ContinuousClock.now < end) }

    /// Chooses as many rows as the order allows. Returns the requests that remove them.
    mutating func run() throws(StoreError) -> [Request] {
        try endWaiting()
        if isOpen, backlog.instances > 0 {
            let highest: [PurgeRecord] = try lookup.all(PurgeRecord.highest) {
                $0.add(partition.rawValue)
                // Each of them loses a row at least, so no further one comes into question.
                $0.add(Int64(order.rows - count))
            }
            try take(
                highest.reversed().map { purge in
                    Place(
                        stored: purge.head, instance: purge.instanceID, audit: purge.audit, head: purge.head,
                        seq: purge.seq.rawValue)
                })
        }
        backlog.floor = ledger.floor
        let emptied = try emptying(removed.emptied)
        try findFirstWaiting()
        return removed.requests(emptied)
    }

    /// - Parameter places: The instances in the order of their heads, the highest last.
    private mutating func take(_ places: [Place]) throws(StoreError) {
        var places = places
        while isOpen, var place = places.popLast() {
            var isLeft = true
            repeat {
                isLeft = try takeRow(of: &place, places)
            } while isLeft && isOpen && place.head > places.last?.head ?? floor.beginning
            if isLeft { Self.insert(place, into: &places) }
        }
        for place in places where place.head != place.stored { removed.move(place) }
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

    /// Removes the last row of an instance. Returns false if the row was the first one, so the instance is finished.
    private mutating func takeRow(of place: inout Place, _ others: [Place]) throws(StoreError) -> Bool {
        count += 1
        backlog.rows -= 1
        // `verify` reports a broken chain; the sweep stops removing rows of its instance.
        guard let row = try chains.removeLast(of: place, others, lookup) else {
            backlog.instances -= 1
            backlog.rows -= place.seq - 1
            removed.finish(place)
            return false
        }
        guard place.seq > 1, let previous = row.previous else {
            takeFirstRow(of: place, row)
            return false
        }
        if let key = row.key, row.isRemembered, place.head >= ledger.floor {
            removed.keys.append(KeyRecord(key: key, scope: .instance(place.instance), position: place.head))
            ledger.count -= 1
        }
        remove(place, isRedaction: row.kind == .redacted)
        place.head = previous
        place.seq -= 1
        return true
    }

    private mutating func takeFirstRow(of place: Place, _ row: PurgeChains.Row) {
        backlog.instances -= 1
        if row.key != nil, place.head >= ledger.floor {
            removed.empty(place)
            backlog.waiting += 1
            return
        }
        remove(place)
        removed.finish(place)
        removed.instances.append(place.instance)
    }

    private mutating func remove(_ place: Place, isRedaction: Bool = false) {
        removed.remove(place, isRedaction: isRedaction)
        floor = max(floor, place.head.next)
    }
}

// MARK: Starts that wait

extension PurgeSweep {
    /// Removes the instances whose key was forgotten meanwhile.
    private mutating func endWaiting() throws(StoreError) {
        guard let first = backlog.firstWaiting, first < ledger.floor else { return }
        let ended: [PurgeRecord] = try lookup.all(PurgeRecord.waiting) {
            $0.add(partition.rawValue)
            $0.add(ledger.floor.rawValue)
            $0.add(Int64(order.rows))
        }
        for purge in ended where isOpen {
            count += 1
            let place = Place(
                stored: purge.head, instance: purge.instanceID, audit: purge.audit, head: purge.head, seq: 1)
            remove(place)
            removed.end(place)
            backlog.waiting -= 1
        }
    }

    /// Returns the requests that empty first rows, whose keys and digests stay. Also clears the former names of their
    /// instances (in `context`) and their salts.
    private func emptying(_ places: [Place]) throws(StoreError) -> [Request] {
        if places.isEmpty { return [] }
        let instances: [InstanceRecord] = try lookup.all(InstanceRecord.purging) {
            $0.add(ArrayColumn(places.map(\.instance.rawValue)))
        }
        let rows: [JournalRecord] = try lookup.all(JournalRecord.byPositions) {
            $0.add(ArrayColumn(places.map(\.head.rawValue)))
        }
        var digests = DigestBuffer()
        var emptied: [(row: Position, commitment: Digest, instance: InstanceID)] = []
        for instance in instances {
            guard let row = rows.first(where: { $0.instanceID == instance.id }), !row.isRedacted,
                let commitment = digests.commitment(row, ChainInstance(instance))
            else { continue }
            emptied.append((row.position, commitment, instance.id))
        }
        return RemovedRows.empty(emptied)
    }

    /// Notes the first row that waits after the sweep.
    private mutating func findFirstWaiting() throws(StoreError) {
        guard backlog.waiting > 0 else { return backlog.firstWaiting = nil }
        let stored = try lookup.read(
            Request(Self.firstWaiting) {
                $0.add(partition.rawValue)
                $0.add(ArrayColumn(removed.ended.map(\.rawValue)))
            }
        ) { answer in try answer.first { row in try row.optionalPosition() } ?? nil }
        backlog.firstWaiting = ([stored].compactMap(\.self) + removed.emptied.map(\.head)).min()
    }

    private static let firstWaiting = Statement(
        name: "first-waiting",
        sql: """
            SELECT min(head) FROM purge WHERE partition = $1::bigint AND waits AND head <> ALL ($2::bigint[])
            """)
}

extension Position {
    fileprivate var beginning: Position { .beginning(of: partition) }
}
