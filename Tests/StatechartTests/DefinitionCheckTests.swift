import Statechart
import Testing

struct DefinitionCheckTests {
    @Test func unreachableStatesAreWarnedAboutOutermostFirst() {
        let text = """
            id: m
            initial: a
            states:
              a: {on: {go: '#deep', also: .x}, initial: x, states: {x: {}, y: {}, h: {type: history}}}
              b: {initial: c, states: {c: {}}, on: {back: a}}
              d:
                initial: e
                states:
                  e: {}
                  f: {id: deep}
              final: {type: final}
            """
        #expect(
            diagnostics(of: text) == [
                "4:64: warning: state 'a.y' cannot be reached",
                "4:71: warning: state 'a.h' is the target of nothing",
                "5:3: warning: state 'b' cannot be reached",
                "9:7: warning: state 'd.e' cannot be reached",
                "11:3: warning: state 'final' cannot be reached",
            ])
    }

    /// If the region's own timers are the only ones, they are meant to begin again, so there is no warning.
    @Test(arguments: [
        ("after: {1h: late}, ", "a", "{target: a, reenter: true}", "", true),
        ("after: {1h: late}, ", "a", "{target: .x, reenter: true}", "", true),
        ("", "a", "{target: a, reenter: true}", "after: {1h: '#late'}", true),
        ("", "a", "{target: a, reenter: true}", "", false),
        ("after: {1h: late}, ", "a", "a", "", false),
        ("after: {1h: late}, ", "a", "{target: '#late', reenter: true}", "", false),
        ("after: {1h: late}, ", "x", "{target: x, reenter: true}", "", false),
    ])
    func aRegionThatLeavesTimersBesideItIsWarnedAbout(
        after: String, source: String, transition: String, sibling: String, isTold: Bool
    ) {
        let on = "on: {again: \(transition)}"
        let text = """
            id: m
            initial: p
            states:
              late: {id: late, on: {back: p}}
              p: {type: parallel, on: {end: late}, \(after)states: {
                a: {initial: x, \(source == "a" ? on + ", " : "")states: {x: {\(source == "x" ? on : "")}}},
                b: {\(sibling)}}}
            """
        let told = diagnostics(of: text)
        let message =
            "warning: 'reenter: true' in a region leaves the parallel state 'p' with all its regions, so that their "
            + "'after' begins anew; put the transition on a state inside the region"
        #expect(told.count == (isTold ? 1 : 0), "\(told)")
        #expect(told.allSatisfy { $0.hasSuffix(message) }, "\(told)")
    }

    /// An error can be taken in the state of its invocation, above, below, and in other regions.
    @Test(arguments: [
        ("a: {invoke: {task: x}}, b: {}", "", false), ("a: {invoke: {task: x, onDone: b}}, b: {}", "", false),
        ("a: {invoke: {task: x, onError: b}}, b: {}", "", true),
        ("a: {invoke: {task: x}, on: {error.invoke.a: b}}, b: {}", "", true),
        ("a: {invoke: {id: y, task: x}, on: {error.invoke.a: b}}, b: {}", "", false),
        ("a: {invoke: {id: y, task: x}, on: {error.invoke.y: b}}, b: {}", "", true),
        ("a: {invoke: {task: x}, on: {error.invoke.a.*: b}}, b: {}", "", true),
        ("a: {invoke: {task: x}, on: {error.invoke.*: b}}, b: {}", "", true),
        ("a: {invoke: {task: x}, on: {error.*: b}}, b: {}", "", true),
        ("a: {invoke: {task: x}, on: {error.execution: b}}, b: {}", "", false),
        ("a: {invoke: {task: x}, on: {'*': b}}, b: {}", "", false),
        ("a: {invoke: {task: x}, on: {'*': b}}, b: {}", "strict: false, ", true),
        ("a: {invoke: {task: x}}, b: {}", "on: {error.*: .a}, ", true),
        ("a: {invoke: {task: x}, on: {go: b}}, b: {on: {error.*: a}}", "", false),
        ("a: {invoke: {task: x}, initial: i, states: {i: {on: {error.invoke.a: '#b'}}}}, b: {}", "", true),
        ("a: {initial: i, states: {i: {invoke: {task: x}}}, on: {error.invoke.a.i: b}}, b: {}", "", true),
        ("a: {type: parallel, states: {p: {invoke: {task: x}}, q: {on: {error.*: '#b'}}}}, b: {}", "", true),
        ("a: {type: parallel, states: {p: {on: {error.*: '#b'}}, q: {invoke: {task: x}}}}, b: {}", "", true),
        (
            "a: {type: parallel, states: {p: {initial: i, states: {i: {invoke: {task: x}, on: {go: j}}, "
                + "j: {on: {error.*: '#b'}}}}, q: {}}}, b: {}", "", false
        ),
    ])
    func anErrorThatNothingTakesIsWarnedAbout(states: String, root: String, isTaken: Bool) throws {
        let text = "{id: m, initial: a, \(root)states: {\(states)}}"
        #expect(!diagnostics(of: text).contains { $0.contains(" error: ") })
        let told = diagnostics(of: text).filter { $0.contains("no transition takes") }
        #expect(told.isEmpty == isTaken, "\(told)")
        let warning = try #require(diagnostics(of: "{id: m, initial: a, states: {a: {invoke: {task: x}}}}").first)
        #expect(
            warning == "1:42: warning: no transition takes 'error.invoke.a': when this invocation fails, the instance "
                + "fails and waits for somebody; add 'onError'")
    }

    /// An import with losses has such a guard.
    @Test func aGuardThatIsFalseLetsNothingPass() {
        let text = """
            id: m
            initial: a
            guards: {isOpen: false, isFull: context == null}
            states:
              a: {on: {go: [{target: b, guard: isOpen}, {target: c, guard: false}, {target: d, guard: isFull}]}}
              b: {}
              c: {}
              d: {}
            """
        #expect(
            diagnostics(of: text) == [
                "6:3: warning: state 'b' cannot be reached", "7:3: warning: state 'c' cannot be reached",
            ])
    }

    @Test func regionsBesideATargetAndHistoryAreReached() {
        let text = """
            id: m
            initial: a
            states:
              a: {on: {go: '#two', back: p.h}}
              p:
                type: parallel
                states:
                  x: {initial: one, states: {one: {on: {n: two}}, two: {id: two}}}
                  y: {initial: one, states: {one: {always: '#a2'}}}
                  h: {type: history, history: deep}
              a2: {id: a2}
            """
        #expect(diagnostics(of: text).isEmpty)
    }

    @Test func transitionsThatAreNeverTakenAreWarnedAbout() {
        let text = """
            id: m
            initial: a
            states:
              a:
                initial: f
                states: {f: {type: final}}
                onDone: b
                on:
                  done.state.a: [b, c]
                  go: [{target: b}, {target: c}]
              b: {always: [c, a]}
              c: {}
            """
        #expect(
            diagnostics(of: text) == [
                "7:13: warning: this transition is never taken: the one on line 9 always takes 'done.state.a' first",
                "9:25: warning: this transition is never taken: the one on line 9 always takes 'done.state.a' first",
                "10:25: warning: this transition is never taken: the one on line 10 always takes 'go' first",
                "11:19: warning: this transition is never taken: the one on line 11 always takes 'always' first",
            ])
    }

    @Test func onDoneThatNeverRunsIsWarnedAbout() {
        let text = """
            id: m
            initial: a
            onDone: .a
            states:
              a: {initial: x, states: {x: {on: {p: '#p', q: '#q'}}}, onDone: a}
              p: {type: parallel, states: {x: {}, y: {initial: f, states: {f: {type: final}}}}, onDone: a}
              q: {type: parallel, states: {y: {initial: f, states: {f: {type: final}}}}, onDone: a}
            """
        #expect(
            diagnostics(of: text) == [
                "3:9: warning: 'onDone' of the machine never runs: the machine ends then",
                "5:66: warning: 'onDone' never runs: state 'a' has no final state to reach",
                "6:93: warning: 'onDone' never runs: state 'p' has no final state to reach",
            ])
    }

    @Test func reenterWithoutATargetIsWarnedAbout() {
        #expect(
            diagnostics(of: "{id: m, initial: a, states: {a: {on: {x: {reenter: true}}}}}") == [
                "1:42: warning: 'reenter' does nothing without a 'target'"
            ])
    }

    @Test(arguments: [
        ("[p.x.x2, p.x.x1]", "'p.x.x2' and 'p.x.x1'"),
        ("[p, p.x.x2]", "'p' and 'p.x.x2'"),
        ("[p.x.x1, b]", "'p.x.x1' and 'b'"),
        ("[b, b]", "'b' and 'b'"),
        ("[p.h, p.x.x1]", "'p.h' and 'p.x.x1'"),
        ("[p.y, p.x, p.x.h]", "'p.x' and 'p.x.h'"),
        ("[p.x, p.y]", nil),
        ("[p.x.x2, p.y.y2]", nil),
        ("[p.x.h, p.y.y2]", nil),
    ])
    func targetsMustBeAbleToBeActiveTogether(targets: String, pair: String?) {
        let text = """
            id: m
            initial: b
            states:
              b: {on: {go: p, other: p.h, third: p.x.h}}
              c: {always: {target:
              \(targets)}}
              p:
                type: parallel
                states:
                  h: {type: history}
                  x: {initial: x1, states: {h: {type: history}, x1: {on: {n: x2}}, x2: {on: {c: '#c'}}}}
                  y: {initial: y1, states: {y1: {on: {n: y2}}, y2: {}}}
            """
        let rule = "cannot be active together: they are not in different regions of a parallel state"
        let messages = diagnostics(of: text).map { $0.split(separator: "error: ").last }
        #expect(messages == (pair.map { ["targets \($0) \(rule)"] } ?? []))
    }

    @Test(arguments: [
        ("a: {always: {}}", "1:42: error: 'always' goes round without end: a -> a"),
        ("a: {always: {actions: {raise: x}}}", "1:42: error: 'always' goes round without end: a -> a"),
        ("a: {always: a}", "1:42: error: 'always' goes round without end: a -> a"),
        ("a: {always: b}, b: {always: c}, c: {always: b}", "1:58: error: 'always' goes round without end: b -> c -> b"),
        (
            "a: {always: b}, b: {initial: c, states: {c: {always: '#a'}}}",
            "1:42: error: 'always' goes round without end: a -> b.c -> a"
        ),
        (
            "a: {initial: x, states: {x: {}, y: {}}, always: .y}",
            "1:78: error: 'always' goes round without end: a.y -> a.y"
        ),
        (
            "a: {type: parallel, states: {x: {initial: b, states: {b: {always: c}, c: {always: b}}}, y: {}}}",
            "1:96: error: 'always' goes round without end: a.x.b -> a.x.c -> a.x.b"
        ),
        (
            "a: {always: b}, b: {always: c}, c: {always: d}, d: {always: e}, e: {always: f}, f: {always: a}",
            "1:42: error: 'always' goes round without end: a -> b -> c -> d -> e -> … -> a"
        ),
    ])
    func alwaysThatGoesRoundIsRefused(states: String, message: String) {
        #expect(diagnostics(of: "{id: m, initial: a, states: {\(states)}}") == [message])
    }

    @Test(arguments: [
        "a: {always: b}, b: {}",
        "a: {always: b}, b: {type: final}",
        "a: {always: h.h}, h: {initial: x, states: {h: {type: history}, x: {always: '#a'}}}",
        // The second region ends the first one's rounds.
        """
        a: {type: parallel, states: {x: {initial: b, states: {b: {always: c}, c: {always: b}}}, \
        y: {initial: b, states: {b: {always: '#z'}}}}}, z: {}
        """,
    ])
    func alwaysThatMayComeToRestIsRead(states: String) {
        #expect(diagnostics(of: "{id: m, initial: a, states: {\(states)}}").isEmpty)
    }

    @Test(arguments: [
        ("a: {after: {0: {target: a, reenter: true}}}", "1:45: a -> a", 0),
        ("a: {after: {PT0.009S: b}}, b: {after: {P0D: a}}", "1:52: a -> b -> a", 9),
        ("a: {after: {9.4: b}}, b: {always: a}", "1:47: a -> b -> a", 9),
        ("a: {on: {go: b}}, b: {after: {9ms: c}}, c: {after: {0.003s: b}}", "1:65: b -> c -> b", 12),
        // The timer of a parent counts where the parent is left.
        ("a: {after: {1: '#m.b'}, initial: x, states: {x: {}}}, b: {after: {2: a}}", "1:45: a.x -> b -> a.x", 3),
        // A timer that fires once does not hide one that goes round.
        (
            "a: {after: {0: .y}, initial: x, states: {x: {}, y: {after: {5: {target: y, reenter: true}}}}}",
            "1:93: a.y -> a.y", 5
        ),
        (
            "a: {type: parallel, states: {x: {after: {1: {target: x, reenter: true}}}, y: {}}}",
            "1:74: a.x -> a.x", 1
        ),
        (
            "a: {after: {1: {target: a, reenter: true}}, type: parallel, states: {x: {}, y: {}}}",
            "1:45: a.x -> a.x", 1
        ),
        (
            "a: {initial: x, states: {h: {type: history}, x: {after: {1: '#m.b'}}}}, b: {after: {1: a.h}}",
            "1:90: a.x -> b -> a.x", 2
        ),
        (
            "a: {after: {1: b}}, b: {after: {1: c}}, c: {after: {1: d}}, d: {after: {1: e}}, e: {after: {1: f}}, "
                + "f: {after: {1: a}}",
            "1:45: a -> b -> c -> d -> e -> … -> a", 6
        ),
    ])
    func afterThatGoesRoundSoonIsWarnedAbout(states: String, place: String, milliseconds: Int) {
        let parts = place.split(separator: ": ", maxSplits: 1)
        let time = milliseconds == 0 ? "0s" : "\(milliseconds)ms"
        #expect(
            diagnostics(of: "{id: m, initial: a, states: {\(states)}}") == [
                "\(parts[0]): warning: 'after' goes round without end, every \(time): \(parts[1]); "
                    + "give it a guard, or a delay of 10ms"
            ])
    }

    @Test(arguments: [
        "a: {after: {10: {target: a, reenter: true}}}", "a: {after: {PT0.01S: b}}, b: {after: {0: a}}",
        "a: {after: {0: b}}, b: {}", "a: {after: {0: {}}}", "a: {after: {0: b}}, b: {type: final}",
        // A guard may end it.
        "a: {after: {0: {guard: 'true', target: a, reenter: true}}}",
        "a: {after: {0: [{guard: 'true', target: b}, {target: a, reenter: true}]}}, b: {}",
        "a: {always: {guard: 'true', target: b}, after: {0: {target: a, reenter: true}}}, b: {}",
        // Another timer comes first, or the timer is not armed again.
        "a: {after: {1: b, 5: {target: a, reenter: true}}}, b: {}",
        "a: {after: {0: .x}, initial: x, states: {x: {}}}",
    ])
    func afterThatComesToRestIsRead(states: String) {
        #expect(diagnostics(of: "{id: m, initial: a, states: {\(states)}}").isEmpty)
    }
}
