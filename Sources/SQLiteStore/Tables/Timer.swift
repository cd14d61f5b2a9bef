import GRDB
import Statechart
import WorkflowJSON
import WorkflowStore

extension TimerRecord: TableRow {
    static let columns = Columns(
        of: "timer",
        blank: TimerRecord(
            key: TimerKey(due: Timestamp(rawValue: 0), position: Position(rawValue: 0), ordinal: 0),
            instanceID: InstanceID(rawValue: 0), event: ""))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("due_ms", row.key.due) { $0.key.due = try $1.time() }
        try column("position", row.key.position) { $0.key.position = try $1.position() }
        try column("ordinal", row.key.ordinal) { $0.key.ordinal = try $1.count() }
        try column("instance_id", row.instanceID) { $0.instanceID = try $1.instanceID() }
        try column("event", row.event) { $0.event = try $1.text() }
    }
}

extension Table {
    /// The table of timers, checked for timers that no instance has armed.
    static let timer = Table(
        "timer", key: ["due_ms", "position", "ordinal"], rows: TimerRecord.columns.select
    ) { row, inspection in
        inspection.slice.timers += 1
        return try TimerInspection.inconsistency(of: TimerRecord(row: &row), inspection.database)
    }
}

/// Compares the timers that instances have armed with the table of timers. Each timer of a running instance has a row
/// there, and there are no other rows.
enum TimerInspection {
    /// Looks up the timers that an instance has armed. Returns their number and records the first one that does not
    /// fit.
    static func compare(_ instance: inout InspectedInstance, _ database: Database) throws -> Int {
        guard instance.inconsistency == nil, instance.record.status == .running else { return 0 }
        guard let timers = timers(of: instance.record) else {
            instance.inconsistency = "its list of timers cannot be read"
            return 0
        }
        for timer in timers where try find(timer.key, database) != timer {
            instance.inconsistency = "its timer '\(timer.event)' is not in the table of timers"
            return timers.count
        }
        return timers.count
    }

    /// Returns the inconsistency of a row of the table; `nil` if its instance has armed the timer.
    static func inconsistency(of timer: TimerRecord, _ database: Database) throws -> Inconsistency? {
        let found: InstanceRecord?
        do {
            found = try InstanceRecord.first(database, "WHERE id = ?", timer.instanceID)
        } catch let failure as SQLiteFailure where failure.isCorrupt {
            // The inspection of the instance reports the damage.
            return nil
        }
        guard let found else {
            return Inconsistency(
                position: timer.key.position,
                "a timer belongs to an instance \(timer.instanceID.rawValue) that is not there")
        }
        let isArmed = found.status == .running && timers(of: found)?.contains(timer) ?? true
        return isArmed
            ? nil : Inconsistency(instance: found.id, "there is a timer '\(timer.event)' that it has not armed")
    }

    /// Returns the rows that an instance must have; `nil` if its list cannot be read.
    private static func timers(of record: InstanceRecord) -> [TimerRecord]? {
        // A text that is not JSON is not a list either.
        guard case .array(let armed)? = try? JSONReader.value(from: record.state.armed) else { return nil }
        var timers: [TimerRecord] = []
        for pending in armed {
            // An invocation completes when its effect ends, at a time that is not known in advance.
            if pending.object?["kind"] == "invocation" { continue }
            guard case .int(let number)? = pending.object?["number"], case .int(let due)? = pending.object?["due"],
                case .int(let position)? = pending.object?["position"], let event = pending.object?["event"]?.string,
                pending.object?["kind"]?.string.flatMap(Pending.Kind.init) != nil
            else { return nil }
            timers.append(
                TimerRecord(
                    key: TimerKey(
                        due: Timestamp(rawValue: due), position: Position(rawValue: position), ordinal: number),
                    instanceID: record.id, event: event))
        }
        return timers
    }

    private static func find(_ key: TimerKey, _ database: Database) throws -> TimerRecord? {
        try TimerRecord.first(
            database, "WHERE due_ms = ? AND position = ? AND ordinal = ?", key.due, key.position, key.ordinal)
    }
}
