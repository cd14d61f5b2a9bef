import GRDB
import Statechart
import WorkflowStore

extension AuditRecord: TableRow {
    static let columns = Columns(
        of: "audit",
        blank: AuditRecord(
            position: Position(rawValue: 0), of: InstanceRecord.columns.blank, at: Timestamp(rawValue: 0), by: nil,
            reason: nil, key: nil))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("position", row.position) { $0.position = try $1.position() }
        try column("instance_id", row.instanceID) { $0.instanceID = try $1.instanceID() }
        try column("uuid", row.uuid) { $0.uuid = try $1.uniqueID() }
        try column("namespace_id", row.namespace) { $0.namespace = try $1.namespaceID() }
        try column("machine_id", row.machineID) { $0.machineID = MachineID(rawValue: try $1.count()) }
        try column("rows", row.rows) { $0.rows = try $1.ordinal() }
        try column("digest", row.digest) { $0.digest = try $1.digest() }
        try column("at_ms", row.at) { $0.at = try $1.time() }
        try column("actor", row.actor) { $0.actor = try $1.actor() }
        try column("reason", row.reason) { $0.reason = try $1.optionalText() }
        try column("key", row.key?.bytes ?? []) { $0.key = try $1.optionalDigest() }
    }
}

extension Table {
    /// The table of deletions.
    static let audit = Table(
        "audit", key: ["rowid"], since: 3,
        rows: """
            SELECT \(AuditRecord.columns.of("a")), i.id IS NULL,
                i.id IS NULL OR (i.status = 'purging' AND i.uuid = a.uuid AND i.seq = a.rows AND i.digest = a.digest
                    AND i.machine_id = a.machine_id AND i.namespace_id = a.namespace_id),
                a.namespace_id IN (SELECT id FROM namespace) AND (EXISTS (SELECT 1 FROM machine m WHERE m.id = a.machine_id)
                    -- A restore has brought it, before any row of its generation, from a database with a later version.
                    OR a.machine_id = 0 AND EXISTS (SELECT 1 FROM restoration r WHERE r.next_position < a.position
                        AND NOT EXISTS (SELECT 1 FROM journal j WHERE j.position BETWEEN r.next_position AND a.position))),
                NOT EXISTS (SELECT 1 FROM journal j WHERE j.position = a.position)
                    AND NOT EXISTS (SELECT 1 FROM effect e WHERE e.id = a.position)
            FROM audit a LEFT JOIN instance i ON i.id = a.instance_id
            """, as: "a",
        end: { inspection in
            if let inconsistency = inspection.counts.erasures.inconsistency {
                inspection.slice.inconsistencies.append(inconsistency)
            }
            guard inspection.counts.isWhole else { return }
            inspection.slice.miscount = inspection.counts.deletions.inconsistency(inspection.store.nextInstance)
        }
    ) { row, inspection in
        try inspection.counts.deletions.inconsistency(of: &row, inspection.store, &inspection.counts.erasures)
    }
}

/// Compares the deletions with the instances: every assigned number belongs to an instance or to a deletion.
///
/// Counts and sums the numbers, in bounded memory.
struct DeletionInspection: Sendable {
    private var count: Int64 = 0
    private var sum: Int64 = 0
    private var last: (position: Position, at: Timestamp)?

    /// Counts an instance that is not deleted, or a deletion.
    mutating func add(_ instance: Int64) {
        count &+= 1
        sum &+= instance
    }

    /// Returns the inconsistency of a deletion; `nil` if there is none.
    mutating func inconsistency(
        of row: inout StatementRow, _ store: StoreRow, _ erasures: inout ErasureInspection
    ) throws -> Inconsistency? {
        let audit = try AuditRecord(row: &row)
        let (isGone, isOfInstance) = (row.integer() == 1, row.integer() == 1)
        let (isOfMachine, isAlone) = (row.integer() == 1, row.integer() == 1)
        add(audit.instanceID.rawValue)
        if isGone { erasures.take(audit) }
        let before = last
        last = (audit.position, audit.at)
        func wrong(_ what: String) -> Inconsistency {
            Inconsistency(instance: isGone ? nil : audit.instanceID, position: audit.position, what)
        }
        if !isOfInstance { return wrong("a deletion does not say what the instance was") }
        if !isOfMachine { return wrong("a deletion names a machine or a namespace that is not there") }
        if !isAlone { return wrong("a deletion has the position of a row") }
        // An accepted clock starts anew, so its first time may precede earlier times.
        let isTimed = before.map { $0.at <= audit.at || $0.position < store.keys.begin.position } ?? true
        if !isTimed { return wrong("a deletion's time lies before the one before") }
        let isFloorBelow = isGone && store.purgeFloor.rawValue <= audit.rows
        return isFloorBelow ? wrong("the store says that rows are there which it deleted") : nil
    }

    /// Returns the inconsistency of all deletions together; `nil` if there is none.
    func inconsistency(_ nextInstance: InstanceID) -> Inconsistency? {
        let last = nextInstance.rawValue - 1
        // Half of the product of two numbers below 2^48, one of which is even.
        let wanted = last % 2 == 0 ? (last / 2) &* (last &+ 1) : last &* ((last &+ 1) / 2)
        return count != last || sum != wanted
            ? Inconsistency("the tables 'instance' and 'audit' do not have every instance number below \(last + 1)")
            : nil
    }
}
