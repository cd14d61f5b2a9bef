import Statechart
import Testing

/// What the definition language has and this version does not: refused by name, beside all other mistakes.
struct DefinitionMissingPartsTests {
    @Test(arguments: [
        ("after: {3s: a}", "3:1: error: 'after' needs timers, which this version does not have"),
        ("invoke: {id: x}", "3:1: error: 'invoke' needs effects, which this version does not have"),
        (
            "always: {target: a, guard: x > 1}",
            "3:21: error: 'guard' needs the expression language, which this version does not have"
        ),
        (
            "entry: {log: 'x'}",
            "3:9: error: 'log' needs the expression language, which this version does not have"
        ),
        (
            "entry: {choose: []}",
            "3:9: error: 'choose' needs the expression language, which this version does not have"
        ),
        (
            "entry: {foreach: {}}",
            "3:9: error: 'foreach' needs the expression language, which this version does not have"
        ),
        ("entry: {send: {event: x}}", "3:9: error: 'send' needs messages, which this version does not have"),
        ("entry: {cancel: x}", "3:9: error: 'cancel' needs messages, which this version does not have"),
        ("entry: {emit: {event: x}}", "3:9: error: 'emit' needs messages, which this version does not have"),
        (
            "initial: f, states: {f: {type: final, output: {}}}",
            "3:39: error: 'output' needs the expression language, which this version does not have"
        ),
    ])
    func partOfAStateIsRefused(keys: String, message: String) {
        #expect(diagnostics(of: oneState(keys)) == [message])
    }

    @Test(arguments: [
        (
            "guards: {x: 'true'}",
            "1:21: error: 'guards' needs the expression language, which this version does not have"
        ),
        ("events: {}", "1:21: error: 'events' needs data types of events, which this version does not have"),
        ("after: {}", "1:21: error: 'after' needs timers, which this version does not have"),
        ("invoke: []", "1:21: error: 'invoke' needs effects, which this version does not have"),
    ])
    func partOfTheRootIsRefused(keys: String, message: String) {
        #expect(diagnostics(of: oneState("entry: []", root: "\(keys),")) == [message])
    }

    @Test func guardedTransitionLetsLaterOnesBeTried() {
        let text = oneState("always: [{target: a, guard: x}, b, {guard: y, target: b}]")
        #expect(
            diagnostics(of: text) == [
                "3:22: error: 'guard' needs the expression language, which this version does not have",
                "3:36: warning: this transition is never taken: the one on line 3 always takes 'always' first",
                "3:37: error: 'guard' needs the expression language, which this version does not have",
            ])
    }
}
