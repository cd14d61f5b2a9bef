import GRDB
import Statechart
import WorkflowStore

/// Checks that the last rows of the journal are as they were written, and that their instances match them.
///
/// A crash can damage only the last rows. `wfctl verify` checks the whole file.
struct TailCheck {
    let file: StoreFile
    let row: StoreRow
    /// The number of rows to check.
    let limit: Int

    /// Returns the number of rows that were checked.
    func run(_ database: Database) throws -> Int {
        try checkNumbers(database)
        var reader = TailReader(database: database)
        var seen: Set<InstanceID> = []
        var count = 0
        try database.forEachRow(
            "SELECT \(JournalRecord.columns) FROM journal ORDER BY position DESC LIMIT \(limit)"
        ) { row in
            let row = try JournalRecord(row: &row)
            guard let instance = try reader.instance(row.instanceID) else {
                throw damage("the instance of the row at seq \(row.seq.rawValue) is missing")
            }
            count += 1
            // For a deleted instance, the table `purge` has the end of its rows.
            if seen.insert(instance.id).inserted, instance.status != .purging { try check(instance, against: row) }
            try check(row, of: instance, &reader)
            return true
        }
        return count
    }

    private func checkNumbers(_ database: Database) throws {
        let numbers = row.numbers
        var tables = [
            ("next_position", numbers.nextPosition.rawValue, "journal", "position"),
            ("next_instance", numbers.nextInstance.rawValue, "instance", "id"),
            ("next_machine", numbers.nextMachine.rawValue, "machine", "id"),
        ]
        if try Table.effect.isThere(in: database) {
            tables.append(("next_position", numbers.nextPosition.rawValue, "effect", "id"))
        }
        if try Table.audit.isThere(in: database) {
            tables.append(("next_position", numbers.nextPosition.rawValue, "audit", "position"))
        }
        if try Table.change.isThere(in: database) {
            tables.append(("next_position", numbers.nextPosition.rawValue, "change", "position"))
        }
        for (column, next, table, id) in tables {
            let last = try PreparedStatement.number(database, "SELECT coalesce(max(\(id)), 0) FROM \(table)")
            guard last < next else {
                throw damage("the column '\(column)' of its table 'store' is \(next), but '\(table)' has \(last)")
            }
        }
    }

    /// Checks that the instance is in the state that its newest row ends in.
    private func check(_ instance: TailReader.Instance, against row: JournalRecord) throws {
        guard instance.head == row.position, instance.seq == row.seq, instance.digest == row.digest,
            instance.machineID == row.machineID, instance.configuration == row.to
        else {
            throw damage("'\(instance.name)' does not stand where its last row ends (seq \(row.seq.rawValue))")
        }
    }

    private func check(_ row: JournalRecord, of instance: TailReader.Instance, _ reader: inout TailReader) throws {
        let place = "the row at seq \(row.seq.rawValue) of '\(instance.name)'"
        var previous: Digest?
        if let position = row.previous {
            guard let before = try reader.link(position), before.instanceID == row.instanceID,
                before.seq.next == row.seq
            else { throw damage("the row before seq \(row.seq.rawValue) of '\(instance.name)' is missing") }
            previous = before.digest
        } else if row.seq.rawValue != 1 {
            throw damage("\(place) has no row before it")
        }
        guard let machine = try reader.machine(row.machineID) else {
            throw damage("the machine of \(place) is missing")
        }
        let snapshot = try reader.snapshot(row)
        let digest = reader.buffer.digest(
            row: row, previous: previous, instance: instance.chain, machine: machine, snapshot: snapshot?.digest)
        guard digest == row.digest, snapshot.map({ reader.isWhole($0, at: row) }) ?? true else {
            throw damage("\(place) is not what was written")
        }
    }

    private func damage(_ what: String) -> StoreError {
        StoreError(.damaged, "Cannot open '\(file.given)': \(what); restore a backup")
    }
}
