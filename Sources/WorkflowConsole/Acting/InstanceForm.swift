import WorkflowAPI
import WorkflowCalls
import WorkflowTerminal

/// The page with the form of a verb. A form that is wrong comes back with what was typed.
struct InstanceForm {
    let verb: InstanceVerb
    let subject: Subject
    let form: FormRequest
    let visitor: Visitor
    /// The options of wfctl for what was typed, beside those that its fields give.
    var options: [String] = []

    var instance: Instance { subject.instance }
    /// The seq that a request expects: that of the instance, or for an effect the seq that began it.
    var expectedSeq: Int64 { subject.effect?.seq ?? instance.seq }
    private var name: String { instance.instance }

    /// Returns the page of `/console/instances/NAME/VERB`; its query fills fields in.
    static func content(_ request: PageRequest, _ visitor: Visitor) async throws -> PageContent {
        guard request.words.count == 3, let verb = InstanceVerb.named(request.words[2]) else {
            throw ClientError.problem(Problem(.routeNotFound, detail: "The console has no such form"))
        }
        guard let form = FormRequest(words: request.words, fields: request.query) else {
            throw ClientError.problem(Problem(.invalidParameter, detail: "A parameter stands twice"))
        }
        let subject = try await Subject(request.words[1], form, visitor.client)
        let page = InstanceForm(verb: verb, subject: subject, form: form, visitor: visitor)
        if verb.isSend, form.text("event") == nil { return try await page.events() }
        return page.content()
    }

    /// Returns the page with the form.
    ///
    /// - Parameters:
    ///   - mistakes: The messages by the names of their fields.
    ///   - problem: The problem with which the API refused the request.
    func content(_ mistakes: [String: String] = [:], _ problem: Problem? = nil) -> PageContent {
        let fields = verb.fields(subject, form)
        var mistakes = mistakes
        var problem = problem
        if let refused = problem, let candidates = Self.fields[refused.type],
            let field = fields.first(where: { candidates.contains($0.name) && !$0.isHidden })
        {
            mistakes[field.name] = refused.detail
            problem = nil
        }
        let names = Set(fields.filter { !$0.isHidden }.map(\.name))
        return PageContent(verb.heading(name, form), command()) {
            back
            Tag.p { verb.effect }
            facts
            if let problem { refusal(problem) }
            if !mistakes.isEmpty { top(mistakes, names) }
            if let misfit = verb.misfit(subject.standing) {
                Tag.p(.class("bad")) { "It does not fit now: \(misfit)." }
            }
            VerbForm(verb.act, name, for: visitor).markup("Rehearse") {
                FormField.hidden("step", "rehearse")
                fields.markup(form, mistakes)
            }
            if verb.changesContext {
                ConsolePages.section("Context now", id: "context") { Words.json(instance.context) }
            }
            if DataFields(of: form, subject.tree).areTyped, let event = form.text("event") {
                Tag.p(.class("note")) {
                    Tag.a(.href(Link(form: "send", of: name, [("event", event), (DataFields.mode, "json")]))) {
                        "Write the data as JSON"
                    }
                }
            }
            Tag.p(.class("note")) { "A rehearsal changes nothing." }
        }
    }

    /// The fields that problems are about.
    private static let fields: [ProblemType: Set<String>] = [
        .unknownEvent: ["event"], .reservedEvent: ["event"], .invalidData: ["data", "set"], .seqNotFound: ["to"],
        .machineNotFound: ["to"], .invocationsUndecided: ["invocations"],
    ]

    private func top(_ mistakes: [String: String], _ shown: Set<String>) -> Markup {
        Tag.div(.class("problem")) {
            Tag.p { "Nothing was done: \(Words.count(Int64(mistakes.count), "field")) must be changed." }
            for mistake in mistakes.sorted(by: { $0.key < $1.key }) where !shown.contains(mistake.key) {
                Tag.p { mistake.value + "." }
            }
        }
    }

    /// Returns a refusal with the transitions that were tried, and with what has no place elsewhere.
    private func refusal(_ problem: Problem) -> Markup {
        ConsolePages.note(problem)
            + ((problem.misfits ?? []).reduce(Markup()) { all, misfit in all + Tag.p(.class("bad")) { misfit } })
            + Rehearsal.candidates(problem.candidates ?? [], instance)
    }

    var back: Markup { Tag.p { Tag.a(.href(.instance(name))) { "Back to \(name)" } } }

    private var facts: Markup {
        Words.facts([
            ("Status", Words.status(instance.status)), ("Active", Words.states(instance.configuration)),
            ("Seq", Markup(text: "\(instance.seq)")),
            ("Version", Markup(text: "\(instance.version) of \(instance.machine)")),
            ("Failed on", instance.failure.map { failure in Tag.code { failure.event } }),
            ("Effect", subject.effect.map { Markup(text: EffectPages.state($0)) }),
            ("Attempts", subject.effect.map { Markup(text: "\($0.attempts)") }),
            ("Last error", subject.effect.flatMap { $0.error }.map { Markup(text: Words.error($0)) }),
        ])
    }

    /// Returns the fields as they were typed, for a form that sends them again.
    var typed: Markup { verb.fields(subject, form).hidden(form) }

    /// Returns the line of wfctl that does the same.
    func command(_ more: [String] = []) -> [String] {
        let words = verb.fields(subject, form).map { $0.words(for: form.text($0.name)) }
        let isOdd = ([name] + words.flatMap(\.arguments)).contains { $0.hasPrefix("-") }
        let options = options + words.flatMap(\.options) + more
        return ["wfctl"] + verb.command + options + (isOdd ? ["--"] : []) + [name]
            + words.flatMap(\.arguments)
    }
}
