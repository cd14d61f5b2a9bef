import GRDB
import Statechart
import WorkflowStore

/// The requests of operators, as far as one look finds them.
enum OperatorInspection {
    /// Adds the runs, and where the last deletion and the last erasures stand.
    static func look(at inspection: inout StoreInspection, _ database: Database) throws {
        guard try TallyInspection.isThere(in: database) else { return }
        var select = try PreparedStatement(database, "SELECT \(BulkRecord.columns) FROM bulk")
        try select.forEachRow { row in
            do {
                inspection.runs.append(try BulkRecord(row: &row))
            } catch let failure as SQLiteFailure {
                inspection.inconsistencies.append(Inconsistency("a run cannot be read: \(failure.message)"))
            }
            return true
        }
        inspection.lastDeletion = try AuditQueries.lastPosition(database)
        func last(_ condition: String) throws -> Position? {
            let id = try PreparedStatement.number(database, "SELECT max(id) FROM erasure \(condition)")
            return id > 0 ? Position(rawValue: id) : nil
        }
        inspection.lastErasure = try last("")
        inspection.lastRenaming = try last("WHERE name IS NOT NULL")
    }
}

/// Erasures, compared with the rows that record them, and with the instances.
struct ErasureInspection: Sendable {
    /// What is read of each: its key first. What a restore has ordered is not begun yet, and a deleted instance has no
    /// rows to compare with.
    static let rows = """
        SELECT \(ErasureRecord.columns(of: "e")), i.uuid = e.uuid, i.id IS NULL OR i.status = 'purging',
            j.kind = 'redacted' AND j.instance_id = e.instance_id,
            (e.seq IS NULL) = (e.bottom IS NULL) AND (e.seq IS NULL) = (e.top IS NULL)
                AND (e.next IS NULL OR e.seq IS NOT NULL),
            e.seq IS NULL OR (e.seq = j.seq AND e.top BETWEEN e.seq AND i.seq
                AND (e.bottom = 1 AND e.top = e.seq OR e.bottom BETWEEN e.seq + 1 AND e.top)
                AND (e.next IS NULL OR EXISTS (
                    SELECT 1 FROM journal n WHERE n.position = e.next AND n.instance_id = e.instance_id
                    AND n.seq BETWEEN e.bottom AND e.top))),
            e.seq IS NOT NULL OR j.seq < i.salt_from
        FROM erasure e LEFT JOIN instance i ON i.id = e.instance_id LEFT JOIN journal j ON j.position = e.id
        """

    /// Of how many deleted instances it is kept that something was erased.
    private static let mostDeleted = 100_000

    /// The UUIDs of instances that are not there, which the table `audit` must have.
    private var deleted: [Int64: UniqueID] = [:]

    /// What is wrong with a row; nil when nothing is.
    mutating func inconsistency(of row: inout StatementRow) throws -> Inconsistency? {
        let erasure = try ErasureRecord(row: &row)
        let (id, instance) = (erasure.id, erasure.instanceID)
        let (sameUUID, isGone) = (row.optionalInteger(), row.integer() == 1)
        let (hasRow, isWhole) = (row.optionalInteger() == 1, row.integer() == 1)
        let (isOnItsWay, hasNewSalt) = (row.optionalInteger() == 1, row.optionalInteger() == 1)
        func wrong(_ what: String) -> Inconsistency {
            Inconsistency(instance: instance, position: Position(rawValue: id), what)
        }
        if id < 0, instance == ErasureRecord.noInstance { return nil }
        // NULL where there is no instance.
        guard sameUUID != nil else {
            if deleted.count < Self.mostDeleted { deleted[instance.rawValue] = erasure.uuid }
            return nil
        }
        if sameUUID != 1 { return wrong("an erasure names the instance by another UUID") }
        if isGone || id < 0 { return nil }
        if !hasRow { return wrong("there is an erasure without its row") }
        if !isWhole || !isOnItsWay { return wrong("an erasure does not say how far it is") }
        return hasNewSalt ? nil : wrong("an erasure has ended, and the instance has kept its salt")
    }

    /// Something that the table `audit` says of a deleted instance.
    mutating func take(_ audit: AuditRecord) {
        let instance = audit.instanceID.rawValue
        if deleted[instance] == audit.uuid { deleted[instance] = nil }
    }

    /// What the table `audit` has not said of any; nil when nothing is wrong.
    var inconsistency: Inconsistency? {
        deleted.keys.min().map { id in
            Inconsistency("there is an erasure of an instance \(id) that is not there and was not deleted")
        }
    }

    /// Some of the erasures of a range of instances.
    static func slice(
        of instances: ClosedRange<Int64>, after id: Int64?, _ budget: inout SliceBudget, _ database: Database
    ) throws -> InspectedErasures {
        var slice = InspectedErasures()
        guard try ErasureQueries.isThere(in: database) else { return slice }
        var select = try PreparedStatement(
            database, "SELECT \(ErasureRecord.columns) FROM erasure WHERE id > ? ORDER BY id")
        select.bind(id ?? .min)
        try select.forEachRow { row in
            // Proof: they are told as they stand, and nothing counts with them.
            let (id, instance) = (row.integer(at: 0), row.integer(at: 1))
            if instances.contains(instance) {
                do {
                    slice.erasures.append(try ErasureRecord(row: &row))
                } catch let failure as SQLiteFailure {
                    slice.inconsistencies.append(
                        Inconsistency(
                            instance: InstanceID(rawValue: instance), position: Position(rawValue: id),
                            "an erasure cannot be read: \(failure.message)"))
                }
            }
            if budget.spend() { return true }
            slice.next = id
            return false
        }
        return slice
    }
}

