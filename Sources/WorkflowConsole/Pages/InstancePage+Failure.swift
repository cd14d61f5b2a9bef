import WorkflowAPI

extension InstancePage {
    /// Returns the reason of a failure, with the way to its line and to the moment before.
    static func failure(_ failure: Instance.Failure, _ instance: Instance) -> Markup {
        ConsolePages.section("Why it failed", id: "failure") {
            Tag.div(.class("problem")) {
                Tag.p { failure.detail + "." }
                Words.facts([
                    ("On", Tag.code { failure.event } + Markup(text: " ") + Words.brief(failure.data)),
                    ("At", Words.time(failure.at) + Markup(text: " seq \(failure.seq)")),
                    ("In state", failure.state.map { Words.states([$0]) }),
                    (
                        "Line",
                        failure.line.map { line($0, instance) + Markup(text: " of version \(instance.version)") }
                    ),
                    ("Expression", failure.expression.map { text in Tag.code { text } }),
                    ("Message", Markup(text: failure.message)),
                ])
                if failure.seq > 1 {
                    Tag.p {
                        Tag.a(.href(.instance(instance.instance, seq: failure.seq - 1))) { "The moment before" }
                    }
                }
            }
            ConsolePages.commandLine(command(["retry"], instance.instance))
        }
    }
}
