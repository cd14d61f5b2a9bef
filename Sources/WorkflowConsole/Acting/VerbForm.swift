import WorkflowAPI

/// The form of an act. Its button is disabled for a visitor whose roles do not suffice, and says which do.
struct VerbForm {
    let act: ConsoleAct
    let name: String
    let visitor: Visitor

    init(_ act: ConsoleAct, _ name: String, for visitor: Visitor) {
        (self.act, self.name, self.visitor) = (act, name, visitor)
    }

    /// The form with its fields and its button.
    func markup(_ label: String, @MarkupBuilder fields: () -> Markup = { Markup() }) -> Markup {
        Tag.form(.class("act"), .method("post"), .action(act.link(name))) {
            Tag.input(.type("hidden"), .name("form"), .value(visitor.formValue))
            fields()
            button(label)
        }
    }

    private func button(_ label: String) -> Markup {
        guard !visitor.may(act.route) else { return Tag.button(.type("submit")) { label } }
        let roles = Role.having(act.route.permission).map(\.rawValue).joined(separator: ", ")
        return Tag.button(.type("submit"), .disabled) { label }
            + Tag.span(.class("note")) { "Roles that may: \(roles)." }
    }
}

extension Visitor {
    /// Returns true if the visitor's roles suffice for a route. The route itself decides again.
    func may(_ route: Route) -> Bool { roles.contains { $0.permissions.contains(route.permission) } }
}
