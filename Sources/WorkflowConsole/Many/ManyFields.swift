import WorkflowAPI
import WorkflowCalls
import WorkflowJSON

/// The page that asks for what a verb needs before its rehearsal.
struct ManyFields {
    let verb: ManyVerb
    /// The selection; `nil` for names.
    let select: BulkSelect?
    let names: [String]

    /// Reads the form around the list, in which one of two buttons was pressed.
    init(chosenBy form: FormRequest) throws {
        verb = try Self.verb(of: form)
        names = form.has("matching") ? [] : form.values(FormRequest.instances)
        select = form.has("matching") ? try BulkSelect(json: BulkDraft.json(form.text("select"))) : nil
        if select == nil, names.isEmpty {
            throw ClientError.problem(
                Problem(
                    .invalidRequest,
                    detail: "No instance is ticked: go back and tick some, or rehearse with all that match"))
        }
    }

    /// Reads the form of this page.
    init(carriedBy form: FormRequest) throws {
        verb = try Self.verb(of: form)
        names = form.values(FormRequest.instances)
        select = names.isEmpty ? try BulkSelect(json: BulkDraft.json(form.text("select"))) : nil
    }

    private static func verb(of form: FormRequest) throws(WireError) -> ManyVerb {
        guard let verb = form.text("verb").flatMap(ManyVerb.init) else {
            throw WireError(.invalidValue, path: "verb", message: "The console has no such verb for many instances")
        }
        return verb
    }

    /// Returns the run with what was typed; a mistake is collected by the reader.
    func draft(_ reader: inout FieldReader) -> BulkDraft {
        BulkDraft(request: verb.request(&reader, for: select), names: names)
    }

    /// The verb and the instances, as fields that are not shown.
    @MarkupBuilder private var carried: Markup {
        Tag.input(.type("hidden"), .name("verb"), .value(verb.rawValue))
        if let select {
            Tag.input(.type("hidden"), .name("select"), .value(exactly: JSONWriter.string(select)))
        }
        BulkDraft.hidden(names)
    }

    /// Returns the form that leads back to this page with what was typed.
    func change(_ form: FormRequest, _ visitor: Visitor) -> Markup {
        VerbForm(.many, "change", for: visitor).markup("Change") {
            carried
            verb.form.fields.hidden(form)
        }
    }

    /// The page.
    ///
    /// - Parameters:
    ///   - mistakes: The mistakes in what was typed, by the names of their fields.
    ///   - problem: The refusal of what was typed; `nil` for none.
    ///   - typed: The form with what was typed.
    func content(
        _ visitor: Visitor, _ mistakes: [String: String] = [:], _ problem: Problem? = nil, typed: FormRequest? = nil
    ) -> PageContent {
        PageContent(verb.label, ["wfctl", verb.rawValue, "--help"]) {
            if let problem { ConsolePages.note(problem) }
            VerbForm(.many, "rehearse", for: visitor).markup("Rehearse") {
                carried
                verb.form.fields.filter { !isAnswered($0) }.markup(typed, mistakes)
            }
            RehearsalPage.targets(select, names)
        }
    }

    /// True for the version of names, and of a selection that has one already.
    private func isAnswered(_ field: FormField) -> Bool {
        field.name == "from" && select.map { $0.versions.count == 1 } ?? true
    }
}
