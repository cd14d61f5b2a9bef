import Statechart
import Testing
import WorkflowJSON

/// Tests the choice of a rule for a failure, and the rule's effect.
@Suite struct RetryDelayTests {
    private static func machine(_ retry: String) -> String {
        "{id: m, initial: s, states: {s: {invoke: {http: {url: 'https://h/'}, retry: \(retry)}}}}"
    }

    /// Returns the rules of the only invocation of a state.
    private static func policy(_ retry: String) throws -> RetryPolicy {
        let state = try DefinitionReader.read(machine(retry)).machine.states.first { !$0.invocations.isEmpty }
        return try #require(state?.invocations.first).retry
    }

    private static let rules = """
        [{on: [http-status.503, http-status.409], attempts: 5, first: 1m}, {on: http-status.5xx, attempts: 3},
         {on: [http-status, dns], attempts: 2}, {on: [timeout], except: timeout}]
        """

    @Test(
        arguments: [
            ("http-status", 503, 0), ("http-status", 409, 0), ("http-status", 500, 1), ("http-status", 404, 2),
            ("http-status", nil, 2), ("dns", nil, 2), ("timeout", nil, 3), ("connect", nil, nil),
            // The status counts only if the type is that of an answer.
            ("dns", 503, 2), ("connect", 503, nil),
        ] as [(String, Int64?, Int?)])
    func theFirstThatFitsCounts(type: String, status: Int64?, place: Int?) throws {
        let policy = try Self.policy(Self.rules)
        #expect(policy.place(for: RetryFailure(type: type, status: status)) == place)
    }

    /// A stored version can always be read, even if its words would be refused now.
    @Test(arguments: ["[]", "[whatever]", "no stock", "'*'"]) func wordsOfStoredDefinitionsAreRead(words: String) throws
    {
        let text = Self.machine("{except: \(words)}")
        #expect(throws: DefinitionError.self) { try DefinitionReader.read(text) }
        _ = try DefinitionReader.read(stored: text, semantics: .first)
    }

    private static func wait(
        _ policy: RetryPolicy, _ type: String, _ status: Int64? = nil, after count: Int64 = 1, canRetry: Bool = true
    ) -> Int64? {
        policy.wait(
            after: RetryFailure(type: type, status: status), canRetry: canRetry, retryAfter: 7, seed: 1
        ) { _ in count }
    }

    @Test func eachCountsItsOwnFailures() throws {
        let policy = try Self.policy(Self.rules)
        var asked: [Int] = []
        let failure = RetryFailure(type: "http-status", status: 500)
        let wait = policy.wait(after: failure, canRetry: true, retryAfter: nil, seed: 1) { place in
            asked.append(place)
            return 2
        }
        #expect(asked == [1] && wait != nil)
        #expect(Self.wait(policy, "http-status", 503, after: 4) == 7)
        #expect(Self.wait(policy, "http-status", 503, after: 5) == nil)
        #expect(Self.wait(policy, "http-status", 500, after: 3) == nil)
        #expect(Self.wait(policy, "timeout") == nil)
        #expect(Self.wait(policy, "connect") == nil)
    }

    /// A status that is otherwise final is tried again if a rule names it, and not if a rule names only the type.
    @Test func aStatusThatIsNamedIsTriedAgain() throws {
        let policy = try Self.policy(Self.rules)
        #expect(Self.wait(policy, "http-status", 409, canRetry: false) == 7)
        #expect(Self.wait(policy, "http-status", 404, canRetry: false) == nil)
        #expect(Self.wait(policy, "dns", canRetry: false) == nil)
        let named = try Self.policy("{on: http-status.4xx}")
        #expect(Self.wait(named, "http-status", 404, canRetry: false) == 7)
        #expect(Self.wait(RetryPolicy(), "http-status", 404, canRetry: false) == nil)
    }

    @Test(arguments: ["{}", "[{}]", "{on: dns}", rules, "[{attempts: unlimited, on: [dns]}, {first: 2s, jitter: 0}]"])
    func requestsHaveThem(retry: String) throws {
        let policy = try Self.policy(retry)
        let run = try TimedRun(Self.machine(retry))
        let request = try #require(run.last.flatMap(\.macrostep.requests).compactMap(\.effect).first)
        let json = try JSONReader.value(from: request.text).object?["retry"]
        #expect(RetryPolicy(json) == policy)
        #expect((json == nil) == (policy == RetryPolicy()))
    }

