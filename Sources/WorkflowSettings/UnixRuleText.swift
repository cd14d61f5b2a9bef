package import Statechart
import WorkflowAPI
package import WorkflowAccess

/// Reads rules for users of this machine: `[{user: ops, role: operate}, {group: wfd-view, role: view}]`.
package enum UnixRuleText {
    /// Returns the rules of a list, and reports all mistakes in it.
    package static func read(_ node: DefinitionNode, _ report: Setting.Report) -> [UnixRule]? {
        guard let elements = node.elements else {
            report(
                "write a list, such as [{user: ops, role: operate}, {group: wfd-view, role: view}]; [] admits only root "
                    + "and the user of wfd", node.place)
            return nil
        }
        return elements.compactMap { rule($0, report) }
    }

    private static func rule(_ node: DefinitionNode, _ report: Setting.Report) -> UnixRule? {
        guard let members = node.members else {
            report("a rule is a map, such as {user: ops, role: operate}", node.place)
            return nil
        }
        var subjects: [UnixRule.Subject] = []
        var role: Role?
        for member in members {
            let text = member.value.text
            switch (member.key, text) {
            case ("user", let name?) where !name.isEmpty: subjects.append(.user(name))
            case ("group", let name?) where !name.isEmpty: subjects.append(.group(name))
            case ("role", let word?):
                role = Role(rawValue: word)
                if role == nil {
                    let words = Role.allCases.map(\.rawValue).joined(separator: ", ")
                    report("'\(word)' is no role; write one of \(words)", member.value.place)
                }
            case ("user", _), ("group", _), ("role", _): report("'\(member.key)' must be a text", member.value.place)
            default: report("unknown key '\(member.key)'; a rule has user or group, and role", member.place)
            }
        }
        if !members.contains(where: { $0.key == "role" }) { report("the role is missing", node.place) }
        guard subjects.count == 1 else {
            report("a rule has either user or group", node.place)
            return nil
        }
        return role.map { UnixRule(subjects[0], $0) }  // Proof: there is one
    }
}
