import Statechart
import WorkflowJSON
import WorkflowStore

extension AttemptRecord: TableRow {
    static let columns = Columns(
        of: "attempt",
        blank: AttemptRecord(
            instanceID: InstanceID(rawValue: 0), effect: Position(rawValue: 0), name: nil, attempt: 0,
            begun: Timestamp(rawValue: 0), ended: Timestamp(rawValue: 0), outcome: ""))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("effect", row.effect) { $0.effect = try $1.position() }
        try column("attempt", row.attempt) { $0.attempt = try $1.ordinal() }
        try column("instance_id", row.instanceID) { $0.instanceID = try $1.instanceID() }
        try column("name", row.name) { $0.name = try $1.optionalText() }
        try column("begun_ms", row.begun) { $0.begun = try $1.time() }
        try column("ended_ms", row.ended) { $0.ended = try $1.time() }
        try column("outcome", row.outcome) { $0.outcome = try $1.text() }
        try column("error", row.error) { $0.error = try $1.optionalText() }
    }
}

extension Table {
    /// The table of attempts at effects; an attempt outlives its effect.
    static let attempt = Table(
        "attempt", key: ["effect", "attempt"], since: 2,
        rows: """
            SELECT \(AttemptRecord.columns.of("a")), i.id IS NOT NULL, coalesce(e.instance_id = a.instance_id, 1),
                a.effect < (SELECT next_position FROM store)
            FROM attempt a LEFT JOIN instance i ON i.id = a.instance_id LEFT JOIN effect e ON e.id = a.effect
            """, as: "a"
    ) { row, inspection in
        inspection.slice.attempts += 1
        let attempt = try AttemptRecord(row: &row)
        let (effect, instance) = (attempt.effect, attempt.instanceID)
        let (hasInstance, isOfInstance, isBegun) = (row.integer() == 1, row.integer() == 1, row.integer() == 1)
        guard hasInstance else {
            return Inconsistency(
                position: effect, "an attempt belongs to an instance \(instance.rawValue) that is not there")
        }
        if let error = attempt.error, !JSONReader.reads(error) {
            return Inconsistency(instance: instance, position: effect, "the error of an attempt is not JSON")
        }
        return isOfInstance && isBegun
            ? nil
            : Inconsistency(instance: instance, position: effect, "there is an attempt at an effect that it never had")
    }
}
