import WorkflowAPI
import WorkflowCalls

extension ConsoleAct {
    /// Rehearses and begins runs over many instances, in three steps.
    static let many = ConsoleAct("many", "Begin the run", by: .runBulk) { step, form, visitor in
        switch step {
        case "choose": try await chosen(form, visitor)
        case "rehearse": try await filledIn(form, visitor)
        case "change":
            .page(try ManyFields(carriedBy: form).content(visitor, typed: form), for: visitor)
        case "begin": try await begun(form, visitor)
        default: throw ClientError.problem(Problem(.routeNotFound, detail: "The console has no such form"))
        }
    }

    /// Takes the verb and the selection, and asks for what the verb needs.
    private static func chosen(_ form: FormRequest, _ visitor: Visitor) async throws -> ConsoleAnswer {
        let fields = try ManyFields(chosenBy: form)
        guard fields.verb.form.fields.isEmpty else { return .page(fields.content(visitor), for: visitor) }
        var reader = FieldReader(form)
        return try await rehearsed(fields.draft(&reader), by: visitor)
    }

    /// Takes what the verb needs. A mistake in it is told beside it.
    private static func filledIn(_ form: FormRequest, _ visitor: Visitor) async throws -> ConsoleAnswer {
        let fields = try ManyFields(carriedBy: form)
        var reader = FieldReader(form)
        let draft = fields.draft(&reader)
        guard reader.mistakes.isEmpty else {
            let content = fields.content(visitor, reader.mistakes, typed: form)
            return .page(ConsolePages.answer(content, status: 400, for: visitor))
        }
        do {
            return try await rehearsed(draft, by: visitor, asked: (fields, form))
        } catch {
            let problem = ConsolePages.asProblem(error)
            return .page(fields.content(visitor, [:], problem, typed: form), problem, for: visitor)
        }
    }

    /// Rehearses a run, and shows the form that begins it.
    static func rehearsed(
        _ draft: BulkDraft, by visitor: Visitor, asked: (ManyFields, FormRequest)? = nil
    ) async throws -> ConsoleAnswer {
        guard let rehearsal = try await draft.rehearsed(by: visitor) else {
            return .page(RehearsalPage.ended(draft), RehearsalPage.tooLong, for: visitor)
        }
        return .page(RehearsalPage(draft, rehearsal, visitor, asked: asked).content, for: visitor)
    }

    /// Begins a rehearsed run. The same form again leads to the same run.
    private static func begun(_ form: FormRequest, _ visitor: Visitor) async throws -> ConsoleAnswer {
        let begin = try BeginForm(carriedBy: form, visitor)
        do {
            return .seeOther(Link("runs", try await begin.confirmed(form).begun(by: visitor).run))
        } catch {
            let problem = ConsolePages.asProblem(error)
            // Another refusal leaves open what was done; then the same form must be sent again.
            guard [400, 412, 422].contains(problem.type.status),
                let rehearsal = try await begin.draft.rehearsed(by: visitor)
            else { return .page(begin.content(problem, form), problem, for: visitor) }
            let page = RehearsalPage(begin.draft, rehearsal, visitor, typed: form, before: (begin, problem))
            return .page(page.content, problem, for: visitor)
        }
    }
}
