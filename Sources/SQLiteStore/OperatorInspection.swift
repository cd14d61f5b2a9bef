import GRDB
import WorkflowStore

/// What was erased, compared with the rows that record it.
enum ErasureInspection {
    /// What is read of each: its key first. What a restore has ordered is not begun yet, and a deleted instance has no
    /// rows to compare with.
    static let rows = """
        SELECT e.id, e.instance_id, e.id < 0 OR i.id IS NULL OR i.status = 'purging',
            i.uuid = e.uuid, j.kind = 'redacted' AND j.instance_id = e.instance_id,
            e.seq IS NULL OR (e.seq = j.seq AND e.bottom >= 1 AND e.top BETWEEN e.seq AND i.seq
                AND (e.next IS NULL OR EXISTS (
                    SELECT 1 FROM journal n WHERE n.position = e.next AND n.instance_id = e.instance_id)))
        FROM erasure e LEFT JOIN instance i ON i.id = e.instance_id LEFT JOIN journal j ON j.position = e.id
        """

    /// What is wrong with a row; nil when nothing is.
    static func inconsistency(of row: inout StatementRow) -> Inconsistency? {
        let (position, instance) = (Position(rawValue: row.integer()), InstanceID(rawValue: row.integer()))
        if row.integer() == 1 { return nil }
        func wrong(_ what: String) -> Inconsistency { Inconsistency(instance: instance, position: position, what) }
        if row.optionalInteger() != 1 { return wrong("an erasure names the instance by another UUID") }
        if row.optionalInteger() != 1 { return wrong("there is an erasure without its row") }
        return row.optionalInteger() == 1 ? nil : wrong("an erasure does not say how far it is")
    }
}

/// Runs over many instances, and the names that they were given.
enum RunInspection {
    static let rows = """
        SELECT r.namespace_id, r.name, r.partition, json_valid(r.request) AND json_valid(r.outcome) FROM bulk r
        """

    /// What is read of names: a run that is there, and the piece before.
    static let names = """
        SELECT n.namespace_id, n.name, n.partition, n.piece, EXISTS (
            SELECT 1 FROM bulk r WHERE r.namespace_id = n.namespace_id AND r.name = n.name
                AND r.partition = n.partition),
            n.piece = 0 OR EXISTS (
                SELECT 1 FROM bulk_names b WHERE b.namespace_id = n.namespace_id AND b.name = n.name
                AND b.partition = n.partition AND b.piece = n.piece - 1)
        FROM bulk_names n
        """

    /// What is wrong with a run; nil when it can be read.
    static func inconsistency(of row: inout StatementRow) -> Inconsistency? {
        row.skip()
        let name = row.text()
        row.skip()
        return row.integer() == 1 ? nil : Inconsistency("the run '\(name)' cannot be read")
    }

    /// What is wrong with a piece of names; nil when nothing is.
    static func inconsistency(ofNames row: inout StatementRow) -> Inconsistency? {
        row.skip()
        let name = row.text()
        row.skip()
        let (piece, hasRun, hasPiece) = (row.integer(), row.integer() == 1, row.integer() == 1)
        if !hasRun { return Inconsistency("there are names for the run '\(name)', which is not there") }
        return hasPiece ? nil : Inconsistency("names of the run '\(name)' are missing before piece \(piece)")
    }
}
