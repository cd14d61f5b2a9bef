import WorkflowStore

// `StateMachines` also has a `MachineVersion`, and the store's module cannot be named, because it contains a type with
// the module's name.

/// The number of a machine's version in the store.
typealias StoredVersion = MachineVersion
