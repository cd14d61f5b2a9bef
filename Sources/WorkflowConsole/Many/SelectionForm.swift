import WorkflowAPI
import WorkflowJSON

/// The form around a list of instances: some are ticked, or all that match are meant, and a verb is chosen.
struct SelectionForm {
    /// The query of the list.
    let list: InstanceListParameters
    let visitor: Visitor

    /// The form with the list in it, whose rows have boxes.
    func markup(around table: Markup) -> Markup {
        let form = VerbForm(.many, "choose", for: visitor)
        return form.markup {
            table
            Tag.div(.class("selection")) {
                Tag.div {
                    Tag.label(.for("f-verb")) { "Verb" }
                    Tag.select(.id("f-verb"), .name("verb")) {
                        for verb in ManyVerb.allCases { Tag.option(.value(verb.rawValue)) { verb.label } }
                    }
                }
                form.button("Rehearse with the ticked", name: "ticked")
                if let select = BulkSelect(list) {
                    Tag.input(.type("hidden"), .name("select"), .value(exactly: JSONWriter.string(select)))
                    form.button("Rehearse with all that match", name: "matching")
                }
                form.roles
            }
            Tag.p(.class("note")) {
                "A rehearsal changes nothing. "
                if list.ahead { "No run selects instances by a time ahead: tick them." }
            }
        }
    }

    /// The box of an instance.
    static func box(_ instance: String) -> Markup {
        Tag.input(.type("checkbox"), .name("instance"), .value(exactly: instance), .label("Tick \(instance)"))
    }
}
