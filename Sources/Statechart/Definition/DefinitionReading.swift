/// The result of reading a definition.
package struct DefinitionReading: Sendable {
    package let machine: Machine
    /// The warnings in the order of the text.
    package let warnings: [Diagnostic]
}
