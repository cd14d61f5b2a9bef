import Statechart
import WorkflowStore

extension ErasureRecord: TableRow {
    static let columns = Columns(
        of: "erasure",
        blank: ErasureRecord(
            id: 0, instanceID: noInstance, uuid: InstanceRecord.columns.blank.uuid, seqs: SeqSet(), paths: nil,
            name: nil, at: Timestamp(rawValue: 0)))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        let last = StoreNumbers.range.upperBound
        try column("id", row.id) { $0.id = try $1.integer(in: -last...last) }
        try column("instance_id", row.instanceID) { $0.instanceID = InstanceID(rawValue: try $1.count()) }
        try column("uuid", row.uuid) { $0.uuid = try $1.uniqueID() }
        try column("seqs", row.seqs.text) { $0.seqs = try $1.seqs() }
        try column("paths", ErasedPaths(of: row).text) { ($0.paths, $0.dataPaths) = try $1.erasedPaths() }
        try column("name", row.name) { $0.name = try $1.optionalText().map(InstanceName.init(rawValue:)) }
        try column("at_ms", row.at) { $0.at = try $1.time() }
        try column("seq", row.walk?.seq) { $0.walk = try $1.optionalSeq().map(ErasureWalk.init(seq:)) }
        try column("next", row.walk?.next) { row, columns in
            let next = try columns.optionalPosition()
            row.walk?.next = next
        }
        try column("bottom", row.walk?.bottom) { row, columns in
            let bottom = try columns.optionalSeq()
            row.walk?.bottom = bottom ?? ErasureWalk.unknown
        }
        try column("top", row.walk?.top) { row, columns in
            let top = try columns.optionalSeq()
            // An erasure walk without an end would never finish.
            if let walk = row.walk, top == nil || walk.bottom == ErasureWalk.unknown { throw columns.implausible }
            row.walk?.top = top ?? ErasureWalk.unknown
        }
    }

    /// The identity of the erasure, the same in every copy of it.
    var mark: [String] { [uuid.text, "\(at.rawValue)", seqs.text] + dataPaths }
}

extension ErasureWalk {
    /// The end of a walk that is not read yet; no row has this seq.
    fileprivate static let unknown = Seq(rawValue: 0)

    fileprivate init(seq: Seq) { self.init(seq: seq, next: nil, bottom: Self.unknown, top: Self.unknown) }
}

extension StatementRow {
    fileprivate mutating func seqs() throws(SQLiteFailure) -> SeqSet {
        let text = try text()
        guard let seqs = text.isEmpty ? SeqSet() : SeqSet(text) else { throw implausible }
        return seqs
    }

    fileprivate mutating func erasedPaths() throws(SQLiteFailure) -> (context: [String]?, data: [String]) {
        guard let paths = ErasedPaths(text: try optionalText()) else { throw implausible }
        return (paths.context, paths.data)
    }
}

extension Table {
    /// The table of erasures. An erasure that a restore has ordered has not begun yet. A deleted instance has no rows
    /// to compare with.
    static let erasure = Table(
        "erasure", key: ["rowid"], since: 3,
        rows: """
            SELECT \(ErasureRecord.columns.of("e")), i.uuid = e.uuid, i.id IS NULL OR i.status = 'purging',
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
            """, as: "e"
    ) { row, inspection in try inspection.counts.erasures.inconsistency(of: &row) }
}

/// Compares the erasures with the rows that record them, and with the instances.
struct ErasureInspection: Sendable {
    /// The maximum number of deleted instances with an erasure that the inspection remembers.
    private static let mostDeleted = 100_000

    /// The UUIDs of missing instances that have an erasure, by instance number. The table `audit` must have each of
    /// them.
    private var deleted: [Int64: UniqueID] = [:]

    /// Returns the inconsistency of a row; `nil` if there is none.
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
        // `sameUUID` is NULL if the instance does not exist.
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

    /// Removes an instance from the missing ones if the audit record has its UUID.
    mutating func take(_ audit: AuditRecord) {
        let instance = audit.instanceID.rawValue
        if deleted[instance] == audit.uuid { deleted[instance] = nil }
    }

    /// An erasure whose instance neither exists nor has a deletion in the table `audit`; `nil` if there is none.
    var inconsistency: Inconsistency? {
        deleted.keys.min().map { id in
            Inconsistency("there is an erasure of an instance \(id) that is not there and was not deleted")
        }
    }
}
