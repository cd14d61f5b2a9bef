import WorkflowJSON

/// The action of an invocation or a call, as written in its definition.
enum EffectDraft {
    case task(TaskDraft)
    case http(HTTPDraft)
    case exec(ExecDraft)
}

/// A `call`.
struct CallDraft {
    let action: EffectDraft
    let retry: RetryPolicy
    let position: SourcePosition
}

/// A `task`.
struct TaskDraft {
    let queue: String
    var priority: ExpressionDraft?
    var input: TemplateDraft?
}

/// An `exec`.
struct ExecDraft {
    let program: String
    var arguments: [TemplateDraft] = []
    var input: TemplateDraft?
    var limits = AttemptLimits()
}

/// An `http`.
struct HTTPDraft {
    /// A `url`.
    enum Address {
        case literal(URLTemplate, [ExpressionDraft])
        case computed(ExpressionDraft)
    }

    /// The body of the request.
    enum Payload {
        case json(TemplateDraft)
        case form(TemplateDraft)
        case text(ExpressionDraft)
    }

    let address: Address
    var method: String
    var query: TemplateDraft?
    var headers: TemplateDraft?
    var payload: Payload?
    var secretHeaders = JSONObject()
    var signingSecret: String?
    var keptHeaders: [String] = []
    var limits = AttemptLimits()
}
