import WorkflowAPI
import WorkflowCalls

/// The parts of an instance's page that lead to forms.
enum InstanceActions {
    /// Returns the verbs: those that fit the instance now first, the others with the reason why not.
    static func section(_ instance: Instance, _ tree: StateTree?, _ visitor: Visitor) async -> Markup {
        let name = instance.instance
        let standing = await Standing(of: instance, visitor.client)
        let fitting = InstanceVerb.offered.filter { $0.misfit(standing) == nil }
        let others = InstanceVerb.offered.filter { $0.misfit(standing) != nil }
        let effects = tree?.hasEffects == false ? Markup() : await effects(of: name, visitor)
        return ConsolePages.section("What can be done", id: "verbs") {
            Tag.ul(.class("verbs")) {
                for verb in fitting + others { Tag.li { button(verb, standing, visitor) } }
            }
            effects
        }
    }

    /// Returns the button that leads from a past moment to the form that returns to it.
    static func past(_ name: String, seq: Int64, _ visitor: Visitor) -> Markup {
        form(.reset, name, [("to", "\(seq)")], visitor, label: "Reset to seq \(seq) …")
    }

    /// Returns an event's name as a link to its form.
    static func link(event: String, of name: String) -> Markup {
        // A descriptor such as `legal.*` is no event, so its name is asked for.
        let named = event.contains("*") ? nil : event
        return Tag.a(.href(Link(form: "send", of: name, [("event", named)]))) { Tag.code { event } }
    }

    private static func button(_ verb: InstanceVerb, _ standing: Standing, _ visitor: Visitor) -> Markup {
        let label = verb.isSend ? "Send an event …" : "\(verb.title) …"
        return form(verb, standing.instance.instance, [], visitor, label: label, misfit: verb.misfit(standing))
            + Tag.span(.class("note")) { verb.effect }
    }

    private static func effects(of name: String, _ visitor: Visitor) async -> Markup {
        // The part about timers and effects tells why they cannot be read.
        let effects = try? await visitor.client.effects(EffectListParameters(instance: name))
        guard let effects = effects?.items, !effects.isEmpty else { return Markup() }
        var table = DataTable("Decisions about its effects", "Effect", "State", "Decide")
        for effect in effects {
            table.add {
                Tag.code { effect.id }
                EffectPages.state(effect)
                [InstanceVerb.retryEffect, .skipEffect, .cancelEffect].reduce(Markup()) { all, verb in
                    all + form(verb, name, [("effect", effect.id)], visitor, label: "\(verb.title) …")
                }
            }
        }
        return table.markup
    }

    /// Returns a form that leads to the form of a verb, with fields filled in.
    private static func form(
        _ verb: InstanceVerb, _ name: String, _ query: [(name: String, value: String)], _ visitor: Visitor,
        label: String, misfit: String? = nil
    ) -> Markup {
        let mayNot = visitor.refusal(of: verb.route)
        return Tag.form(.class("lead"), .method("get"), .action(Link(form: verb.word, of: name))) {
            for field in query { FormField.hidden(field.name, field.value) }
            Tag.button(.type("submit"), misfit == nil && mayNot == nil ? nil : .disabled) { label }
            if let misfit { Tag.span(.class("note")) { "Not now: \(misfit)." } }
            if let mayNot { mayNot }
        }
    }
}

// MARK: The choice of an event

extension InstanceForm {
    /// Returns the page that asks for the event: accepted ones first, the others with the reason why not.
    func events() async throws -> PageContent {
        let name = instance.instance
        let events = try await visitor.client.events(ofInstance: name)
        var table = DataTable("Events of its machine", "Event", "Taken now", "Why")
        for item in events.items.filter({ $0.accepted != false }) + events.items.filter({ $0.accepted == false }) {
            table.add {
                InstanceActions.link(event: item.event, of: name)
                item.accepted.map { $0 ? "yes" : "no" } ?? "perhaps"
                item.accepted == nil
                    ? Markup(text: "it depends on the data")
                    : item.accepted == true
                        ? Markup() : subject.tree?.reason(against: item.event, in: instance.configuration) ?? Markup()
            }
        }
        return PageContent("Send an event to \(name)", command()) {
            back
            if let misfit = verb.misfit(subject.standing) {
                Tag.p(.class("bad")) { "It takes nothing now: \(misfit)." }
            }
            if events.items.isEmpty { Tag.p { "Its machine takes no events." } } else { table.markup }
            Tag.form(.class("act"), .method("get"), .action(Link(form: verb.word, of: name))) {
                [FormField("event", "Another event", isRequired: true)].markup(nil)
                Tag.button(.type("submit")) { "Go on" }
            }
        }
    }
}
