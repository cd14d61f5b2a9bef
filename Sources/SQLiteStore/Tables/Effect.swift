import GRDB
import Statechart
import WorkflowJSON
import WorkflowStore

extension EffectRecord: TableRow {
    static let columns = Columns(
        of: "effect",
        blank: EffectRecord(
            id: Position(rawValue: 0), instanceID: InstanceID(rawValue: 0), seq: Seq(rawValue: 0), number: nil,
            name: "", queue: "", priority: 1, due: Timestamp(rawValue: 0), request: ""))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("id", row.id) { $0.id = try $1.position() }
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
        try column("lease", row.lease) { $0.lease = $1.optionalBytes() }
        try column("worker", row.worker) { $0.worker = try $1.optionalText() }
        try column("progress", row.progress) { $0.progress = try $1.optionalText() }
        try column("error", row.error) { $0.error = try $1.optionalText() }
        try column("answer", row.answer) { $0.answer = try $1.optionalText() }
        try column("request", row.request) { $0.request = try $1.text() }
    }

    /// `UPDATE …` of all columns but the id. The row's values are bound in the order of the columns.
    static let update: String = {
        let changes = columns.names.enumerated().dropFirst().map { "\($1) = ?\($0 + 1)" }
        return "UPDATE effect SET \(changes.joined(separator: ", ")) WHERE id = ?1"
    }()
}

extension Table {
    /// The table of effects, checked for effects that no instance waits for.
    static let effect = Table(
        "effect", key: ["rowid"], since: 2, rows: "\(EffectRecord.columns.select) NOT INDEXED"
    ) { row, inspection in
        inspection.slice.effects += 1
        return try EffectInspection.inconsistency(of: &row, inspection.database)
    }
}

/// Compares the invocations that instances wait for with the table of effects, in both directions.
///
/// A waiting invocation has its row, whether its instance runs or has failed. An invocation that the instance failed on
/// is over: its row may stay for an operator, but need not.
enum EffectInspection {
    /// An element of `armed` that completes when its effect ends.
    private struct Invocation {
        let id: Position
        let seq: Int64
        let number: Int64
        let name: String
        let isKept: Bool
    }

    /// Looks up the effects that an instance waits for. Returns their number and records the first one that does not
    /// fit.
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

    /// Returns the inconsistency of a row of the table; `nil` if its instance began the effect and waits for it.
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
            // The inspection of the instance or of its rows reports the damage.
            return nil
        }
    }

    private static func inconsistency(of effect: EffectRecord, _ database: Database) throws -> Inconsistency? {
        guard let record = try InstanceRecord.first(database, "WHERE id = ?", effect.instanceID) else {
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

    /// Returns an error text if an effect does not follow the row that began it. Only other effects of that row may
    /// stand between.
    private static func misplacement(of effect: EffectRecord, _ database: Database) throws -> String? {
        let row = try database.first(
            "SELECT position, instance_id, seq FROM journal WHERE position <= ? ORDER BY position DESC LIMIT 1",
            effect.id
        ) { row in
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
        guard try Table.effect.isThere(in: database) else { return false }
        return try database.first(
            "SELECT 1 FROM effect WHERE id = ? AND instance_id = ? AND seq = ? AND number = ? AND name = ?",
            invocation.id, instance, invocation.seq, invocation.number, invocation.name
        ) { _ in true } ?? false
    }

    /// Returns the invocations that an instance waits for; `nil` if the list cannot be read.
    private static func invocations(of record: InstanceRecord) -> [Invocation]? {
        if record.state.armed == "[]" { return [] }
        // A text that is not JSON is not a list either.
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
    static func reads(_ text: String) -> Bool { (try? value(from: text)) != nil }
}
