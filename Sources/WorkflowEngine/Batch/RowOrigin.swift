import WorkflowStore

/// The origin of a journal row: its caller, and the data that the row keeps of the request.
struct RowOrigin {
    let caller: Caller
    var key: RequestKey?
    var reason: String?
    /// The bulk run that the row is a part of.
    var run: String?
    /// The version that the instance runs from this row on; for kinds of rows that change it.
    var machine: LoadedMachine?
    /// The age and the failure that the instance has again; for a row that undoes the last one.
    var age: FormerAge?

    init(
        _ caller: Caller, key: RequestKey? = nil, reason: String? = nil, run: String? = nil,
        machine: LoadedMachine? = nil, age: FormerAge? = nil
    ) {
        self.caller = caller
        self.key = key
        self.reason = reason
        self.run = run
        self.machine = machine
        self.age = age
    }
}

/// The former age of an instance's state. A row that undoes the row before restores the age from before both rows.
struct FormerAge: Sendable {
    /// The time since which the instance was in its configuration.
    let entered: Timestamp
    /// The reason and the time of the failure, as the instance keeps them; `nil` if it had not failed.
    let failure: String?
}
