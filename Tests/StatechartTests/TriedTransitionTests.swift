import Statechart
import Testing
import WorkflowJSON

/// The transitions that a traced macrostep tried, with the values of their guards.
struct TriedTransitionTests {
    /// One leaf is active at a time.
    private static let sequential = """
        id: m
        initial: a
        context: {n: 0}
        states:
          a:
            on:
              go: {guard: context.n > 0, target: b}
              '*': {actions: {assign: {n: 1 / context.n}}}
            always: {guard: context.n == 7, target: c}
          b: {entry: {assign: {n: context.n + 1}}, always: {guard: context.n > 1, target: c}}
          c: {always: {guard: context.n > 9, target: a}}
        """

    private func tried(_ run: TimedRun) -> [String] {
        run.last.flatMap { link in
            link.macrostep.findings.map { finding in
                let transition = run.machine[finding.transition]
                let trigger = transition.descriptor ?? "always"
                return "\(transition.line) \(trigger) \(finding.verdict.rawValue) \(finding.reads.map(\.message))"
            }
        }
    }

    @Test func eventlessTransitionsAreAmongThem() throws {
        var run = try TimedRun(Self.sequential)
        #expect(tried(run) == ["9 always rejected [\"context.n = 0\"]"])
        try run.ask(run.setting(["n": 1]))
        #expect(tried(run) == ["9 always rejected [\"context.n = 1\"]"])
        try run.send("go")
        #expect(run.state == "c")
        #expect(
            tried(run) == [
                "7 go taken [\"context.n = 1\"]", "8 * not asked []", "10 always taken [\"context.n = 2\"]",
                "11 always rejected [\"context.n = 2\"]",
            ])
    }

    @Test func aPersonsChangeHasThem() throws {
        var run = try TimedRun(Self.sequential)
        try run.ask(run.setting(["n": 7]))
        #expect(run.state == "c")
        #expect(
            tried(run) == ["9 always taken [\"context.n = 7\"]", "11 always rejected [\"context.n = 7\"]"])
    }

    @Test func preemptedTransitionsOfRegionsAreToldEachOnce() throws {
        var run = try TimedRun(
            """
            id: m
            initial: p
            states:
              p:
                type: parallel
                states:
                  left: {on: {go: '#x'}}
                  right: {on: {go: '#x'}}
              x: {}
            """)
        try run.send("go")
        #expect(tried(run) == ["7 go taken []", "8 go preempted []"])
    }

    @Test func aMacrostepWithoutTraceHasNone() throws {
        let run = try TimedRun(Self.sequential)
        guard case .accepted(let macrostep) = run.machine.apply(.start(), to: nil, as: .test) else {
            Issue.record("the machine does not start")
            return
        }
        #expect(macrostep.findings.isEmpty)
    }
}
