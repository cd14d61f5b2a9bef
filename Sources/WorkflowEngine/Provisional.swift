import WorkflowStore

/// What a batch that is not committed yet makes of the store, as far as later commands look at it.
struct Provisional {
    let instances: TouchedInstances
    let machines: [LoadedMachine]
    let keys: [KeyPlace: Position]
}

/// A key within its scope.
struct KeyPlace: Hashable {
    let key: RequestKey
    let scope: KeyScope
}
