import Statechart

extension DefinitionNode {
    /// The same value where every text is an expression: in `assign`, `data` and `output`.
    var template: DefinitionNode {
        switch content {
        case .string(let text): .string(ExpressionText.string(text), at: place)
        case .list(let elements): .list(elements.map(\.template), at: place)
        case .map(let members): .map(members.map { Member($0.key, $0.value.template, at: $0.place) }, at: place)
        default: self
        }
    }

    /// The node with another text, if it is a text.
    func mappingText(_ body: (String) -> String) -> DefinitionNode {
        text.map { .string(body($0), at: place) } ?? self
    }

    /// The map with other values, if it is a map.
    func mappingMembers(_ body: (Member) -> DefinitionNode) -> DefinitionNode {
        guard let members else { return self }
        return .map(members.map { Member($0.key, body($0), at: $0.place) }, at: place)
    }
}
