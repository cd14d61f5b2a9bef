import Drawing
import Statechart
import Testing
import WorkflowAPI

@testable import WorkflowConsole  // The pages keep what they draw, and show it to no other target.

/// Tests that each counted step is found at the arrows that it took, and at no others.
@Suite struct ArrowCountsTests {
    private static let order = """
        id: order
        initial: draft
        states:
          draft: {on: {submit: review, drop: {}, edit: draft}}
          review:
            type: parallel
            onDone: paying
            on: {reject: rejected}
            states:
              legal: {initial: pending, states: {pending: {on: {ok: done, both: done}}, done: {type: final}}}
              finance:
                initial: pending
                states:
                  pending: {always: {guard: 1 > 2, target: done}, on: {both: done}}
                  done: {type: final}
          paying:
            after: {3d: rejected}
            on: {pay: [{guard: 1 > 2, target: shipped}, {target: shipped}], hold: held, 'c.*': choice}
          choice: {always: [{guard: 1 > 2, target: shipped}, {guard: 1 > 2, target: held}, {target: middle}]}
          middle: {always: held}
          held: {initial: a, on: {back: held.last}, states: {a: {on: {next: b}}, b: {}, last: {type: history}}}
          shipped: {type: final}
          rejected: {type: final}

        """

    /// Returns the arrows with a number, as `source>target number`, and the steps without an arrow.
    private func counts(_ items: [TransitionStats]) throws -> [String] {
        let machine = try DefinitionReader.read(Self.order).machine
        let counts = ArrowCounts(items, in: machine)
        let arrows = machine.transitions.map { transition in
            let targets = machine.paths(of: transition.targets).joined(separator: "+")
            return "\(machine[transition.source].path)>\(targets) \(counts.count(of: [transition.index]).text)"
        }
        var seen: Set<String> = []
        let told = arrows.filter { !$0.hasSuffix(" 0×") && seen.insert($0).inserted }
        return told + (counts.unexplained > 0 ? ["\(counts.unexplained) unexplained"] : [])
    }

    private func step(_ event: String, _ from: [String], _ to: [String], _ count: Int64 = 7) -> TransitionStats {
        TransitionStats(event: event, from: from, to: to, count: count)
    }

    @Test func aStepIsCountedAtItsArrow() throws {
        #expect(
            try counts([step("submit", ["draft"], ["review.legal.pending", "review.finance.pending"])])
                == ["draft>review 7×"])
        // Two transitions with the same ends have the same arrow; a timer has its event.
        #expect(try counts([step("pay", ["paying"], ["shipped"])]) == ["paying>shipped 7×"])
        #expect(try counts([step("after.3d.paying", ["paying"], ["rejected"])]) == ["paying>rejected 7×"])
        // A transition of the state around a leaf, one without a target, one to itself.
        let pending = ["review.legal.pending", "review.finance.pending"]
        #expect(try counts([step("reject", pending, ["rejected"])]) == ["review>rejected 7×"])
        #expect(try counts([step("drop", ["draft"], ["draft"])]) == ["draft> 7×"])
        #expect(try counts([step("edit", ["draft"], ["draft"])]) == ["draft>draft 7×"])
        #expect(try counts([step("back", ["held.a"], ["held.b"])]) == ["held>held.last 7×"])
        // An event of two regions takes an arrow in each.
        #expect(
            try counts([step("both", pending, ["review.legal.done", "review.finance.done"])])
                == ["review.legal.pending>review.legal.done 7×", "review.finance.pending>review.finance.done 7×"])
    }

    @Test func whatFollowsAnEventIsCountedToo() throws {
        #expect(
            try counts([step("submit", ["draft"], ["review.legal.pending", "review.finance.done"])])
                == ["draft>review 7×", "review.finance.pending>review.finance.done 7×"])
        #expect(
            try counts([step("ok", ["review.legal.pending", "review.finance.done"], ["paying"], 1)])
                == ["review>paying 1×", "review.legal.pending>review.legal.done 1×"])
        // The shortest of the ways to 'held' is counted.
        #expect(try counts([step("c.x", ["paying"], ["held.a"])]) == ["paying>choice 7×", "choice>held 7×"])
        #expect(
            try counts([step("c.x", ["paying"], ["shipped"], 20_000)])
                == ["paying>choice 20k×", "choice>shipped 20k×"])
    }

    @Test func whatFitsNoArrowIsSaid() throws {
        #expect(try counts([step("gone", ["draft"], ["held.a"])]) == ["7 unexplained"])
        let old = [step("submit", ["old.state"], ["other"], 3), step("pay", ["draft"], ["shipped"], 4)]
        #expect(try counts(old) == ["7 unexplained"])
        // A beginning takes no transition.
        #expect(try counts([step("", [], ["draft"])]) == [])
    }

    @Test func numbersAreAddedAndOverflowNothing() throws {
        let steps = [step("pay", ["paying"], ["shipped"], .max), step("pay", ["paying"], ["shipped"], 2)]
        #expect(try counts(steps).count == 1)
        let machine = try DefinitionReader.read(Self.order).machine
        let pay = machine.transitions.filter { $0.descriptor == "pay" }.map(\.index)
        let both = ArrowCounts([step("pay", ["paying"], ["shipped"], 1_204)], in: machine)
        #expect(both.count(of: pay).title == "taken 1,204 times" && both.count(of: pay).text == "1204×")
        let one = ArrowCounts([step("pay", ["paying"], ["shipped"], 1)], in: machine)
        #expect(one.count(of: pay).title == "taken once")
        #expect(both.texts != ArrowCounts([], in: machine).texts)
    }
}
