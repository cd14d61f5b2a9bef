/// A macrostep that does as much as possible without evaluating much. Moving, arming and looking cost units too, so the
/// budget ends it, and it is refused.
package struct WorstMacrostep: Sendable {
    package let name: String
    /// The YAML of a machine `m`.
    package let definition: String
    /// The events before the measured one, which is `go`; `nil` if the start is measured.
    package let events: [String]?

    private init(_ name: String, events: [String]? = nil, _ definition: String) {
        self.name = name
        self.definition = definition
        self.events = events
    }

    private static func lines(_ count: Int, _ line: (Int) -> String) -> String {
        (0..<count).map { line($0) + "\n" }.joined()
    }

    /// The known worst macrosteps.
    package static let all = [
        WorstMacrostep(
            "evaluation", events: [],
            """
            id: m
            initial: a
            context: {n: 0}
            states:
              a: {on: {go: {actions: {assign: {n: "size(lists.range(10000).map(i, lists.range(10000).map(j, j)))"}}}}}
            """),
        WorstMacrostep(
            "regions that are left and entered",
            "id: m\ninitial: p\nstates:\n  p:\n    type: parallel\n    entry: {raise: x}\n"
                + "    on: {x: {target: p, reenter: true}}\n    states:\n" + lines(5_000) { "      r\($0): {}" }),
        WorstMacrostep(
            "timers that are ended and armed",
            "id: m\ninitial: a\nstates:\n  b: {}\n  a:\n    entry: {raise: x}\n"
                + "    on: {x: {target: a, reenter: true}}\n    after:\n" + lines(5_000) { "      \($0 + 1)s: b" }),
        WorstMacrostep(
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
        WorstMacrostep(
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
        WorstMacrostep(
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
        WorstMacrostep(
            "data that is sent later", events: [],
            """
            id: m
            initial: a
            context: {n: 0, blob: '\(String(repeating: "x", count: 1 << 19))'}
            states:
              a:
                on:
                  go:
                    actions:
                      foreach:
                        array: lists.range(900)
                        item: n
                        actions: [{send: {event: e, delay: 1h, data: context.blob}}]
            """),
    ]
}
