/// The notation in which a definition is written.
package enum DefinitionSyntax: Sendable {
    case yaml, json
    /// JSON if the text begins with `{` and is valid JSON, otherwise YAML.
    case detected
}
