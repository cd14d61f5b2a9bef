import WorkflowJSON

/// Trying again.
extension DraftReader {
    /// Reads `retry`.
    mutating func retryPolicy(_ node: SourceNode) -> RetryPolicy {
        var policy = RetryPolicy()
        guard let pairs = mapping(node, "'retry'") else { return policy }
        checkKeys(of: pairs, in: .retry, of: "'retry'")
        for pair in pairs {
            switch pair.key.text {
            case "attempts": policy.attempts = attempts(pair.value)
            case "first": policy.first = length(pair.value, "'first'") ?? policy.first
            case "limit": policy.limit = length(pair.value, "'limit'") ?? policy.limit
            case "factor": policy.factor = number(pair.value, "'factor'", RetryPolicy.factorRange) ?? policy.factor
            case "jitter": policy.jitter = number(pair.value, "'jitter'", 0...1) ?? policy.jitter
            case "except": policy.except = types(pair.value)
            default: break
            }
        }
        return policy
    }

    private mutating func attempts(_ node: SourceNode) -> Int? {
        if case .scalar("unlimited", _) = node.content { return nil }
        if case .scalar(let text, isPlain: true) = node.content,
            case .int(let attempts)? = try? ScalarResolver.value(ofPlain: text),
            RetryPolicy.attemptRange.contains(Int(attempts))
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

    private mutating func types(_ node: SourceNode) -> [String] {
        guard case .sequence(let nodes) = node.content else { return text(node, "'except'").map { [$0] } ?? [] }
        return nodes.compactMap { text($0, "a type of errors") }
    }

    /// Adds a mistake about a value that its place does not allow.
    mutating func reportKindOrValue(_ node: SourceNode, _ rule: String) {
        if !node.isUnreadable { diagnostics.error(rule, at: node.position) }
    }
}
