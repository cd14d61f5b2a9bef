import GRDB
import WorkflowStore

/// What applying a command reads, on whichever connection.
protocol SQLiteLookup: StoreLookup {
    func read<T>(_ body: (Database) throws -> T) throws(StoreError) -> T
}

extension SQLiteLookup {
    /// A lookup is a prepared statement in this process.
    package var prefetch: (any StorePrefetch)? { nil }

    package func machine(_ key: MachineKey, version: MachineVersion?) throws(StoreError) -> MachineRecord? {
        try read { database in try StoreQueries.machine(database, key, version: version) }
    }

    package func machine(_ id: MachineID) throws(StoreError) -> MachineRecord? {
        try read { database in try StoreQueries.machine(database, id) }
    }

    package func instance(_ key: InstanceKey) throws(StoreError) -> InstanceRecord? {
        try read { database in try StoreQueries.instance(database, key) }
    }

    package func instanceKey(_ id: InstanceID) throws(StoreError) -> InstanceKey? {
        try read { database in try StoreQueries.instanceKey(database, id) }
    }

    package func position(of key: RequestKey, in scope: KeyScope) throws(StoreError) -> Position? {
        try read { database in try StoreQueries.position(database, of: key, in: scope) }
    }
}
