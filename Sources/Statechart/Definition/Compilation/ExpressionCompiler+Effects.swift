import WorkflowCEL

/// Compilation of effects, with checks of the types that are known in advance.
extension ExpressionCompiler {
    /// Compiles the action of an invocation or a call. Returns `nil` and reports mistakes if an expression is invalid.
    mutating func action(_ draft: EffectDraft, event: String? = nil) -> EffectAction? {
        switch draft {
        case .task(let draft):
            return .task(
                TaskAction(
                    queue: draft.queue, input: draft.input.flatMap { template($0, event: event) },
                    priority: draft.priority.flatMap { priority($0, event: event) }))
        case .exec(let draft):
            return .exec(
                ExecAction(
                    program: draft.program,
                    arguments: draft.arguments.compactMap { word($0, "an argument", event: event) },
                    input: draft.input.flatMap { template($0, event: event) }, limits: draft.limits))
        case .http(let draft):
            return http(draft, event: event).map { .http($0) }
        }
    }

    private mutating func http(_ draft: HTTPDraft, event: String?) -> HTTPAction? {
        let query = draft.query.flatMap { words($0, "a value of 'query'", event: event) }
        let headers = draft.headers.flatMap { words($0, "a header", event: event) }
        let payload: HTTPAction.Payload? =
            switch draft.payload {
            case .json(let draft)?: template(draft, event: event).map { .json($0) }
            case .form(let draft)?: words(draft, "a value of 'form'", event: event).map { .form($0) }
            case .text(let draft)?: string(draft, "'text'", event: event).map { .text($0) }
            case nil: nil
            }
        guard let address = address(draft.address, event: event) else { return nil }
        return HTTPAction(
            method: draft.method, address: address, query: query, headers: headers, payload: payload,
            secretHeaders: draft.secretHeaders, signingSecret: draft.signingSecret, keptHeaders: draft.keptHeaders,
            limits: draft.limits)
    }

    private mutating func address(_ draft: HTTPDraft.Address, event: String?) -> HTTPAction.Address? {
        switch draft {
        case .computed(let draft): return string(draft, "a url", event: event).map { .computed($0) }
        case .literal(let template, let drafts):
            let expressions = drafts.compactMap { draft in
                expression(draft, event: event).map { expression in
                    checkWord(expression, "a part of a url", at: draft.start)
                    return expression
                }
            }
            return expressions.count == drafts.count ? .literal(template, expressions) : nil
        }
    }

    private mutating func priority(_ draft: ExpressionDraft, event: String?) -> Expression? {
        guard let expression = expression(draft, event: event) else { return nil }
        let message = "a priority is a number from 1 to 5, 1 first"
        if let literal = expression.program.literal, Interpreter.priority(of: literal) == nil {
            report(message, at: draft.start)
        } else if ![.int, .dyn].contains(expression.program.type) {
            report("\(message), not \(expression.program.type.description)", at: draft.start)
        }
        return expression
    }

    private mutating func string(_ draft: ExpressionDraft, _ what: String, event: String?) -> Expression? {
        guard let expression = expression(draft, event: event) else { return nil }
        let type = expression.program.type
        if ![.string, .dyn].contains(type) {
            report("\(what) is a string, this gives \(type.description)", at: draft.start)
        }
        return expression
    }

    /// Compiles a map of names to values that have a text form, or an expression that returns such a map.
    private mutating func words(_ draft: TemplateDraft, _ what: String, event: String?) -> Template? {
        guard case .map(let members) = draft else { return template(draft, event: event) }
        return .map(
            members.compactMap { member in
                word(member.value, what, event: event).map { Template.Member(key: member.key, value: $0) }
            })
    }

    private mutating func word(_ draft: TemplateDraft, _ what: String, event: String?) -> Template? {
        guard let template = template(draft, event: event) else { return nil }
        if case .expression(let expression) = template, case .expression(let draft) = draft {
            checkWord(expression, what, at: draft.start)
        }
        return template
    }

    /// Reports an expression whose value never has a text form.
    private mutating func checkWord(_ expression: Expression, _ what: String, at position: SourcePosition) {
        switch expression.program.type {
        case .list, .map, .object, .type:
            let type = expression.program.type.description
            report("\(what) is a string, a number or a bool, this gives \(type)", at: position)
        case .dyn, .null, .bool, .int, .uint, .double, .string, .bytes, .timestamp, .duration, .optional: break
        }
    }
}
