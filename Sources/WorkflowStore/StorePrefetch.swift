/// Reading many rows at once, for a store where each lookup takes a round trip. A batch begins with it and then works
/// from memory.
package protocol StorePrefetch: AnyObject {
    /// Reads rows; from now on lookups of them are answered from memory, also those of rows that are not there. With an
    /// instance comes the machine version that it runs. What was read since the last `forget` is not read again.
    ///
    /// Where this throws, every lookup still reads for itself.
    func prefetch(_ wanted: WantedRows) throws(StoreError)

    /// Ends it: what is committed next may change the rows, so every lookup reads again.
    func forget()
}

/// Rows that will be looked up, by what commands and timers name.
package struct WantedRows: Sendable, Equatable {
    /// Instances with their current state.
    package var instances: Set<InstanceKey> = []
    /// Instances by their numbers: what names them, and then the same.
    package var ids: Set<InstanceID> = []
    package var machines: Set<WantedMachine> = []
    package var keys: Set<WantedKey> = []

    package init() {}

    package var isEmpty: Bool { instances.isEmpty && ids.isEmpty && machines.isEmpty && keys.isEmpty }
}

/// A machine version that will be looked up.
package struct WantedMachine: Hashable, Sendable {
    package let key: MachineKey
    /// Nil for the latest.
    package let version: MachineVersion?

    package init(_ key: MachineKey, version: MachineVersion?) {
        self.key = key
        self.version = version
    }
}

/// A caller's key that will be looked up.
package struct WantedKey: Hashable, Sendable {
    /// In whose scope: by name, as long as nobody has looked up the number.
    package enum Scope: Hashable, Sendable {
        case instance(InstanceKey)
        /// Starts of a machine, whatever its version.
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
