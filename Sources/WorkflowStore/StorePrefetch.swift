/// Reads many rows at once, for a store where each lookup takes a round trip. A batch begins with a prefetch and then
/// works from memory.
package protocol StorePrefetch: AnyObject {
    /// Reads rows. Later lookups of them, also of missing rows, are answered from memory. Each instance comes with its
    /// machine version. Rows that were read since the last `forget` are not read again.
    ///
    /// If `prefetch` throws, every lookup still reads for itself.
    func prefetch(_ wanted: WantedRows) throws(StoreError)

    /// Drops the rows. The next commit may change them, so every lookup reads again.
    func forget()
}

/// The rows that commands and timers will look up.
package struct WantedRows: Sendable, Equatable {
    /// Instances to read with their current state.
    package var instances: Set<InstanceKey> = []
    /// Instances by number, to read with their keys and current state.
    package var ids: Set<InstanceID> = []
    package var machines: Set<WantedMachine> = []
    package var keys: Set<WantedKey> = []

    package init() {}

    package var isEmpty: Bool { instances.isEmpty && ids.isEmpty && machines.isEmpty && keys.isEmpty }
}

/// A machine version that will be looked up.
package struct WantedMachine: Hashable, Sendable {
    package let key: MachineKey
    /// The version; `nil` for the latest.
    package let version: MachineVersion?

    package init(_ key: MachineKey, version: MachineVersion?) {
        self.key = key
        self.version = version
    }
}

/// A caller's key that will be looked up.
package struct WantedKey: Hashable, Sendable {
    /// The scope of the key, by name until the number is known.
    package enum Scope: Hashable, Sendable {
        case instance(InstanceKey)
        /// The starts of a machine, whatever its version.
        case machine(MachineKey)
        case known(KeyScope)
    }

    package let key: RequestKey
    package let scope: Scope

    package init(_ key: RequestKey, in scope: Scope) {
        self.key = key
        self.scope = scope
    }
}
