/// The longest time for which a running instance of a machine version has been in a configuration.
package struct OldestInState: Sendable, Equatable {
    package let machineID: MachineID
    /// Paths of the active leaves, joined by commas.
    package let configuration: String
    /// When that instance entered it.
    package let entered: Timestamp

    package init(machineID: MachineID, configuration: String, entered: Timestamp) {
        self.machineID = machineID
        self.configuration = configuration
        self.entered = entered
    }
}
