package import WorkflowJSON

/// The rules for failed attempts. The first rule that matches a failure applies.
package struct RetryPolicy: Sendable, Equatable {
    package private(set) var rules: [RetryRule]

    package init(_ rules: [RetryRule] = [RetryRule()]) {
        self.rules = rules
    }

    /// The valid number of rules in a list.
    package static let ruleRange = 1...20
    /// The maximum of `attempts` for a rule in a list of several rules. A store counts the failures of each rule from
    /// the attempts that it keeps.
    package static let countedAttempts = 100
}

extension RetryPolicy {
    /// Returns the index of the first rule that matches a failure; `nil` if no rule matches, so that no attempt
    /// follows.
    package func place(for failure: RetryFailure) -> Int? { rules.firstIndex { $0.fits(failure) } }

    /// Returns the milliseconds to wait after a failed attempt; `nil` if no attempt follows.
    ///
    /// - Parameters:
    ///   - canRetry: True if the program that made the attempt considers another attempt useful.
    ///   - retryAfter: The pause in milliseconds that the attempt's response asks for; `nil` for the rule's own pause.
    ///   - seed: Spreads attempts that failed together; equal seeds give equal pauses.
    ///   - count: Returns the number of failures that the rule at an index has counted, including this failure.
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
    /// The fields that differ from the defaults, as JSON; `nil` if none differ.
    var json: JSONValue? {
        guard rules.count == 1 else { return .array(rules.map { .object($0.json) }) }
        return rules.first.flatMap { $0.json.isEmpty ? nil : .object($0.json) }
    }

    /// Reads `json` from a stored row, which may have been edited outside wfd.
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
