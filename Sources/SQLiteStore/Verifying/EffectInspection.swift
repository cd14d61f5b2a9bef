import GRDB
import Statechart
import WorkflowJSON
import WorkflowStore

/// Compares what instances wait for with the table of effects, both ways.
///
/// An invocation that waits has its row, whether its instance runs or has failed. One that the instance failed on is
/// over: its row may be there for an operator, and need not be.
enum EffectInspection {
    /// An element of `armed` that comes when its effect ends.
    private struct Invocation {
        let id: Position
        let seq: Int64
        let number: Int64
        let name: String
        let isKept: Bool
    }

    /// Looks up the effects that an instance waits for; gives their number, and notes the first that does not fit.
    static func compare(_ instance: inout InspectedInstance, _ database: Database) throws -> Int {
        guard instance.inconsistency == nil, waits(instance.record) else { return 0 }
        guard let invocations = invocations(of: instance.record) else {
            instance.inconsistency = "its list of invocations cannot be read"
            return 0
        }
        let waiting = invocations.filter { !$0.isKept }
        for invocation in waiting where try !isThere(invocation, of: instance.record.id, database) {
            instance.inconsistency = "its invocation '\(invocation.name)' is not in the table of effects"
            break
        }
        return waiting.count
    }

    /// What is wrong with a row of the table; nil when its instance began it and waits for it.
    static func inconsistency(of row: inout StatementRow, _ database: Database) throws -> Inconsistency? {
        // Proof: they are told as they stand, and nothing counts with them.
        let (id, instance) = (Position(rawValue: row.integer(at: 0)), InstanceID(rawValue: row.integer(at: 1)))
        let effect: EffectRecord
        do {
            effect = try EffectRecord(row: &row)
        } catch let failure as SQLiteFailure {
            return Inconsistency(instance: instance, position: id, "its effect cannot be read: \(failure.message)")
        }
        do {
            return try inconsistency(of: effect, database)
        } catch let failure as SQLiteFailure where failure.isCorrupt {
            // Told with the instance, or with its rows.
            return nil
        }
    }

    private static func inconsistency(of effect: EffectRecord, _ database: Database) throws -> Inconsistency? {
        var select = try PreparedStatement(
            database, "SELECT \(InstanceRecord.columns) FROM instance WHERE id = ?")
        select.bind(effect.instanceID.rawValue)
        guard let record = try select.first({ row in try InstanceRecord(row: &row) }) else {
            return Inconsistency(
                position: effect.id,
                "an effect belongs to an instance \(effect.instanceID.rawValue) that is not there")
        }
        func wrong(_ what: String) -> Inconsistency {
            Inconsistency(instance: record.id, seq: effect.seq, position: effect.id, what)
        }
        if let what = try misplacement(of: effect, database) { return wrong(what) }
        let texts = [effect.request, effect.progress, effect.error, effect.answer]
        if !texts.allSatisfy({ $0.map(JSONReader.reads) ?? true }) {
            return wrong("its effect '\(effect.name)' holds what is not JSON")
        }
        guard let number = effect.number else { return nil }
        let isWanted =
            waits(record)
            && invocations(of: record)?.contains { invocation in
                invocation.id == effect.id && invocation.seq == effect.seq.rawValue && invocation.number == number
                    && invocation.name == effect.name
            } ?? true
        return isWanted ? nil : wrong("there is an effect '\(effect.name)' that it does not wait for")
    }

    /// Between an effect and the row that began it stand only other effects of that row.
    private static func misplacement(of effect: EffectRecord, _ database: Database) throws -> String? {
        var select = try PreparedStatement(
            database,
            "SELECT position, instance_id, seq FROM journal WHERE position <= ? ORDER BY position DESC LIMIT 1")
        select.bind(effect.id.rawValue)
        let row = try select.first { row in
            // Proof: these are compared, and nothing counts with them.
            (position: row.integer(), instance: row.integer(), seq: row.integer())
        }
        if row?.position == effect.id.rawValue { return "an effect has the position of a row" }
        guard let row, row.instance == effect.instanceID.rawValue, row.seq == effect.seq.rawValue else {
            return "its effect '\(effect.name)' does not stand behind the row that began it"
        }
        return nil
    }

    private static func waits(_ record: InstanceRecord) -> Bool {
        switch record.status {
        case .running, .failed, .suspended: true
        case .done, .cancelled, .purging: false
        }
    }

    private static func isThere(
        _ invocation: Invocation, of instance: InstanceID, _ database: Database
    ) throws -> Bool {
        guard try EffectQueries.isThere(in: database) else { return false }
        var select = try PreparedStatement(
            database,
            "SELECT 1 FROM effect WHERE id = ? AND instance_id = ? AND seq = ? AND number = ? AND name = ?")
        select.bind(invocation.id.rawValue)
        select.bind(instance.rawValue)
        select.bind(invocation.seq)
        select.bind(invocation.number)
        select.bind(invocation.name)
        return try select.first { _ in true } ?? false
    }

    /// Nil where the list cannot be read.
    private static func invocations(of record: InstanceRecord) -> [Invocation]? {
        if record.state.armed == "[]" { return [] }
        // A text that is no JSON is no list either.
        guard case .array(let armed)? = try? JSONReader.value(from: record.state.armed) else { return nil }
        var invocations: [Invocation] = []
        for pending in armed where pending.object?["kind"] == "invocation" {
            guard case .int(let position)? = pending.object?["position"], case .int(let seq)? = pending.object?["seq"],
                case .int(let number)? = pending.object?["number"], let name = pending.object?["invoke"]?.string
            else { return nil }
            invocations.append(
                Invocation(
                    id: Position(rawValue: position), seq: seq, number: number, name: name,
                    isKept: pending.object?["kept"] == true))
        }
        return invocations
    }
}

extension JSONReader {
    fileprivate static func reads(_ text: String) -> Bool { (try? value(from: text)) != nil }
}

/// Attempts at effects, which outlive them.
enum AttemptInspection {
    /// What is read of each: its key first.
    static let rows = """
        SELECT \(AttemptRecord.columns(of: "a")), i.id IS NOT NULL, coalesce(e.instance_id = a.instance_id, 1),
            a.effect < (SELECT next_position FROM store)
        FROM attempt a LEFT JOIN instance i ON i.id = a.instance_id LEFT JOIN effect e ON e.id = a.effect
        """

    /// What is wrong with a row; nil when it can be.
    static func inconsistency(of row: inout StatementRow) throws -> Inconsistency? {
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
