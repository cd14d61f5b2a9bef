import WorkflowAPI
import WorkflowCalls

// The steps of a form: it is read, rehearsed, and done.

extension InstanceForm {
    /// Answers a form: reads it again, rehearses it, or does what was rehearsed.
    static func answer(
        _ verb: InstanceVerb, _ name: String, _ form: FormRequest, _ visitor: Visitor
    ) async throws -> ConsoleAnswer {
        let subject = try await Subject(name, form, visitor.client)
        var page = InstanceForm(verb: verb, subject: subject, form: form, visitor: visitor)
        var reader = FieldReader(form)
        let order = verb.order(&reader, subject)
        page.options = order.options
        if form.has("edit") { return .page(page.shown(page.content())) }
        guard reader.mistakes.isEmpty else { return .page(page.shown(page.content(reader.mistakes), status: 400)) }
        return form.text("step") == "do" ? try await page.carryOut(order) : try await page.rehearse(order)
    }

    private func shown(_ content: PageContent, status: Int = 200) -> Page {
        ConsolePages.answer(content, status: status, for: visitor)
    }

    private func rehearse(_ order: InstanceVerb.Order) async throws -> ConsoleAnswer {
        do {
            let terms = InstanceVerb.Terms(seq: expectedSeq, dryRun: true, key: nil)
            let answer = try await order.ask(instance.instance, terms, visitor.client)
            let timers = try? await visitor.client.timers(ofInstance: instance.instance)
            let version = answer.migration?.to ?? answer.reset?.toVersion
            var tree = subject.tree
            if let version { tree = await InstancePage.tree(of: instance.machine, version: version, visitor.client) }
            let rehearsal = Rehearsal(page: self, answer: answer, timers: timers?.items ?? [], tree: tree)
            return .page(shown(rehearsal.content))
        } catch {
            return try await refused(error, at: expectedSeq)
        }
    }

    private func carryOut(_ order: InstanceVerb.Order) async throws -> ConsoleAnswer {
        guard let seq = form.text("seq").flatMap({ Int64($0) }), let key = form.text("key") else {
            throw ClientError.problem(
                Problem(.invalidRequest, detail: "The form has no seq and no key: only what was rehearsed is done"))
        }
        do {
            let terms = InstanceVerb.Terms(seq: seq, dryRun: nil, key: key)
            _ = try await order.ask(instance.instance, terms, visitor.client)
            return .seeOther(.instance(instance.instance))
        } catch {
            return try await refused(error, at: seq)
        }
    }

    /// Returns the page for a request that the API refused.
    private func refused(_ error: any Error, at seq: Int64) async throws -> ConsoleAnswer {
        let problem = ConsolePages.asProblem(error)
        switch problem.type {
        case .forbidden, .unauthenticated, .instanceNotFound: throw error
        // An instance that has ended or failed since is refused for that, whatever its seq.
        case _
        where problem.type == .preconditionFailed || problem.seq.map { $0 > seq } == true && subject.effect == nil:
            return .page(shown(try await between(problem, since: seq), status: problem.type.status))
        case .keyReused, .keyExpired, .keyAhead, .redacted:
            return .page(shown(again(problem), status: problem.type.status))
        case _ where problem.type.retryAfterSeconds != nil && form.text("key") != nil:
            return .page(shown(unknown(problem), status: problem.type.status))
        default: return .page(shown(content([:], problem), status: problem.type.status))
        }
    }

    // MARK: Pages

    /// Returns the page that says what came between the rehearsal and the act.
    private func between(_ problem: Problem, since seq: Int64) async throws -> PageContent {
        let rows = try await visitor.client.history(
            ofInstance: instance.instance, HistoryParameters(limit: 100, after: seq))
        var table = DataTable("Steps since seq \(seq)", "Seq", "At", "Kind", "Event", "From", "To", "By")
        for row in rows.items {
            table.add {
                Tag.a(.href(.instance(instance.instance, seq: row.seq))) { "\(row.seq)" }
                Words.time(row.at)
                row.kind
                Tag.code { row.event }
                Words.states(row.from)
                Words.states(row.to)
                row.actor ?? "–"
            }
        }
        return PageContent("\(instance.instance) has moved on", command()) {
            back
            ConsolePages.note(problem)
            Tag.p { "Nothing was done, because this came between:" }
            table.markup
            if rows.nextPage != nil { Tag.p { "More rows follow." } }
            rehearseAgain
        }
    }

    /// Returns the page for a form whose key does not serve.
    private func again(_ problem: Problem) -> PageContent {
        PageContent(problem.type.title, command()) {
            back
            ConsolePages.note(problem)
            Tag.p { "Nothing was done by this form. A new rehearsal makes a new key." }
            rehearseAgain
        }
    }

    /// Returns the page for a request whose outcome is not known, or that has to wait.
    private func unknown(_ problem: Problem) -> PageContent {
        PageContent(problem.type.title, command()) {
            back
            ConsolePages.note(problem)
            Tag.p { "The same button tells the outcome, and does nothing twice." }
            button(seq: form.text("seq").flatMap { Int64($0) } ?? instance.seq, key: form.text("key") ?? "")
        }
    }

    private var rehearseAgain: Markup {
        VerbForm(verb.act, instance.instance, for: visitor).markup("Rehearse again") {
            FormField.hidden("step", "rehearse")
            typed
        }
    }

    /// Returns the button that does what was shown, on the instance as it was shown, and once.
    func button(seq: Int64, key: String) -> Markup {
        VerbForm(verb.act, instance.instance, for: visitor).markup(verb.label(form)) {
            FormField.hidden("step", "do")
            FormField.hidden("seq", "\(seq)")
            FormField.hidden("key", key)
            typed
        } rest: {
            Tag.button(.type("submit"), .class("second"), .name("edit"), .value("yes")) { "Change" }
        } + ConsolePages.commandLine(command(["--expect-seq", "\(seq)"]))
    }
}
