import Statechart
import Testing

/// Tests migrations to another version in the pure step.
@Suite struct MigratedSnapshotTests {
    /// Migrates an instance of a definition to another one.
    private static func move(
        _ run: TimedRun, to definition: String, _ plan: MigrationPlan = MigrationPlan()
    ) throws -> (machine: Machine, migrated: Migrated) {
        let new = try DefinitionReader.read(definition).machine
        let migration = try Migration(plan, from: run.machine, version: 1, to: new, version: 2)
        let identity = InstanceIdentity(name: "test-1", version: 2, startedAt: .zero)
        var spent = 0
        let migrated = try migration.run(
            run.snapshot, as: identity, at: run.now, entered: .zero, spending: &spent)
        let folded = new.apply(
            .migrated(migrated.event, from: EarlierMachine(run.machine, version: 1)), to: run.snapshot, as: identity)
        #expect(folded == .accepted(migrated.macrostep))
        return (new, migrated)
    }

    /// Returns the places of the misfits.
    private static func misfits(
        _ run: TimedRun, to definition: String, _ plan: MigrationPlan = MigrationPlan()
    ) throws -> [String] {
        do {
            _ = try move(run, to: definition, plan)
            return []
        } catch MigrationFailure.misfits(let misfits) {
            return misfits.map(\.place)
        }
    }

    /// A misspelled path is refused, because it would drop nothing. Parts that an earlier version left can be dropped.
    @Test func whatIsDroppedIsKnown() throws {
        let old = "id: m\ninitial: ab\ncontext: {total: 0}\nstates: {ab: {}}"
        let run = try TimedRun(old)
        let new = old.replacing("total: 0", with: "other: 0")
        func told(_ path: String) throws -> String? {
            do {
                _ = try Self.move(run, to: new, MigrationPlan(drop: [path]))
                return nil
            } catch let mistake as MigrationMistake {
                return mistake.message
            }
        }
        for path in ["total", "total.x", "other", "context.gone"] { #expect(try told(path) == nil, "\(path)") }
        #expect(
            try told("totl")
                == "Version 1 of 'm' has no state and no key of the context 'totl'; did you mean 'total'? (one that an "
                + "earlier version has left: 'context.totl')")
        #expect(try told("zzzz")?.hasSuffix("'zzzz' (one that an earlier version has left: 'context.zzzz')") == true)
    }

    @Test func ofTwoHistoryStatesThatLeadToOneTheSecondForgets() throws {
        let old = """
            id: m
            initial: a
            states:
              a:
                initial: one
                on: {go: b}
                states: {one: {}, h: {type: history}, deep: {type: history, history: deep}}
              b: {}
            """
        var run = try TimedRun(old)
        try run.send("go")
        let new = old.replacing(", deep: {type: history, history: deep}", with: "")
        let (machine, migrated) = try Self.move(run, to: new, MigrationPlan(map: ["a.deep": "a.h"]))
        #expect(migrated.told.forgotten == ["a.deep"])
        #expect(machine.text(of: migrated.macrostep.snapshot).memory == #"{"a.h":["a.one"]}"#)
    }

    @Test func aMapOfAStateMovesNoStateBesideItWhoseKeyBeginsAlike() throws {
        let old = """
            id: m
            type: parallel
            states: {a: {}, a.b: {}}
            """
        let (machine, migrated) = try Self.move(
            try TimedRun(old), to: old.replacing("a: {}, a.b", with: "c: {}, a.b"), MigrationPlan(map: ["a": "c"]))
        #expect(machine.leafPaths(of: migrated.macrostep.snapshot.configuration) == ["c", "a.b"])
    }

