package import WorkflowJSON

/// The rules for attempts that fail: the first that fits a failure counts.
package struct RetryPolicy: Sendable, Equatable {
    package private(set) var rules: [RetryRule]

    package init(_ rules: [RetryRule] = [RetryRule()]) {
        self.rules = rules
    }

    /// The number of rules that a list may have.
    package static let ruleRange = 1...20
    /// The most attempts that a rule in a list of several may ask for. A store counts the failures of each rule from
    /// the attempts that it keeps.
    package static let countedAttempts = 100
}

extension RetryPolicy {
    /// The index of the first rule that fits a failure; nil when no rule fits, and there is no further attempt.
    package func place(for failure: RetryFailure) -> Int? { rules.firstIndex { $0.fits(failure) } }

    /// Milliseconds to wait after an attempt that failed; nil when nothing is tried again.
    ///
    /// - Parameters:
    ///   - canRetry: Whether trying again makes sense to whoever tried.
    ///   - retryAfter: The pause in milliseconds that the attempt's answer asks for; nil for the rule's own.
    ///   - seed: Spreads those that failed together; the same seed waits as long.
    ///   - count: Returns how many failures the rule at an index has counted, this one included.
    package func wait<Failure: Error>(
        after failure: RetryFailure, canRetry: Bool, retryAfter: Int64?, seed: UInt64,
        count: (_ place: Int) throws(Failure) -> Int64
    ) throws(Failure) -> Int64? {
        guard let place = place(for: failure) else { return nil }
        let rule = rules[place]
        guard canRetry || rule.namesStatus(of: failure), !rule.isExcept(failure) else { return nil }
        let count = try count(place)
        if let attempts = rule.attempts, count >= attempts { return nil }
        return retryAfter ?? rule.wait(after: count, seed: seed)
    }
}

// MARK: In requests

extension RetryPolicy {
    /// JSON of all that differs from the defaults; nil when nothing does.
    var json: JSONValue? {
        guard rules.count == 1 else { return .array(rules.map { .object($0.json) }) }
        return rules.first.flatMap { $0.json.isEmpty ? nil : .object($0.json) }
    }

    /// Reads `json`, which a file may have changed.
    package init(_ json: JSONValue?) {
        switch json {
        case .array(let rules)?: self.init(rules.map { RetryRule($0.object ?? JSONObject()) })
        default: self.init([RetryRule(json?.object ?? JSONObject())])
        }
    }
}

extension RetryRule {
    fileprivate var json: JSONObject {
        let usual = RetryRule()
        var object = JSONObject()
        object["on"] = on.map { .array($0.map(JSONValue.string)) }
        if attempts != usual.attempts { object["attempts"] = attempts.map { .int(Int64($0)) } ?? "unlimited" }
        if first != usual.first { object["first"] = .int(first) }
        if factor != usual.factor { object["factor"] = .double(factor) }
        if limit != usual.limit { object["limit"] = .int(limit) }
        if jitter != usual.jitter { object["jitter"] = .double(jitter) }
        if except != usual.except { object["except"] = .array(except.map(JSONValue.string)) }
        return object
    }

    fileprivate init(_ object: JSONObject) {
        self.init()
        if case .array(let words)? = object["on"] { on = words.compactMap(\.string) }
        switch object["attempts"] {
        case .int(let number)?: attempts = Int(clamping: number)
        case .string?: attempts = nil
        default: break
        }
        first = object.number("first", in: 0...StepLimits.delay) ?? first
        if case .double(let number)? = object["factor"], Self.factorRange.contains(number) { factor = number }
        limit = object.number("limit", in: 0...StepLimits.delay) ?? limit
        if case .double(let number)? = object["jitter"], (0...1).contains(number) { jitter = number }
        if case .array(let words)? = object["except"] { except = words.compactMap(\.string) }
    }
}
