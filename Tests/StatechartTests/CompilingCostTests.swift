import Foundation
import Statechart
import Testing
import ThreadTesting

/// Tests that the cost of compiling grows linearly with the text, whatever the text contains.
///
/// The measure is the time for which the thread had a core, which a busy machine does not lengthen much. A quadratic
/// cost takes sixteen times as long for four times the text.
@Suite(.serialized) struct CompilingCostTests {
    /// A kind of text that was expensive once, or might be.
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The number of lines of the smaller text.
        let lines: Int
        let text: @Sendable (Int) -> String

        init(_ name: String, lines: Int = 1_000, _ text: @escaping @Sendable (Int) -> String) {
            testDescription = name
            self.lines = lines
            self.text = text
        }
    }

    @Test(arguments: sample(kinds, every: 3)) func fourTimesTheTextCostsAboutFourTimesAsMuch(kind: Kind) {
        let (small, large) = (kind.text(kind.lines), kind.text(4 * kind.lines))
        var ratios: [Double] = []
        // Other threads share the caches: of several tries the best one counts.
        while ratios.count < 5, ratios.min() ?? .infinity > 8 {
            ratios.append(Self.cost(of: large) / Self.cost(of: small))
        }
        #expect(ratios.min() ?? .infinity <= 8, "four times the text costs so many times as much: \(ratios)")
    }

    private static func cost(of text: String) -> Double {
        let before = threadTime()
        _ = diagnostics(of: text)
        return threadTime() - before
    }

    /// Returns the seconds for which this thread has had a core.
    private static func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func lines(_ count: Int, _ line: (Int) -> String) -> String {
        (0..<count).map { line($0) + "\n" }.joined()
    }

    static let kinds = [
        Kind("timers of a state") { count in
            "id: m\ninitial: a\nstates:\n  b: {}\n  a:\n    after:\n" + lines(count) { "      \($0 + 1)s: b" }
        },
        Kind("timers that say what is too late") { count in
            "id: m\ninitial: a\nstates:\n  b: {}\n  a:\n    after:\n"
                + lines(count) { "      \($0 + 1)s: {target: b, misfire: {skip: 1m}}" }
        },
        Kind("short timers that are written differently") { count in
            "id: m\ninitial: a\nstates:\n  b: {}\n  a:\n    after:\n"
                + lines(count) { "      1.\(String($0 + 1_000_000))ms: b" }
        },
        Kind("events of the root over leaves") { count in
            "id: m\ninitial: s0\non:\n" + lines(count) { "  e\($0): .s0" } + "states:\n"
                + lines(count) { "  s\($0): {}" }
        },
        Kind("timers of the root over leaves") { count in
            "id: m\ninitial: s0\nafter:\n" + lines(count) { "  \($0 + 1)s: .s0" } + "states:\n"
                + lines(count) { "  s\($0): {}" }
        },
        Kind("events of a parallel root over regions") { count in
            "id: m\ntype: parallel\non:\n" + lines(count) { "  e\($0): .s0" } + "states:\n"
                + lines(count) { "  s\($0): {}" }
        },
        Kind("states with one tag") { count in
            "id: m\ninitial: s0\nstates:\n" + lines(count) { "  s\($0): {tags: t}" }
        },
        Kind("history states of a parallel state", lines: 500) { count in
            "id: m\ninitial: p\nstates:\n  p:\n    type: parallel\n    states:\n" + lines(count) { "      r\($0): {}" }
                + lines(count) { "      h\($0): {type: history}" } + "    on:\n"
                + lines(count) { "      e\($0): .h\($0)" }
        },
        Kind("history states that share a default", lines: 500) { count in
            "id: m\ninitial: p\nstates:\n  p:\n    initial: {target: ["
                + (0..<count).map { "q.r\($0)" }.joined(separator: ", ")
                + "]}\n    states:\n      q:\n        type: parallel\n        states:\n"
                + lines(count) { "          r\($0): {}" } + lines(count) { "      h\($0): {type: history}" }
                + "    on:\n" + lines(count) { "      e\($0): .h\($0)" }
        },
        Kind("guards that lead to guards behind them") { count in
            "id: m\ninitial: s\nguards:\n" + lines(count) { "  g\($0): g\($0 + 1)" }
                + "  g\(count): event.data.x\nstates:\n  s: {}\n"
        },
        Kind("guards that lead back to the first") { count in
            "id: m\ninitial: s\nguards:\n" + lines(count) { "  g\($0): g\($0 + 1) || g0" }
                + "  g\(count): g0\nstates:\n  s: {}\n"
        },
        Kind("actions that do not exist") { count in
            "id: m\ninitial: s\nactions:\n" + lines(count) { "  n\($0): []" } + "states:\n  s:\n    entry:\n"
                + lines(count) { "    - x\($0)" }
        },
        Kind("keys that the context lacks", lines: 500) { count in unknownKeys(count, isStrict: true) },
        Kind("the same where that is a warning", lines: 500) { count in unknownKeys(count, isStrict: false) },
        Kind("keys that loops make") { count in
            "id: m\nstrict: false\ninitial: s\nstates:\n  s:\n    entry:\n"
                + lines(count) { "    - foreach: {array: '[1]', item: k\($0), actions: []}" }
        },
        Kind("assignments of a type with many fields", lines: 300) { count in
            "id: m\ninitial: s\ntypes:\n  context:\n    o:\n" + lines(count) { "      f\($0): int?" }
                + "context: {o: null}\nstates:\n  s:\n    entry:\n" + lines(count) { "    - assign: {o: {f\($0): 1}}" }
        },
        Kind("targets that do not exist") { count in
            "id: m\ninitial: s0\nstates:\n" + lines(count) { "  s\($0): {on: {e: x\($0)}}" }
        },
        Kind("invocations of a state", lines: 200) { count in
            "id: m\ninitial: a\nstates:\n  b: {}\n  a:\n    invoke:\n"
                + lines(count) { "    - {id: i\($0), task: q, onDone: b}" }
        },
    ]

    private static func unknownKeys(_ count: Int, isStrict: Bool) -> String {
        "id: m\nstrict: \(isStrict)\ninitial: s\ncontext:\n" + lines(count) { "  n\($0): 1" }
            + "states:\n  s:\n    on:\n" + lines(count) { "      e\($0): {guard: context.x\($0) == 1}" }
    }
}