    @Test func nothingIsMovedToTheEndOfTheMachine() throws {
        let nested = """
            id: m
            initial: a
            states:
              a: {initial: done, states: {done: {type: final}}}
            """
        let plan = MigrationPlan(map: ["a.done": "done"])
        let top = "id: m\ninitial: done\nstates: {done: {type: final}}"
        #expect(try Self.misfits(try TimedRun(nested), to: top, plan) == ["a.done"])
        let regions = """
            id: m
            type: parallel
            states:
              a: {initial: done, states: {done: {type: final}}}
              b: {}
            """
        let alone = regions.replacing("\n  b: {}", with: "")
        #expect(
            try Self.misfits(try TimedRun(regions), to: alone, MigrationPlan(drop: ["b"])) == ["a.done"])
    }

    @Test func aStateThatHasBecomeAnEndIsEntered() throws {
        let old = """
            id: m
            type: parallel
            states:
              a: {initial: one, states: {one: {initial: deep, states: {deep: {}}}}}
              b: {}
            """
        let new = """
            id: m
            type: parallel
            states:
              a: {initial: one, onDone: .two, states: {one: {type: final}, two: {}}}
              b: {}
            """
        let (machine, migrated) = try Self.move(
            try TimedRun(old), to: new, MigrationPlan(map: ["a.one.deep": "a"]))
        #expect(machine.paths(of: migrated.macrostep.entered) == ["a.one", "a.two"])
    }

    /// Returns an instance that has failed on the end of an invocation.
    private static func failed() throws -> TimedRun {
        var run = try TimedRun(
            """
            id: m
            initial: a
            context: {n: 0}
            states:
              a: {invoke: {id: work, task: t, onDone: {actions: {assign: {n: 1 / context.n}}}}}
            """)
        try run.end("work")
        try #require(run.snapshot.status == .failed)
        return run
    }

    @Test func theEndOfAnInvocationThatIsGoneWaitsInItsState() throws {
        let new = "id: m\ninitial: b\ncontext: {n: 0}\nstates: {b: {}}"
        let (machine, migrated) = try Self.move(try Self.failed(), to: new, MigrationPlan(map: ["a": "b"]))
        #expect(migrated.macrostep.snapshot.armed.map(\.owner) == [.state(try #require(machine.state(atPath: "b")))])
    }

    @Test func whatItFailedOnGoesWithAStateThatArmsNothing() throws {
        let new = "id: m\ninitial: b\ncontext: {n: 0}\nstates: {b: {always: c}, c: {on: {done.invoke.work: d}}, d: {}}"
        let run = try Self.failed()
        let (machine, migrated) = try Self.move(run, to: new, MigrationPlan(map: ["a": "b"]))
        let snapshot = migrated.macrostep.snapshot
        let retry = Input.retried(Taken(try #require(snapshot.armed.kept), at: run.now))
        guard case .accepted(let macrostep) = machine.apply(retry, to: snapshot, as: .test) else {
            Issue.record("it was taken where its state was left")
            return
        }
        #expect(macrostep.snapshot.armed.isEmpty && machine.paths(of: macrostep.entered) == ["c"])
    }

    /// A second attempt would run beside that invocation, with the same name.
    @Test func whatItFailedOnIsNotBegunInAnotherState() throws {
        let new = """
            id: m
            initial: a
            context: {n: 0}
            states:
              a:
                initial: b
                states: {b: {invoke: {id: work, task: t}}}
            """
        #expect(try Self.misfits(try Self.failed(), to: new) == ["work"])
        #expect(try Self.misfits(try Self.failed(), to: new.replacing("id: work", with: "id: other")) == [])
    }

    /// The instance migrates through a version that does not have it.
    @Test func whatItFailedOnIsNotBegunAgainInItsState() throws {
        let run = try Self.failed()
        let (without, there) = try Self.move(run, to: "id: m\ninitial: a\ncontext: {n: 0}\nstates: {a: {}}")
        let migration = try Migration(MigrationPlan(), from: without, version: 2, to: run.machine, version: 3)
        var spent = 0
        let back = try migration.run(
            there.macrostep.snapshot, as: InstanceIdentity(name: "test-1", version: 3, startedAt: .zero), at: run.now,
            entered: .zero, spending: &spent)
        #expect(back.macrostep.snapshot.armed.map(\.isKept) == [true])
    }
}
