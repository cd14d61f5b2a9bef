import Foundation
import Statechart
import Testing
import WorkflowJSON

/// Macrosteps that do as much as they may without evaluating much: moving, arming and looking cost units too, so that
/// the budget ends them. Each prints how long its thread has had a core.
@Suite(.serialized) struct WorstMacrostepTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let definition: String
        /// The events before the one that is measured; that is `go`, or the start where it is nil.
        let events: [String]?

        init(_ name: String, events: [String]? = nil, _ definition: String) {
            testDescription = name
            self.definition = definition
            self.events = events
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: kinds) func theBudgetEndsIt(kind: Kind) throws {
        let machine = try DefinitionReader.read(kind.definition).machine
        var snapshot: Snapshot?
        if let events = kind.events {
            snapshot = try machine.chain(.start(), from: nil, as: .test).get().snapshot
            for event in events {
                snapshot = try machine.chain(.event(Event(name: event)), from: snapshot, as: .test).get().snapshot
            }
        }
        let input = kind.events == nil ? Input.start() : .event(Event(name: "go"))
        let before = Self.threadTime()
        let outcome = machine.apply(input, to: snapshot, as: .test)
        print("\(kind.testDescription): \(Int((Self.threadTime() - before) * 1_000)) ms")
        switch outcome {
        case .refused(.expressionFailed), .refused(.livelock): break
        default: Issue.record("it is not refused for what it costs: \(String(describing: outcome).prefix(500))")
        }
    }

    private static func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func lines(_ count: Int, _ line: (Int) -> String) -> String {
        (0..<count).map { line($0) + "\n" }.joined()
    }

    static let kinds = [
        Kind(
            "evaluation", events: [],
            """
            id: m
            initial: a
            context: {n: 0}
            states:
              a: {on: {go: {actions: {assign: {n: "size(lists.range(10000).map(i, lists.range(10000).map(j, j)))"}}}}}
            """),
        Kind(
            "regions that are left and entered",
            "id: m\ninitial: p\nstates:\n  p:\n    type: parallel\n    entry: {raise: x}\n"
                + "    on: {x: {target: p, reenter: true}}\n    states:\n" + lines(5_000) { "      r\($0): {}" }),
        Kind(
            "timers that are ended and armed",
            "id: m\ninitial: a\nstates:\n  b: {}\n  a:\n    entry: {raise: x}\n"
                + "    on: {x: {target: a, reenter: true}}\n    after:\n" + lines(5_000) { "      \($0 + 1)s: b" }),
        Kind(
            "looking for what is to be cancelled", events: (0..<10).map { _ in "arm" },
            """
            id: m
            initial: a
            context: {n: 0}
            states:
              a:
                on:
                  arm: {actions: {foreach: {array: lists.range(1000), item: n, actions: [{send: {event: e, delay: 1h}}]}}}
                  go: {actions: {foreach: {array: lists.range(10000), item: n, actions: [{cancel: x}]}}}
            """),
        Kind(
            "descriptors of many families", events: [],
            """
            id: m
            initial: a
            context: {n: 0}
            states:
              a:
                on:
                  go: {actions: {foreach: {array: lists.range(900), item: n, actions: [{raise: other.x}]}}}

            """ + lines(10_000) { "      e\($0).*: {}" }),
        Kind(
            "data that is raised", events: [],
            """
            id: m
            initial: a
            context: {n: 0, blob: '\(String(repeating: "x", count: 1 << 19))'}
            states:
              a:
                on:
                  go: {actions: {foreach: {array: lists.range(900), item: n, actions: [{raise: {event: e, data: context.blob}}]}}}
            """),
    ]
}
