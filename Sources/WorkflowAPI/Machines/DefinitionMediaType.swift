/// What the body of `POST /v1/machines` may be.
public enum DefinitionMediaType: String, CaseIterable, Sendable {
    case yaml = "application/yaml"
    case json = "application/json"
}
