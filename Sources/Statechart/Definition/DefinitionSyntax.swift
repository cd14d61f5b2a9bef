/// In which notation a definition is written.
package enum DefinitionSyntax: Sendable {
    case yaml, json
    /// JSON when the text begins with `{` and is JSON, else YAML.
    case detected
}
