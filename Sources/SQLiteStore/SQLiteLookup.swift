import GRDB
import WorkflowStore

/// What applying a command reads, on whichever connection.
protocol SQLiteLookup: StoreLookup {
    func read<T>(_ body: (Database) throws -> T) throws(StoreError) -> T
}

extension SQLiteLookup {
    package func machine(named name: String, version: Int64?) throws(StoreError) -> MachineRecord? {
        try read { database in try StoreQueries.machine(database, named: name, version: version) }
    }

    package func machine(_ id: MachineID) throws(StoreError) -> MachineRecord? {
        try read { database in try StoreQueries.machine(database, id) }
    }

    package func instance(named name: String) throws(StoreError) -> InstanceRecord? {
        try read { database in try StoreQueries.instance(database, named: name) }
    }

    package func instanceName(_ id: InstanceID) throws(StoreError) -> String? {
        try read { database in try StoreQueries.instanceName(database, id) }
    }

    package func position(of key: RequestKey, in scope: KeyScope) throws(StoreError) -> Position? {
        try read { database in try StoreQueries.position(database, of: key, in: scope) }
    }
}
