/// The notation in which to write a definition.
package enum DefinitionNotation: Sendable {
    case yaml, json
}
