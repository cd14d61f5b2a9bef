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

/// In which notation a definition is written.
package enum DefinitionSyntax: Sendable {
    case yaml, json
    /// JSON when the text begins with `{` and is JSON, else YAML.
    case detected
}
