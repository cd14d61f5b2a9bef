import WorkflowStore

/// What a batch that is not committed yet adds to the store, as far as later commands look it up there. Its instances
/// are among the `WorkingSet`.
struct UncommittedBatch {
    let machines: [LoadedMachine]
    let keys: [KeyPlace: Position]
}

/// A key within its scope.
struct KeyPlace: Hashable {
    let key: RequestKey
    let scope: KeyScope
}
