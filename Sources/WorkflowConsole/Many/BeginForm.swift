import WorkflowAPI
import WorkflowCalls
import WorkflowJSON
import WorkflowTerminal

/// The form that begins a rehearsed run, and only that one.
struct BeginForm {
    let draft: BulkDraft
    /// The digest of the rehearsal.
    let digest: String
    /// The number of instances in the rehearsal.
    let selected: Int64
    /// The outcomes of the rehearsal.
    let counts: BulkCounts
    /// The name of the run, as it is proposed or was typed.
    let run: String
    private let visitor: Visitor

    /// The number of instances that begin without a typed count.
    private static let unasked: Int64 = 100

    /// - Parameter run: The name of the run that was typed; `nil` for a new name.
    init(_ draft: BulkDraft, _ rehearsal: BulkRehearsal, _ visitor: Visitor, run: String? = nil) {
        (self.draft, self.visitor) = (draft, visitor)
        (digest, selected, counts) = (rehearsal.digest, rehearsal.selected, rehearsal.counts)
        self.run = run ?? Self.newName(for: draft.request.action, visitor)
    }

    /// Reads the form.
    init(carriedBy form: FormRequest, _ visitor: Visitor) throws {
        (draft, self.visitor) = (try BulkDraft(carriedBy: form), visitor)
        counts = try BulkCounts(json: BulkDraft.json(form.text("counts")))
        guard let digest = form.text("expect"), let selected = form.text("selected").flatMap({ Int64($0) }) else {
            throw WireError(.missingField, path: "expect", message: "The form is incomplete; load its page again")
        }
        (self.digest, self.selected) = (digest, selected)
        run = form.text("run") ?? Self.newName(for: draft.request.action, visitor)
    }

    /// The command line that begins the run.
    var command: [String] {
        var named = draft
        named.request.run = run
        return named.command(expecting: digest)
    }

    /// Returns the run with its name, its reason and the rehearsal's digest. Throws if the count is not the typed one.
    func confirmed(_ form: FormRequest) throws(WireError) -> BulkDraft {
        if selected > Self.unasked {
            let typed = form.text("count").map { $0.filter { $0 != "," && $0 != " " } }
            guard typed == "\(selected)" else {
                let why = typed == nil ? "is not typed" : "is another"
                throw WireError(
                    .invalidValue, path: "count",
                    message: "The number of instances \(why): \(CountText.grouped(selected)) were rehearsed; nothing "
                        + "was done")
            }
        }
        var confirmed = draft
        confirmed.request.run = form.text("run")
        confirmed.request.reason = form.text("reason")
        (confirmed.request.expect, confirmed.request.dryRun) = (digest, nil)
        try confirmed.request.check()
        return confirmed
    }

    /// The form.
    ///
    /// - Parameters:
    ///   - typed: The form with what was typed; `nil` for one that nobody has filled in.
    ///   - count: The count that was typed for this rehearsal.
    func markup(_ typed: FormRequest? = nil, count: String? = nil) -> Markup {
        VerbForm(.many, "begin", for: visitor).markup("Do it: \(words)") {
            draft.hidden
            Tag.input(.type("hidden"), .name("expect"), .value(digest))
            Tag.input(.type("hidden"), .name("selected"), .value("\(selected)"))
            Tag.input(.type("hidden"), .name("counts"), .value(exactly: JSONWriter.string(counts)))
            fields.markup(
                FormRequest(
                    words: [],
                    fields: [("reason", typed?.text("reason") ?? ""), ("run", run), ("count", count ?? "")]))
        }
    }

    /// The page of the form alone, after a mistake in it.
    func content(_ problem: Problem, _ typed: FormRequest) -> PageContent {
        PageContent("Begin the run", command) {
            ConsolePages.note(problem)
            markup(typed, count: typed.text("count"))
        }
    }

    private var fields: [FormField] {
        let count = FormField(
            "count", "Number of instances, typed", isRequired: true,
            hint: "More than \(Self.unasked) are meant: type \(CountText.grouped(selected)).")
        return [
            InstanceVerb.reason(isRequired: draft.verb.needsReason),
            FormField("run", "Name of the run", isRequired: true),
        ] + (selected > Self.unasked ? [count] : [])
    }

    private var words: String { "\(draft.verb.rawValue) \(CountText.grouped(selected))" }

    /// Returns a name with the verb and the time. A run is undone once, so its undo is named after it.
    private static func newName(for action: BulkAction, _ visitor: Visitor) -> String {
        if let undone = action.undone, BulkRequest.message(forRun: "undo-\(undone)") == nil { return "undo-\(undone)" }
        return visitor.newRunName(action.verb)
    }
}
