import Statechart

extension DefinitionNode {
    /// The same value where every string is an expression: in `assign`, `data` and `output`.
    var template: DefinitionNode {
        switch content {
        case .string(let text): .string(ExpressionText.string(text), at: place)
        case .list(let elements): .list(elements.map(\.template), at: place)
        case .map(let members): .map(members.map { Member($0.key, $0.value.template, at: $0.place) }, at: place)
        default: self
        }
    }

    /// Returns the node with a changed string; a node of another kind is returned unchanged.
    func mappingText(_ body: (String) -> String) -> DefinitionNode {
        text.map { .string(body($0), at: place) } ?? self
    }

    /// Returns the map with changed values; a node of another kind is returned unchanged.
    func mappingMembers(_ body: (Member) -> DefinitionNode) -> DefinitionNode {
        guard let members else { return self }
        return .map(members.map { Member($0.key, body($0), at: $0.place) }, at: place)
    }
}
