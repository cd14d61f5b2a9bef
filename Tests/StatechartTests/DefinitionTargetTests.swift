import Statechart
import Testing

struct DefinitionTargetTests {
    /// Returns the state after an event whose transition is in `p.q` of a machine with dotted keys and ids.
    private func target(_ word: String, at place: String = "p.q") throws -> String? {
        let text = """
            id: m
            initial: p
            type: compound
            states:
              p:
                initial: q
                states:
                  q:
                    initial: r
                    states: {r: {}, r.s: {initial: t, states: {t: {}}}}
                  a: {id: first, initial: b, states: {b: {}, c.d: {}}}
              o: {id: p.x, initial: y, states: {y: {}}}
              m: {}
              p-x: {id: first.z}
            """
        let marked = text.replacing(
            place == "p.q" ? "        initial: r" : "type: compound",
            with: place == "p.q" ? "        initial: r\n        on: {e: '\(word)'}" : "on: {e: '\(word)'}")
        do {
            let machine = try DefinitionReader.read(marked).machine
            return machine.transitions[0].targets.first.map { machine[$0].path }
        } catch {
            return error.diagnostics.map(\.message).joined(separator: " | ")
        }
    }

    @Test(arguments: [
        ("q", "p.q"), ("a", "p.a"), ("a.b", "p.a.b"), ("a.c.d", "p.a.c.d"), ("q.r.s", "p.q.r.s"),
        ("q.r.s.t", "p.q.r.s.t"), (".r", "p.q.r"), (".r.s", "p.q.r.s"), (".r.s.t", "p.q.r.s.t"),
        ("#first", "p.a"), ("#first.b", "p.a.b"), ("#first.c.d", "p.a.c.d"), ("#p", "p"), ("#p.q.r.s", "p.q.r.s"),
        ("#p.a", "p.a"), ("#p.x", "o"), ("#p.x.y", "o.y"), ("#first.z", "p-x"), ("#m", "m"),
    ])
    func wordNamesAState(word: String, path: String) throws {
        #expect(try target(word) == path)
    }

    @Test(arguments: [(".p", "p"), (".p.a.b", "p.a.b"), ("#first", "p.a"), (".o.y", "o.y")])
    func wordAtTheRootNamesAState(word: String, path: String) throws {
        #expect(try target(word, at: "") == path)
    }

    @Test func rootCanBeNamedWhereNoStateHasItsName() throws {
        let machine = try DefinitionReader.read("{id: m, initial: a, states: {a: {on: {x: '#m', y: '#m.a'}}}}").machine
        #expect(machine.transitions.map(\.targets) == [[.root], [StateIndex(1)]])
    }

    @Test(arguments: [
        ("o", "target 'o' does not exist; did you mean '#p.x'?"),
        ("aa", "target 'aa' does not exist; did you mean 'a'?"),
        ("a.bb", "target 'a.bb' does not exist; did you mean 'a.b'?"),
        ("unlike", "target 'unlike' does not exist; there are 'q', 'a'"),
        (".q", "target '.q' does not exist; did you mean '#p.q'?"),
        (".unlike", "target '.unlike' does not exist; there are '.r', '.r.s'"),
        ("#frist", "target '#frist' does not exist; did you mean '#first'?"),
        ("#unlike", "target '#unlike' does not exist; no state has this id"),
        ("#", "target '#' does not exist; no state has this id"),
        (".", "target '.' does not exist; there are '.r', '.r.s'"),
        ("q.", "target 'q.' does not exist; did you mean 'q.r'?"),
        ("", "target '' does not exist; there are 'q', 'a'"),
    ])
    func wordThatNamesNothingGetsAHint(word: String, message: String) throws {
        #expect(try target(word) == message)
    }

    @Test func rootHasNoSiblings() throws {
        #expect(try target("p", at: "") == "the root has no siblings: write '.p' for one of its states")
    }

    @Test func stateWithoutStatesHasNoChildren() {
        #expect(
            diagnostics(of: oneState("always: .x")) == [
                "3:9: error: target '.x' does not exist; state 's' has no states"
            ])
    }

    @Test func longListsOfStatesAreCut() {
        let states = (1...12).map { "state\($0): {}" }.joined(separator: ", ")
        let shown = (1...8).map { "'state\($0)'" }.joined(separator: ", ")
        #expect(
            diagnostics(of: "{id: m, initial: x, states: {\(states)}}") == [
                "1:18: error: target 'x' does not exist; there are \(shown) and 4 more"
            ])
    }

    @Test func everyIDAndPathNamesOneState() {
        let text = """
            id: m
            initial: a
            states:
              a: {id: same, initial: x, states: {x: {}, b.c: {}}}
              a.b: {initial: x, states: {x: {}, c: {id: same}}}
              d: {id: a}
              e: {id: e}
              m: {}
            """
        #expect(
            diagnostics(of: text) == [
                "5:37: error: the path 'a.b.c' is also that of the state on line 4",
                "5:45: error: the id 'same' is also used on line 4",
                "6:11: error: the id 'a' is also the path of the state on line 4",
            ])
    }
}
