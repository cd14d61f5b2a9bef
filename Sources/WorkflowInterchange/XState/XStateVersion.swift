import Statechart

/// Detects configurations of version 4 by the keys that only version 4 has.
enum XStateVersion {
    private static let ofStates: Set = [
        "predictableActionArguments", "preserveActionOrder", "schema", "tsTypes", "activities", "onEntry", "onExit",
    ]
    private static let ofTransitions = ["cond", "internal", "in"]

    /// Returns true if a state, or a state below it, uses version 4's form.
    static func isFour(_ state: DefinitionNode) -> Bool {
        guard let members = state.members else { return false }
        return members.contains { member in
            switch member.key {
            case "states": member.value.members?.contains { isFour($0.value) } ?? false
            case "on": member.value[""] != nil || lists(member.value).contains(where: hasTransitionOfFour)
            case "after": lists(member.value).contains(where: hasTransitionOfFour)
            case "always", "onDone": hasTransitionOfFour(member.value)
            case "data": state["type"]?.text == "final"
            case "history": member.value == .bool(true)
            default: ofStates.contains(member.key)
            }
        }
    }

    private static func lists(_ handlers: DefinitionNode) -> [DefinitionNode] {
        handlers.members?.map(\.value) ?? [handlers]
    }

    private static func hasTransitionOfFour(_ value: DefinitionNode) -> Bool {
        (value.elements ?? [value]).contains { transition in
            ofTransitions.contains { transition[$0] != nil }
        }
    }
}
