import GRDB
import Statechart
import WorkflowJSON
import WorkflowStore

/// Compares what instances have armed with the table of timers: what runs has a row there, and there is no other.
enum TimerInspection {
    /// Looks up the timers that an instance has armed; gives their number, and notes the first that does not fit.
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

    /// What is wrong with a row of the table; nil when its instance has armed it.
    static func inconsistency(of timer: TimerRecord, _ database: Database) throws -> Inconsistency? {
        var select = try PreparedStatement(
            database, "SELECT \(InstanceRecord.columns) FROM instance WHERE id = ?")
        select.bind(timer.instanceID.rawValue)
        let found: InstanceRecord?
        do {
            found = try select.first { row in try InstanceRecord(row: &row) }
        } catch let failure as SQLiteFailure where failure.isCorrupt {
            // Told with the instance.
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

    /// The rows that an instance must have; nil where its list cannot be read.
    private static func timers(of record: InstanceRecord) -> [TimerRecord]? {
        // A text that is no JSON is no list either.
        guard case .array(let armed)? = try? JSONReader.value(from: record.state.armed) else { return nil }
        var timers: [TimerRecord] = []
        for pending in armed {
            // What comes when its effect ends is due at no time that is known.
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
        var select = try PreparedStatement(
            database,
            "SELECT \(TimerRecord.columns) FROM timer WHERE due_ms = ? AND position = ? AND ordinal = ?")
        select.bind(key.due.rawValue)
        select.bind(key.position.rawValue)
        select.bind(key.ordinal)
        return try select.first { row in try TimerRecord(row: &row) }
    }
}
