import WorkflowJSON

/// Reading of retry rules.
extension DraftReader {
    /// Reads `retry`: a rule or a list of rules.
    ///
    /// - Parameter effect: The key of the invocation's kind, such as `http`.
    mutating func retryPolicy(_ node: SourceNode, of effect: String) -> RetryPolicy {
        guard case .sequence(let nodes) = node.content else { return RetryPolicy([retryRule(node, of: effect)]) }
        guard RetryPolicy.ruleRange.contains(nodes.count) else {
            diagnostics.error("'retry' has 1 to \(RetryPolicy.ruleRange.upperBound) rules", at: node.position)
            return RetryPolicy()
        }
        var rules: [RetryRule] = []
        for node in nodes {
            let rule = retryRule(node, of: effect)
            let most = RetryPolicy.countedAttempts
            if nodes.count > 1, let attempts = rule.attempts, attempts > most {
                diagnostics.error("a rule among others has 1 to \(most) attempts, or unlimited", at: node.position)
            }
            warn(of: rule, at: node.position, behind: zip(rules, nodes))
            rules.append(rule)
        }
        return RetryPolicy(rules)
    }

    private mutating func retryRule(_ node: SourceNode, of effect: String) -> RetryRule {
        var rule = RetryRule()
        guard let pairs = mapping(node, "a rule of 'retry'") else { return rule }
        checkKeys(of: pairs, in: .retry, of: "'retry'")
        for pair in pairs {
            switch pair.key.text {
            case "on": rule.on = failures(pair.value, "'on'", of: effect)
            case "attempts": rule.attempts = attempts(pair.value)
            case "first": rule.first = length(pair.value, "'first'") ?? rule.first
            case "limit": rule.limit = length(pair.value, "'limit'") ?? rule.limit
            case "factor": rule.factor = number(pair.value, "'factor'", RetryRule.factorRange) ?? rule.factor
            case "jitter": rule.jitter = number(pair.value, "'jitter'", 0...1) ?? rule.jitter
            case "except": rule.except = failures(pair.value, "'except'", of: effect)
            default: break
            }
        }
        return rule
    }

    /// Warns about a rule that is never used, because earlier rules match everything that it matches.
    private mutating func warn(
        of rule: RetryRule, at position: SourcePosition, behind earlier: some Sequence<(RetryRule, SourceNode)>
    ) {
        if let (_, node) = earlier.first(where: { $0.0.on == nil }) {
            let line = node.position.line
            diagnostics.warning("this rule never counts: the one on line \(line) fits every failure", at: position)
        } else if let words = rule.on, !words.isEmpty,
            words.allSatisfy({ word in earlier.contains { $0.0.fits(RetryFailure(word: word)) } })
        {
            diagnostics.warning("this rule never counts: those before it fit all that it fits", at: position)
        }
    }

    /// Reads the failures that a rule names: a word or a list of words.
    private mutating func failures(_ node: SourceNode, _ what: String, of effect: String) -> [String] {
        // Earlier versions accepted any text and an empty list.
        if isStored {
            guard case .sequence(let nodes) = node.content else { return text(node, what).map { [$0] } ?? [] }
            return nodes.compactMap { text($0, "a type of errors") }
        }
        guard case .sequence(let nodes) = node.content else {
            return failure(node, what, of: effect).map { [$0] } ?? []
        }
        guard RetryRule.wordRange.contains(nodes.count) else {
            diagnostics.error("\(what) has 1 to \(RetryRule.wordRange.upperBound) types of errors", at: node.position)
            return []
        }
        return nodes.compactMap { failure($0, "a type of errors", of: effect) }
    }

    private mutating func failure(_ node: SourceNode, _ what: String, of effect: String) -> String? {
        guard let word = text(node, what) else { return nil }
        let name = word.quoted
        if ["*", "States.ALL", "States.TaskFailed"].contains(word) {
            diagnostics.error("\(name) is no type of errors; a rule without 'on' fits all", at: node.position)
            return nil
        }
        guard let types = RetryFailure.types(of: effect) else {
            if RetryFailure.isWorkersWord(word) { return word }
            diagnostics.error(
                "a type of errors has letters, digits, '-', '_' and '.', unlike \(name)", at: node.position)
            return nil
        }
        if types.contains(word) { return word }
        if effect == "http", let status = RetryFailure.status(in: word) {
            if RetryFailure.isStatus(status) { return word }
            diagnostics.error("\(name) never comes: \(RetryFailure.statusRule)", at: node.position)
            return nil
        }
        let meant = diagnostics.suggestion(for: word, among: types)
        let hint = meant.isEmpty ? "; known are \(types.joined(separator: ", "))" : meant
        diagnostics.error("unknown type of errors \(name) of '\(effect)'\(hint)", at: node.position)
        return nil
    }

    private mutating func attempts(_ node: SourceNode) -> Int? {
        if case .scalar("unlimited", _) = node.content { return nil }
        if case .scalar(let text, isPlain: true) = node.content,
            case .int(let attempts)? = try? ScalarResolver.value(ofPlain: text),
            RetryRule.attemptRange.contains(Int(attempts))
        {
            return Int(attempts)
        }
        reportKindOrValue(node, "a retry has 1 to 1000 attempts, or unlimited")
        return nil
    }

    /// Reads a literal delay.
    mutating func length(_ node: SourceNode, _ what: String) -> Int64? {
        guard case .scalar(let text, _) = node.content, !node.isNull else {
            reportKind(node, "\(what) is a delay, \(DelayText.rule)")
            return nil
        }
        do throws(DelayError) {
            return try DelayText.length(of: text)
        } catch {
            diagnostics.error("\(what) is a delay: \(error.message)", at: node.position)
            return nil
        }
    }

    private mutating func number(_ node: SourceNode, _ what: String, _ range: ClosedRange<Double>) -> Double? {
        if case .scalar(let text, isPlain: true) = node.content, let value = try? ScalarResolver.value(ofPlain: text) {
            switch value {
            case .int(let number) where range.contains(Double(number)): return Double(number)
            case .double(let number) where range.contains(number): return number
            default: break
            }
        }
        reportKindOrValue(node, "\(what) is a number from \(Int(range.lowerBound)) to \(Int(range.upperBound))")
        return nil
    }

    /// Reports a value that is not allowed in its place.
    mutating func reportKindOrValue(_ node: SourceNode, _ rule: String) {
        if !node.isUnreadable { diagnostics.error(rule, at: node.position) }
    }
}