    /// A file may contain anything.
    @Test(arguments: [
        #"[]"#, #"[1, null]"#, #"[{"on": 1, "attempts": -1, "first": -9223372036854775808, "factor": 1e300}]"#, #""x""#,
        #"{"on": [], "attempts": 9223372036854775807, "jitter": 1e9}"#,
    ])
    func whatNoDefinitionSaysIsRead(json: String) throws {
        let policy = RetryPolicy(try JSONReader.value(from: json))
        for count in [1, 1_000, Int64.max] { _ = Self.wait(policy, "dns", after: count) }
    }

    @Test(arguments: [
        ("{on: conect}", "error: unknown type of errors 'conect' of 'http'; did you mean 'connect'?"),
        (
            "{on: [broken]}",
            "error: unknown type of errors 'broken' of 'http'; known are http-status, dns, connect, tls, timeout, "
                + "too-large, invalid-output, invalid-request, address-refused"
        ),
        ("{except: exit}", "error: unknown type of errors 'exit' of 'http'"),
        (
            "{on: http-status.200}",
            "error: 'http-status.200' never comes: a status is 300 to 599, such as http-status.503, or a class: "
                + "http-status.5xx"
        ),
        ("{on: http-status.5}", "error: 'http-status.5' never comes"),
        ("{on: http-status.+50}", "error: 'http-status.+50' never comes"),
        ("{on: States.ALL}", "error: 'States.ALL' is no type of errors; a rule without 'on' fits all"),
        ("{on: []}", "error: 'on' has 1 to 50 types of errors"),
        ("{onn: dns}", "error: unknown key 'onn' in 'retry'; did you mean 'on'?"),
        ("[]", "error: 'retry' has 1 to 20 rules"),
        ("dns", "error: a rule of 'retry' must be a map, not a string"),
        ("[{attempts: 101, on: dns}, {}]", "error: a rule among others has 1 to 100 attempts, or unlimited"),
        ("[{}, {on: dns}]", "warning: this rule never counts: the one on line 3 fits every failure"),
        (
            "[{on: [http-status.5xx, dns]}, {on: [dns, http-status.503]}]",
            "warning: this rule never counts: those before it fit all that it fits"
        ),
        ("[{on: http-status}, {on: http-status.5xx}]", "warning: this rule never counts"),
    ])
    func mistakesAreTold(retry: String, message: String) throws {
        let told = diagnostics(of: oneState("invoke: {http: {url: 'https://h/'}, retry: \(retry)}"))
        let text = try #require(told.first)
        #expect(told.count == 1 && text.drop { $0 != " " }.dropFirst().hasPrefix(message), "\(told)")
    }

    @Test(arguments: [
        "[{on: [http-status.503]}, {on: http-status}, {}]", "[{on: [http-status.503]}, {on: http-status.5xx}]",
        "{on: dns, attempts: 1000}", "[{attempts: 1000}]", "[{attempts: unlimited, on: dns}, {attempts: 100}]",
    ])
    func rulesThatAreRightAreNotWarnedOf(retry: String) {
        #expect(diagnostics(of: oneState("invoke: {http: {url: 'https://h/'}, retry: \(retry)}")) == [])
    }

    /// Workers have their own types.
    @Test func theTypesOfATaskAreItsWorkers() {
        #expect(diagnostics(of: oneState("invoke: {task: x, retry: {on: [no-box, lease-expired, a.b_C9]}}")) == [])
        #expect(
            diagnostics(of: oneState("invoke: {task: x, retry: {on: ['no box']}}")) == [
                "3:32: error: a type of errors has letters, digits, '-', '_' and '.', unlike 'no box'"
            ])
        #expect(diagnostics(of: oneState("invoke: {exec: x, retry: {on: [exit, interrupted, timeout]}}")) == [])
        #expect(
            diagnostics(of: oneState("invoke: {exec: x, retry: {on: [exti]}}")) == [
                "3:32: error: unknown type of errors 'exti' of 'exec'; did you mean 'exit'?"
            ])
        #expect(diagnostics(of: oneState("entry: {call: {exec: x, retry: [{on: dns}, {}]}}")).count == 1)
    }
}
