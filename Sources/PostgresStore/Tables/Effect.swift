import Statechart
import WorkflowStore

extension EffectRecord: TableRow {
    static let columns = Columns(
        of: "effect",
        blank: EffectRecord(
            id: Position(rawValue: 0), instanceID: InstanceID(rawValue: 0), seq: Seq(rawValue: 0), number: nil,
            name: "", queue: "", priority: 1, due: Timestamp(rawValue: 0), request: ""))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("id", row.id) { $0.id = try $1.position() }
        try column("partition", row.id.partition) { _ = try $1.integer(in: PartitionID.range) }
        try column("instance_id", row.instanceID) { $0.instanceID = try $1.instanceID() }
        try column("seq", row.seq) { $0.seq = try $1.seq() }
        try column("number", row.number) { $0.number = try $1.optionalInteger(in: StoreNumbers.range) }
        try column("name", row.name) { $0.name = try $1.text() }
        try column("queue", row.queue) { $0.queue = try $1.name() }
        try column("state", row.state) { $0.state = try $1.word() }
        try column("priority", row.priority) { $0.priority = try $1.integer(in: priorities) }
        try column("due_ms", row.due) { $0.due = try $1.time() }
        try column("attempts", row.attempts) { $0.attempts = try $1.count() }
        try column("earlier", row.earlier) { $0.earlier = try $1.count() }
        try column("round", row.round) { $0.round = try $1.count() }
        try column("lease", row.lease) { $0.lease = try $1.optionalBlob() }
        try column("worker", FreeText(row.worker)) { $0.worker = try $1.freeText() }
        try column("progress", row.progress) { $0.progress = try $1.optionalText() }
        try column("error", row.error) { $0.error = try $1.optionalText() }
        try column("answer", row.answer) { $0.answer = try $1.optionalText() }
        try column("request", row.request) { $0.request = try $1.text() }
    }

    static let byID = columns.select("effect-id", "WHERE id = $1::bigint")

    static let byIDs = columns.select(
        "effect-ids", "JOIN unnest($1::bigint[]) WITH ORDINALITY u (wanted, place) ON id = wanted ORDER BY place")

    private static let deletion = Statement(
        name: "delete-effect", sql: "DELETE FROM effect USING unnest($1::int8[]) u (ended) WHERE id = ended"
    ).requiringAll

    /// Returns the request that deletes effects, all of which must be there; `nil` for none.
    static func delete(_ ids: [Position]) -> Request? {
        if ids.isEmpty { return nil }
        return Request(deletion) { $0.add(ArrayColumn(ids.map(\.rawValue))) }
    }
}

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

    static let byNumber = columns.select("attempt-number", "WHERE effect = $1::bigint AND attempt = $2::bigint")

    /// Deletes the attempts at effects between the first ones and the last ones, which are kept.
    private static let forgetting = Statement(
        name: "forget-attempts",
        sql: """
            DELETE FROM attempt a USING unnest($1::int8[]) u (effect)
            WHERE a.effect = u.effect AND a.attempt > \(firstKept) AND a.attempt <=
                (SELECT max(attempt) FROM attempt l WHERE l.effect = u.effect) - \(lastKept)
            """)

    /// Returns the requests that write attempts and forget those in the middle.
    static func write(_ attempts: [AttemptRecord]) -> [Request] {
        guard let write = columns.replace(attempts, key: ["effect", "attempt"]) else { return [] }
        let many = Set(attempts.filter { $0.attempt > firstKept }.map(\.effect)).sorted()
        if many.isEmpty { return [write] }
        return [write, Request(forgetting) { $0.add(ArrayColumn(many.map(\.rawValue))) }]
    }
}
