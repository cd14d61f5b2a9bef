/// What reading a definition gives.
package struct DefinitionReading: Sendable {
    package let machine: Machine
    /// In the order of the text.
    package let warnings: [Diagnostic]

    package init(machine: Machine, warnings: [Diagnostic]) {
        self.machine = machine
        self.warnings = warnings
    }
}