/// Deletions, compared with the instances: every number that was handed out is an instance's, or was deleted.
///
/// In bounded memory: the numbers are counted and summed.
struct DeletionInspection: Sendable {
    /// What is read of each: its key first.
    static let rows = """
        SELECT \(AuditRecord.columns(of: "a")), i.id IS NULL,
            i.id IS NULL OR (i.status = 'purging' AND i.uuid = a.uuid AND i.seq = a.rows AND i.digest = a.digest
                AND i.machine_id = a.machine_id AND i.namespace_id = a.namespace_id),
            a.namespace_id IN (SELECT id FROM namespace) AND (EXISTS (SELECT 1 FROM machine m WHERE m.id = a.machine_id)
                -- A restore has brought it, before any row of its generation, from a database with a later version.
                OR a.machine_id = 0 AND EXISTS (SELECT 1 FROM restoration r WHERE r.next_position < a.position
                    AND NOT EXISTS (SELECT 1 FROM journal j WHERE j.position BETWEEN r.next_position AND a.position))),
            NOT EXISTS (SELECT 1 FROM journal j WHERE j.position = a.position)
                AND NOT EXISTS (SELECT 1 FROM effect e WHERE e.id = a.position)
        FROM audit a LEFT JOIN instance i ON i.id = a.instance_id
        """

    private var count: Int64 = 0
    private var sum: Int64 = 0
    /// Where the store stood when the counting began: with another place at its end the sums say nothing.
    private var ground: Position?
    private var isWhole = true
    private var last: (position: Position, at: Timestamp)?

    /// To be called with each slice.
    mutating func see(_ nextPosition: Position) {
        if let ground, ground != nextPosition { isWhole = false }
        ground = nextPosition
    }

    /// Something could not be counted.
    mutating func leaveOut() { isWhole = false }

    /// An instance that is not deleted, or a deletion.
    mutating func add(_ instance: Int64) {
        count &+= 1
        sum &+= instance
    }

    /// What is wrong with a deletion; nil when nothing is.
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
        // A clock that was accepted began anew.
        let isTimed = before.map { $0.at <= audit.at || $0.position < store.keys.begin.position } ?? true
        if !isTimed { return wrong("a deletion's time lies before the one before") }
        let isFloorBelow = isGone && store.purgeFloor.rawValue <= audit.rows
        return isFloorBelow ? wrong("the store says that rows are there which it deleted") : nil
    }

    /// What is wrong with all of them together; nil when nothing is, and when nobody can tell.
    func inconsistency(_ nextInstance: InstanceID) -> Inconsistency? {
        let last = nextInstance.rawValue - 1
        // Half of a product of two numbers below 2^48, of which one is even.
        let wanted = last % 2 == 0 ? (last / 2) &* (last &+ 1) : last &* ((last &+ 1) / 2)
        return isWhole && (count != last || sum != wanted)
            ? Inconsistency("the tables 'instance' and 'audit' do not have every instance number below \(last + 1)")
            : nil
    }
}

/// Runs over many instances, and the names that they were given.
enum RunInspection {
    static let rows = """
        SELECT \(BulkRecord.columns), json_valid(r.request) AND json_valid(r.outcome),
            r.namespace_id IN (SELECT id FROM namespace) AND r.partition = 0 AND length(r.name) BETWEEN 1 AND 100
        FROM bulk r
        """

    /// What is read of names: a run that is there, and the piece before.
    static let names = """
        SELECT n.namespace_id, n.name, n.partition, n.piece, EXISTS (
            SELECT 1 FROM bulk r WHERE r.namespace_id = n.namespace_id AND r.name = n.name
                AND r.partition = n.partition),
            n.piece = 0 OR EXISTS (
                SELECT 1 FROM bulk_names b WHERE b.namespace_id = n.namespace_id AND b.name = n.name
                AND b.partition = n.partition AND b.piece = n.piece - 1), n.instances
        FROM bulk_names n
        """

    /// What is wrong with a run; nil when it can be read.
    static func inconsistency(of row: inout StatementRow) throws -> Inconsistency? {
        let run = try BulkRecord(row: &row)
        if row.integer() != 1 { return Inconsistency("the run '\(run.key.name)' cannot be read") }
        return row.integer() == 1 ? nil : Inconsistency("the run '\(run.key.name)' is of no namespace or partition")
    }

    /// What is wrong with a piece of names; nil when nothing is.
    static func inconsistency(ofNames row: inout StatementRow) throws -> Inconsistency? {
        _ = try row.namespaceID()
        let name = try row.name()
        _ = try row.integer(in: PartitionID.range)
        let (piece, hasRun, hasPiece) = (try row.count(), row.integer() == 1, row.integer() == 1)
        _ = try row.text()
        if !hasRun { return Inconsistency("there are names for the run '\(name)', which is not there") }
        return hasPiece ? nil : Inconsistency("names of the run '\(name)' are missing before piece \(piece)")
    }
}
