import GRDB
import WorkflowStore

extension BatchWriting {
    func insert(_ timers: [TimerRecord], _ database: Database) throws {
        guard !timers.isEmpty else { return }
        var insert = try PreparedStatement(
            database, "INSERT INTO timer (\(TimerRecord.columns)) VALUES (?, ?, ?, ?, ?)", values: values)
        for timer in timers {
            bind(timer.key, to: &insert)
            insert.bind(timer.instanceID.rawValue)
            insert.bind(timer.event)
            try insert.run()
        }
    }

    func delete(_ timers: [TimerKey], _ database: Database) throws {
        guard !timers.isEmpty else { return }
        var delete = try PreparedStatement(
            database, "DELETE FROM timer WHERE due_ms = ? AND position = ? AND ordinal = ?", values: values)
        for key in timers {
            bind(key, to: &delete)
            try delete.run()
            guard delete.changes == 1 else {
                throw StoreError(.constraint, "Cannot write: a timer that ended is not in the store")
            }
        }
    }

    private func bind(_ key: TimerKey, to statement: inout PreparedStatement) {
        statement.bind(key.due.rawValue)
        statement.bind(key.position.rawValue)
        statement.bind(key.ordinal)
    }
}
