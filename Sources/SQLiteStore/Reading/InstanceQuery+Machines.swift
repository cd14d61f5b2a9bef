import GRDB
import Statechart
import WorkflowStore

extension InstanceQuery {
    /// Returns the ids of the selected machine versions after an id; `nil` if the query selects all machines.
    func selectedMachines(
        _ database: Database, in namespace: NamespaceID, after id: Int64 = 0
    ) throws -> Set<Int64>? {
        guard !takesAllMachines else { return nil }
        var selected: Set<Int64> = []
        func take(_ row: inout StatementRow) throws -> Bool {
            let id = try row.ordinal()
            if takes(try row.machineName(), try row.version()) { selected.insert(id) }
            return true
        }
        if machines.isEmpty {
            try database.forEachRow(
                "SELECT id, name, version FROM machine WHERE id > ? AND namespace_id = ?", id, namespace,
                body: take)
        }
        for name in machines {
            // The plus sign keeps SQLite on the index by name, which has few rows for one name.
            try database.forEachRow(
                "SELECT id, name, version FROM machine WHERE +id > ? AND namespace_id = ? AND name = ?", id,
                namespace, name, body: take)
        }
        return selected
    }
}
