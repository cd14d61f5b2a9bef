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
    ///
    /// - Parameter rest: The part behind the button.
    func markup(
        _ label: String, @MarkupBuilder fields: () -> Markup = { Markup() },
        @MarkupBuilder rest: () -> Markup = { Markup() }
    ) -> Markup {
        markup {
            fields()
            button(label)
            roles
            rest()
        }
    }

    /// The form with its content, among it its buttons.
    func markup(@MarkupBuilder content: () -> Markup) -> Markup {
        Tag.form(.class("act"), .method("post"), .action(act.link(name))) {
            Tag.input(.type("hidden"), .name("form"), .value(visitor.formValue))
            content()
        }
    }

    /// A button of the form.
    ///
    /// - Parameter name: The field that says which button was pressed; `nil` for a form with one.
    func button(_ label: String, name: StaticString? = nil) -> Markup {
        let isDisabled: Attribute? = visitor.may(act.route) ? nil : .disabled
        return Tag.button(.type("submit"), name.map { .name($0) }, name.map { _ in .value("yes") }, isDisabled) {
            label
        }
    }

    /// The roles that may; nothing for a visitor who has one.
    var roles: Markup { visitor.refusal(of: act.route) ?? Markup() }
}

extension Visitor {
    /// Returns true if the visitor's roles suffice for a route. The route itself decides again.
    func may(_ route: Route) -> Bool { roles.contains { $0.permissions.contains(route.permission) } }

    /// Returns which roles may use a route; `nil` if the visitor's suffice.
    func refusal(of route: Route) -> Markup? {
        may(route) ? nil : Tag.span(.class("note")) { "\(Self.roles(for: route))." }
    }

    /// Returns the problem of a form that the visitor's roles do not suffice for.
    func forbidden(_ route: Route) -> Problem {
        var problem = Problem(.forbidden, detail: "\(name) may not do this. \(Self.roles(for: route))")
        problem.permission = route.permission
        problem.roles = Role.having(route.permission)
        return problem
    }

    private static func roles(for route: Route) -> String {
        "Roles that may: " + Role.having(route.permission).map(\.rawValue).joined(separator: ", ")
    }
}
