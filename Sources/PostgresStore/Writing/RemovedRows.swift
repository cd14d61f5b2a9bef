import Statechart
import WorkflowStore

/// The rows that a sweep removes, and the statements that do so.
struct RemovedRows {
    typealias Place = PurgeSweep.Place

    /// The keys of events that are forgotten.
    var keys: [KeyRecord] = []
    /// The instances that are finished.
    var instances: [InstanceID] = []
    /// The instances whose first row is emptied and waits.
    private(set) var emptied: [Place] = []
    /// The rows that waited and are removed.
    private(set) var ended: [Position] = []
    private var rows: [Place] = []
    private var snapshots: [Place] = []
    private var endedPurges: [(head: Position, waits: Bool)] = []
    private var newPurges: [PurgeRecord] = []

    /// Removes a row with its snapshot and its attempts.
    mutating func remove(_ place: Place, isRedaction: Bool) {
        rows.append(place)
        if isRedaction || place.seq % SnapshotRecord.interval == 0 { snapshots.append(place) }
    }

    /// Ends the sweep of an instance.
    mutating func finish(_ place: Place) { endedPurges.append((place.stored, false)) }

    /// Notes the progress of an instance.
    mutating func move(_ place: Place) {
        finish(place)
        newPurges.append(purge(place, waits: false))
    }

    /// Lets the first row of an instance wait.
    mutating func empty(_ place: Place) {
        finish(place)
        newPurges.append(purge(place, waits: true))
        emptied.append(place)
    }

    /// Ends an instance whose first row waited.
    mutating func end(_ place: Place) {
        endedPurges.append((place.stored, true))
        ended.append(place.stored)
        instances.append(place.instance)
    }

    private func purge(_ place: Place, waits: Bool) -> PurgeRecord {
        PurgeRecord(
            waits: waits, head: place.head, instanceID: place.instance, seq: Seq(rawValue: place.seq),
            audit: place.audit)
    }

    /// Returns the requests, with those that empty first rows in their place.
    func requests(_ emptying: [Request]) -> [Request] {
        [
            KeyRecord.delete(keys), request(Self.journal, rows) { [$0.head.rawValue] },
            request(Self.snapshot, snapshots) { [$0.instance.rawValue, $0.seq] },
            request(Self.attempts, rows) { [$0.instance.rawValue, $0.head.rawValue] },
        ].compactMap(\.self) + emptying
            + [
                PurgeRecord.delete(endedPurges), PurgeRecord.columns.insert(newPurges),
                request(Self.instance, instances) { [$0.rawValue] },
            ].compactMap(\.self)
    }

    /// Returns a request for some rows, each with its numbers as parameters; `nil` for none.
    private func request<Row>(_ statement: Statement, _ rows: [Row], _ numbers: (Row) -> [Int64]) -> Request? {
        guard let first = rows.first else { return nil }
        let all = rows.map(numbers)
        return Request(statement) { parameters in
            for place in numbers(first).indices { parameters.add(ArrayColumn(all.map { $0[place] })) }
        }
    }

    private static let journal = Statement(
        name: "delete-journal", sql: "DELETE FROM journal WHERE position = ANY ($1::int8[])"
    ).requiringAll

    private static let snapshot = Statement(
        name: "delete-snapshots",
        sql: """
            DELETE FROM snapshot s USING unnest($1::int8[], $2::int8[]) u (instance_id, seq)
            WHERE s.instance_id = u.instance_id AND s.seq = u.seq
            """)

    /// The ids of the effects that a row began follow the row's position.
    private static let attempts = Statement(
        name: "delete-attempts",
        sql: """
            DELETE FROM attempt a USING unnest($1::int8[], $2::int8[]) u (instance_id, position)
            WHERE a.effect > u.position AND a.effect <= u.position + \(StepLimits.requests)
                AND a.instance_id = u.instance_id
            """)

    private static let instance = Statement(
        name: "delete-instances", sql: "DELETE FROM instance WHERE id = ANY ($1::int8[]) AND status = 'purging'")

    /// Returns the requests that empty first rows.
    static func empty(_ rows: [(row: Position, commitment: Digest, instance: InstanceID)]) -> [Request] {
        if rows.isEmpty { return [] }
        return [
            Request(emptyingRows) {
                $0.add(ArrayColumn(rows.map(\.row.rawValue)))
                $0.add(ArrayColumn(texts: rows.map { "\"\($0.commitment.text)\"" }))
            },
            Request(emptyingInstances) {
                $0.add(ArrayColumn(rows.map(\.instance.rawValue)))
                $0.add(Salt.zero.bytes)
            },
        ]
    }

    private static let emptyingRows = Statement(
        name: "empty-starts",
        sql: """
            UPDATE journal j SET salt = '', data = u.data, note = NULL
            FROM unnest($1::int8[], $2::text[]) u (position, data) WHERE j.position = u.position
            """
    ).requiringAll

    private static let emptyingInstances = Statement(
        name: "empty-instances",
        sql: "UPDATE instance SET context = '\"\"', salt = $2::bytea, salt_from = 2 WHERE id = ANY ($1::int8[])"
    )
}
