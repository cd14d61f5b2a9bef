import WorkflowAPI
import WorkflowCalls
import WorkflowJSON

/// A run over many instances before it begins. Each form carries it to the next.
struct BulkDraft {
    /// The verb and the selection, without the names.
    var request: BulkRequest
    /// The ticked instances; empty for a selection, and for an undo.
    var names: [String] = []

    var verb: BulkAction.Verb { request.action.verb }

    /// Rehearses the run; `nil` if that takes longer than a page waits.
    func rehearsed(by visitor: Visitor) async throws -> BulkRehearsal? {
        var request = request
        (request.run, request.expect, request.dryRun) = (nil, nil, true)
        let (asked, names) = (request, names)
        return try await withThrowingTaskGroup(of: BulkRehearsal?.self) { group in
            group.addTask {
                for try await line in try await visitor.client.bulk(asked, names: names) {
                    if case .rehearsal(let rehearsal) = line { return rehearsal }
                }
                throw CancellationError()
            }
            group.addTask {
                try await Task.sleep(for: visitor.patience)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// Begins the run, or finds the one that an equal request has begun.
    func begun(by visitor: Visitor) async throws -> BulkRun {
        for try await line in try await visitor.client.bulk(request, names: names) {
            if case .run(let run) = line { return run }
        }
        throw ClientError.problem(Problem(.outcomeUnknown, detail: "The answer ended before the run began"))
    }
}

// MARK: In forms

extension BulkDraft {
    /// The field that carries the request.
    private static let field: StaticString = "request"

    /// Reads the draft that a form carries. Refuses verbs that the console leaves to wfctl.
    init(carriedBy form: FormRequest) throws {
        let request = try BulkRequest(json: Self.json(form.text("\(Self.field)")))
        guard ManyVerb(rawValue: request.action.verb.rawValue) != nil || request.action.verb == .undo else {
            throw WireError(
                .invalidValue, path: "verb", message: "'\(request.action.verb.rawValue)' is left to wfctl")
        }
        self.init(request: request, names: form.values(FormRequest.instances))
    }

    /// The hidden fields that carry the draft.
    var hidden: Markup {
        Tag.input(.type("hidden"), .name(Self.field), .value(exactly: JSONWriter.string(request))) + Self.hidden(names)
    }

    /// The hidden fields that carry names.
    static func hidden(_ names: [String]) -> Markup {
        names.reduce(Markup()) { $0 + Tag.input(.type("hidden"), .name("instance"), .value(exactly: $1)) }
    }

    /// Reads the JSON of a hidden field.
    static func json(_ text: String?) throws -> JSONValue {
        // The page made the text, so the mistake in it tells a person nothing.
        guard let text, let json = try? JSONReader.value(from: text) else {
            throw WireError(.malformed, path: "", message: "The form is incomplete; load its page again")
        }
        return json
    }
}
