import WorkflowStore

// `StateMachines` has a `MachineVersion` too, and the store's module cannot be named: it has a type of its name.

/// The number of a machine's version, as the store has it.
typealias StoredVersion = MachineVersion
