/// In which notation a definition is to be written.
package enum DefinitionNotation: Sendable {
    case yaml, json
}
