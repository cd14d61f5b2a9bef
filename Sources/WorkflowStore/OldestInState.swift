/// The longest stay of a running instance of a machine version in a configuration.
package struct OldestInState: Sendable, Equatable {
    package let machineID: MachineID
    /// The paths of the active leaves, joined by commas.
    package let configuration: String
    /// The time at which that instance entered the configuration.
    package let entered: Timestamp

    package init(machineID: MachineID, configuration: String, entered: Timestamp) {
        self.machineID = machineID
        self.configuration = configuration
        self.entered = entered
    }
}
