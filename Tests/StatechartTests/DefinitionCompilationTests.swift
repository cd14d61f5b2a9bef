import Statechart
import Testing
import WorkflowJSON

struct DefinitionCompilationTests {
    private let machine: Machine

    init() throws {
        machine = try DefinitionReader.read(
            """
            id: m
            description: an example
            strict: false
            initial: {target: a, actions: {raise: begun}}
            states:
              a:
                onDone: {target: p, actions: {raise: done}}
                initial: b
                on:
                  done.state.a: {actions: {raise: first}}
                  legal.ok: p
                  legal.*: p
                  legal.ok.*: p
                  '*': {}
                states:
                  h: {type: history, target: f}
                  b: {always: f}
                  f: {type: final}
                  deep: {type: history, history: deep}
              p:
                type: parallel
                id: par
                entry: [{raise: in}]
                exit: [{raise: out}]
                onDone: a
                states:
                  x: {initial: f, states: {f: {type: final}}}
                  past: {type: history}
                  y: {initial: f, states: {f: {type: final}}}
                on: {again: .past, ha: a.h, hd: a.deep}
            """
        ).machine
    }

    private func state(_ path: String) throws -> State {
        machine[try #require(machine.state(atPath: path))]
    }

    private func paths(_ states: [StateIndex]?) -> [String]? {
        states?.map { machine[$0].path }
    }

    @Test func rootKeysAreKept() {
        #expect(machine.name == "m")
        #expect(machine.description == "an example")
        #expect(!machine.isStrict)
        #expect(machine.events == ["again", "ha", "hd", "legal.ok"])
    }

    @Test func statesStandInDocumentOrder() {
        let shown = machine.states.map { "\($0.index.offset) \($0.path) \($0.kind) \($0.line)" }
        #expect(
            shown == [
                "0  compound 1", "1 a compound 6", "2 a.h shallowHistory 16", "3 a.b atomic 17", "4 a.f final 18",
                "5 a.deep deepHistory 19", "6 p parallel 20", "7 p.x compound 27", "8 p.x.f final 27",
                "9 p.past shallowHistory 28", "10 p.y compound 29", "11 p.y.f final 29",
            ])
    }

    @Test func statesKnowTheirFamily() throws {
        #expect(machine.states[0].parent == nil)
        #expect(paths(machine.states[0].children) == ["a", "p"])
        #expect(machine.states[0].lastDescendant == StateIndex(11))
        let a = try state("a")
        #expect(a.parent == .root)
        #expect(paths(a.children) == ["a.b", "a.f"])
        #expect(paths(a.histories) == ["a.h", "a.deep"])
        #expect(a.lastDescendant == StateIndex(5))
        #expect(try state("p.y.f").lastDescendant == StateIndex(11))
    }

    @Test func idIsTheWrittenOneElseThePath() throws {
        #expect(machine.states[0].id == "m")
        #expect(try state("p").id == "par")
        #expect(try state("p.x.f").id == "p.x.f")
    }

    @Test func initialsAreResolved() throws {
        #expect(paths(machine.states[0].initial?.targets) == ["a"])
        #expect(machine.states[0].initial?.actions.count == 1)
        #expect(paths(try state("a").initial?.targets) == ["a.b"])
        #expect(try state("p").initial == nil)
        #expect(try state("a.b").initial == nil)
    }

    @Test func historyStatesHaveDefaults() throws {
        #expect(paths(try state("a.h").initial?.targets) == ["a.f"])
        #expect(paths(try state("a.deep").initial?.targets) == ["a.b"])
        #expect(paths(try state("p.past").initial?.targets) == ["p.x", "p.y"])
    }

    @Test func candidatesAreSortedByDescriptor() throws {
        let candidates = try state("a").candidates
        let done = try #require(candidates.exact["done.state.a"]).map { machine[$0] }
        #expect(done.map(\.descriptor) == ["done.state.a", "done.state.a"])
        #expect(done.map(\.line) == [10, 7])
        #expect(Set(candidates.exact.keys) == ["done.state.a", "legal.ok"])
        #expect(candidates.prefixes.map(\.name) == ["legal.ok", "legal"])
        #expect(candidates.any.count == 1)
        #expect(try state("p").candidates.exact["done.state.par"]?.count == 1)
    }

    @Test func eventlessTransitionsAndActionsAreKept() throws {
        let b = try state("a.b")
        #expect(b.eventless.map { paths(machine[$0].targets) } == [["a.f"]])
        #expect(b.eventless.map { machine[$0].descriptor } == [nil])
        let p = try state("p")
        #expect(p.entry.count == 1)
        #expect(p.exit.count == 1)
        #expect(machine.transitions.map(\.source) == machine.transitions.map(\.source).sorted())
    }
}
