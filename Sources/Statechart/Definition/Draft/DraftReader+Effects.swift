import WorkflowJSON

/// Reading of the action of an invocation or a call.
extension DraftReader {
    /// Reads `http`, `task` or `exec`. Returns `nil` and reports mistakes if the value cannot be read.
    ///
    /// - Parameter input: The value of `input` beside the action.
    mutating func effect(_ action: SourceNode.Pair, input: SourceNode?) -> EffectDraft? {
        if action.key.text == "http" {
            if let input {
                diagnostics.error("'http' takes no 'input': its 'body' is what is sent", at: input.position)
            }
            return http(action).map { .http($0) }
        }
        let input = input.flatMap { openTemplate($0) }
        guard action.key.text == "task" else { return exec(action, input) }
        return task(action.value, input).map { .task($0) }
    }

    /// Reads `task`: the name of a queue, or a map that contains the name.
    private mutating func task(_ node: SourceNode, _ input: TemplateDraft?) -> TaskDraft? {
        guard case .mapping(let pairs) = node.content else {
            return name(node, "'task'").map { TaskDraft(queue: $0.text, input: input) }
        }
        checkKeys(of: pairs, in: .task, of: "'task'")
        let priority = pairs["priority"].flatMap { expression($0, "'priority'") }
        guard let queue = pairs["queue"] else {
            diagnostics.error("'task' needs a 'queue'", at: node.position)
            return nil
        }
        return name(queue, "'queue'").map { TaskDraft(queue: $0.text, priority: priority, input: input) }
    }

    /// Reads `exec`: the name of a program, or a map that contains the name.
    private mutating func exec(_ action: SourceNode.Pair, _ input: TemplateDraft?) -> EffectDraft? {
        guard case .mapping(let pairs) = action.value.content else {
            return name(action.value, "'exec'").map { .exec(ExecDraft(program: $0.text, input: input)) }
        }
        checkKeys(of: pairs, in: .exec, of: "'exec'")
        let arguments = pairs["args"].map { self.arguments($0) } ?? []
        let limits = attemptLimits(pairs)
        guard let program = pairs["program"] else {
            diagnostics.error("'exec' needs a 'program'", at: action.value.position)
            return nil
        }
        return name(program, "'program'").map {
            .exec(ExecDraft(program: $0.text, arguments: arguments, input: input, limits: limits))
        }
    }

    private mutating func arguments(_ node: SourceNode) -> [TemplateDraft] {
        guard case .sequence(let nodes) = node.content else {
            reportKind(node, "'args' must be a list")
            return []
        }
        return nodes.compactMap { word($0, "an argument") }
    }

    /// Reads `attemptTimeout` and `maxBytes`.
    mutating func attemptLimits(_ pairs: [SourceNode.Pair]) -> AttemptLimits {
        var limits = AttemptLimits()
        if let node = pairs["attemptTimeout"], let length = length(node, "'attemptTimeout'") {
            limits.milliseconds = length
            if length < 1 { diagnostics.error("'attemptTimeout' is at least 1ms", at: node.position) }
        }
        if let node = pairs["maxBytes"] {
            let range = AttemptLimits.byteRange
            if case .scalar(let text, isPlain: true) = node.content,
                case .int(let bytes)? = try? ScalarResolver.value(ofPlain: text), range.contains(Int(bytes))
            {
                limits.bytes = Int(bytes)
            } else {
                reportKindOrValue(node, "'maxBytes' is a number from \(range.lowerBound) to \(range.upperBound)")
            }
        }
        return limits
    }
}

// MARK: Values that go outside

extension DraftReader {
    /// Reads a template whose value leaves the daemon, and which must not name a secret.
    mutating func openTemplate(_ node: SourceNode) -> TemplateDraft? {
        namesSecret(node) ? nil : template(node)
    }

    /// Reads an expression whose value leaves the daemon, and which must not name a secret.
    mutating func openExpression(_ node: SourceNode, _ what: String) -> ExpressionDraft? {
        namesSecret(node) ? nil : expression(node, what)
    }

    /// Reads one value: an expression, a number or a bool.
    private mutating func word(_ node: SourceNode, _ what: String) -> TemplateDraft? {
        if case .scalar = node.content, !node.isNull { return openTemplate(node) }
        reportKind(node, "\(what) must be an expression, a number or a bool")
        return nil
    }

    /// Reads a map of names to single values, or an expression that returns such a map.
    mutating func words(_ node: SourceNode, _ what: String, each: String) -> TemplateDraft? {
        guard case .mapping(let pairs) = node.content else {
            if Self.isScalar(node) {
                guard let template = openTemplate(node) else { return nil }
                if case .expression = template { return template }
            }
            reportKind(node, "\(what) must be a map, or an expression that gives one")
            return nil
        }
        var isWhole = true
        for pair in pairs where !Self.isScalar(pair.value) {
            reportKind(pair.value, "\(each) must be an expression, a number or a bool")
            isWhole = false
        }
        return isWhole ? openTemplate(node) : nil
    }

    private static func isScalar(_ node: SourceNode) -> Bool {
        if case .scalar = node.content { true } else { false }
    }

    /// Returns true if a node contains a placeholder for a secret, and reports the first one as a mistake.
    private mutating func namesSecret(_ node: SourceNode) -> Bool {
        switch node.content {
        case .scalar(let text, let isPlain):
            guard BracedText.namesPlace(text) else { return false }
            let place = ExpressionDraft(text: text, position: node.position, isPlain: isPlain).start
            diagnostics.error("secrets are allowed in 'secretHeaders' and 'sign' only", at: place)
            return true
        case .sequence(let nodes): return nodes.contains { namesSecret($0) }
        case .mapping(let pairs): return pairs.contains { namesSecret($0.value) }
        case .unreadable: return false
        }
    }
}
