import IdentityTesting
import Statechart
import StoreTesting
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests the migration of an instance to another version of its machine.
@Suite(.timeLimit(.minutes(20))) struct MigrationTests {
    private static let first = """
        id: pack
        initial: draft
        context: {total: 1, note: "x", rates: {}}
        states:
          draft: {on: {submit: packing}, after: {30d: draft}}
          packing:
            after: {2d: shipped}
            on: {ship: shipped, poke: {actions: {send: {event: tick, delay: 1h}}}}
          fax: {}
          shipped: {type: final}
        """

    private static let second = """
        id: pack
        initial: draft
        context: {total: 2.5, customer: "nobody"}
        states:
          draft: {on: {submit: fulfil}, after: {30d: draft}}
          fulfil:
            initial: packing
            states:
              packing:
                after: {2d: .done, 5d: .late}
                on: {tick: .done}
                initial: plain
                states: {plain: {}, done: {}, late: {}}
            on: {ship: shipped}
          shipped: {type: final}
        """

    private static let mapped = MigrationPlan(map: ["packing": "fulfil.packing"], drop: ["note"])

    private static func bench(_ events: String...) async throws -> TaskBench {
        let bench = try await TaskBench(first)
        try await bench.timed.start("pack", "p")
        for event in events { try await bench.timed.send(event, to: "p") }
        try await bench.engine.apply(second, syntax: .yaml)
        return bench
    }

    @Test func aStateOfTheSamePathStaysWithItsTimers() async throws {
        let bench = try await Self.bench()
        let before = try await bench.timed.record("p")
        try await bench.timed.pass(3_600_000)
        let answer = try await bench.migrate("p")
        #expect(answer.from == ["draft"] && answer.to == ["draft"] && answer.event == "rename")
        let migration = try #require(answer.migration)
        #expect(migration.from == 1 && migration.to == 2)
        #expect(migration.told.kept.map(\.event) == ["after.30d.draft"] && migration.told.new == [])
        #expect(migration.told.undeclared == ["note", "rates"])
        let record = try await bench.timed.record("p")
        #expect(record.entered == before.entered && record.machineID != before.machineID)
        #expect(record.state.armed == before.state.armed)
        #expect(record.state.context == #"{"customer":"nobody","note":"x","rates":{},"total":1.0}"#)
        let row = try #require(try await bench.timed.rows("p").last)
        #expect(row.kind == .migrated && row.event == "rename" && row.machineID == record.machineID)
        #expect(row.data == #"{"from":1,"to":2}"# && row.note == #"{"reason":"r"}"#)
        try await bench.expectFolded("p")
        #expect(try await bench.timed.send("submit", to: "p").to == ["fulfil.packing.plain"])
        try await bench.expectFolded("p")
    }

    @Test func aMappedStateIsNotEnteredAndItsNewTimersCountSinceItWas() async throws {
        let bench = try await Self.bench("submit", "poke")
        let before = try await bench.timed.record("p")
        try await bench.timed.pass(86_400_000)
        let trial = try await bench.migrate("p", Self.mapped, isDryRun: true)
        #expect(try await bench.timed.record("p").seq.rawValue == 4)
        let told = try #require(trial.migration).told
        #expect(told.kept.map(\.event) == ["after.2d.fulfil.packing"])
        #expect(told.new.map(\.event) == ["after.5d.fulfil.packing"])
        #expect(told.new[0].due.milliseconds == before.entered.rawValue + 5 * 86_400_000)
        #expect(told.ended == [] && told.undeclared == ["rates"])
        let answer = try await bench.migrate("p", Self.mapped)
        #expect(answer.to == ["fulfil.packing.plain"] && answer.event == "move")
        #expect(try #require(answer.migration).told == told)
        #expect(try await bench.timed.record("p").entered > before.entered)
        let row = try #require(try await bench.timed.rows("p").last)
        let due = before.entered.rawValue + 5 * 86_400_000
        #expect(
            row.data == #"{"drop":["note"],"dues":{"after.5d.fulfil.packing":\#(due)},"from":1,"#
                + #""map":{"packing":"fulfil.packing"},"to":2}"#)
        try await bench.expectFolded("p")
        // The timer of before comes when it was due.
        try await bench.timed.pass(86_400_000)
        #expect(try await bench.state("p") == "fulfil.packing.done")
        try await bench.expectFolded("p")
    }

    @Test func aTimerThatIsOverdueInTheNewVersionFiresAtOnce() async throws {
        let bench = try await Self.bench("submit")
        var plan = Self.mapped
        plan.assign = ["total": "context.total + 1"]
        let third = Self.second.replacing("2d: .done, 5d: .late", with: "1h: .late")
        try await bench.engine.apply(third, syntax: .yaml)
        try await bench.timed.pass(7_200_000)
        let answer = try await bench.migrate("p", to: 3, plan)
        #expect(try #require(answer.migration).told.ended == ["after.2d.packing"])
        try await bench.timed.settle()
        #expect(try await bench.state("p") == "fulfil.packing.late")
        #expect(try await bench.timed.context("total", of: "p") == 2.0)
        try await bench.expectFolded("p")
        // This time, the timers count from now on.
        try await bench.timed.start("pack", "q")
        try await bench.engine.apply(third + "\n# again", syntax: .yaml)
        plan.timers = .fromNow
        plan.map = [:]
        plan.drop = []
        plan.assign = [:]
        try await bench.timed.send("submit", to: "q")
        try await bench.timed.pass(1_800_000)
        let again = try await bench.migrate("q", plan)
        #expect(try #require(again.migration).told.kept.map(\.event) == ["after.1h.fulfil.packing"])
        try await bench.expectFolded("q")
    }

    @Test func whatHasNoPlaceIsTold() async throws {
        let bench = try await Self.bench("submit")
        #expect(
            await bench.toldMigration("p")
                == "misfit: p does not fit version 2: packing: version 2 has no state 'packing'; "
                + "--map packing=fulfil.packing")
        #expect(try await bench.timed.record("p").seq.rawValue == 2)
        let mistakes: [(MigrationPlan, String)] = [
            (
                MigrationPlan(map: ["packin": "draft"]),
                "Version 1 of 'pack' has no state 'packin'; did you mean 'packing'?"
            ),
            (MigrationPlan(map: ["packing": "draf"]), "Version 2 of 'pack' has no state 'draf'; did you mean 'draft'?"),
            (MigrationPlan(assign: ["totl": "1"]), "The context of version 2 has no key 'totl'; did you mean 'total'?"),
        ]
        for (plan, message) in mistakes { #expect(await bench.toldMigration("p", plan) == "invalidData: \(message)") }
        #expect(
            await bench.toldMigration("p", MigrationPlan(map: ["packing": "shipped"]))
                == "misfit: p does not fit version 2: packing: 'shipped' is final in version 2, where nothing is moved "
                + "to; --map packing=STATE")
        var plan = Self.mapped
        plan.assign = ["total": "context.nothing"]
        #expect(
            await bench.toldMigration("p", plan).hasPrefix(
                "misfit: p does not fit version 2: context.total: 'context.nothing' fails: no such key"))
        #expect(
            await bench.toldMigration("p", to: 9) == "machineNotFound: Machine 'pack' has no version 9 (latest is 2)")
        #expect(await bench.toldMigration("p", to: 1).hasPrefix("invalidData: p, in state 'packing' (seq 2), runs"))
        #expect(await bench.toldMigration("p", Self.mapped, seq: 1).hasPrefix("preconditionFailed"))
        #expect(await bench.toldMigration("p", Self.mapped, retries: true).hasPrefix("notFailed"))
        try await bench.engine.apply(Self.second.replacing("2.5", with: "\"a\""), syntax: .yaml)
        #expect(
            await bench.toldMigration("p", Self.mapped)
                == "misfit: p does not fit version 3: context.total: an int, version 3 begins with a string; "
                + "--assign")
        #expect(try await bench.timed.record("p").seq.rawValue == 2)
        try await bench.timed.send("ship", to: "p")
        #expect(await bench.toldMigration("p", Self.mapped).hasPrefix("finished"))
        try await bench.expectFolded("p")
    }

    @Test func theSameKeyMigratesOnce() async throws {
        let bench = try await Self.bench("submit")
        let first = try await bench.migrate("p", Self.mapped, key: "k")
        try await bench.timed.send("tick", to: "p")
        for _ in 1...2 {
            let again = try await bench.migrate("p", Self.mapped, key: "k")
            #expect(again.isRepeated && again.seq == first.seq && again.from == first.from && again.to == first.to)
            #expect(again.migration?.told == first.migration?.told && again.context == first.context)
            try await bench.timed.restart()
        }
        #expect(await bench.toldMigration("p", MigrationPlan(), key: "k").hasPrefix("keyReused"))
        #expect(try await bench.timed.record("p").seq.rawValue == 4)
        // A key of an event is not that of a migration.
        try await bench.timed.send("ship", to: "p", key: "e")
        #expect(await bench.toldMigration("p", Self.mapped, key: "e").hasPrefix("keyReused"))
    }

    @Test func newRegionsAreEnteredAndEventlessTransitionsFollow() async throws {
        let old = """
            id: r
            initial: a
            context: {trail: []}
            states:
              a: {}
            """
        let new = """
            id: r
            initial: a
            context: {trail: []}
            states:
              a:
                type: parallel
                entry: {assign: {trail: "context.trail + ['a']"}}
                states:
                  left:
                    initial: one
                    entry: {assign: {trail: "context.trail + ['left']"}}
                    states: {one: {on: {go: two}}, two: {}}
                  right:
                    initial: one
                    states:
                      one: {always: two, exit: {assign: {trail: "context.trail + ['right.one']"}}}
                      two: {after: {1h: one}}
            """
        let bench = try await TaskBench(old)
        try await bench.timed.start("r", "p")
        try await bench.engine.apply(new, syntax: .yaml)
        let answer = try await bench.migrate("p")
        #expect(answer.to == ["a.left.one", "a.right.two"] && answer.event == "move")
        #expect(answer.entered == ["a.left", "a.left.one", "a.right", "a.right.one", "a.right.two"])
        #expect(try await bench.timed.context("trail", of: "p") == ["left", "right.one"])
        #expect(try #require(answer.migration).told.new.map(\.event) == ["after.1h.a.right.two"])
        try await bench.expectFolded("p")
        // Back: a region goes, the other is what is left.
        #expect(await bench.toldMigration("p", to: 1).hasPrefix("misfit: p does not fit version 1: a.left.one:"))
        let back = try await bench.migrate("p", to: 1, MigrationPlan(map: ["a.left.one": "a"], drop: ["a.right"]))
        #expect(back.to == ["a"])
        #expect(try #require(back.migration).told.ended == ["after.1h.a.right.two"])
        try await bench.expectFolded("p")
    }

    @Test func failedAndSuspendedInstancesMoveAndStaySo() async throws {
        let old = """
            id: f
            initial: a
            context: {n: 0}
            states:
              a: {on: {poke: {actions: {send: count}}, count: {actions: {assign: {n: 1 / context.n}}}}}
            """
        let bench = try await TaskBench(old)
        for name in ["p", "q", "s"] { try await bench.timed.start("f", name) }
        for name in ["p", "q"] { try await bench.timed.send("poke", to: name) }
        try await bench.repair("s", .suspend)
        let fixed = old.replacing("1 / context.n", with: "5").replacing("a: {on", with: "b: {on")
            .replacing("initial: a", with: "initial: b")
        try await bench.engine.apply(fixed, syntax: .yaml)
        let plan = MigrationPlan(map: ["a": "b"])
        #expect(try await bench.migrate("p", plan).status == .failed)
        let failure = try #require(try await bench.engine.instance(named: "p").failure)
        #expect(failure.reason.event == "count")
        // The failure's line is that of the version in which the instance has failed.
        let groups = try await bench.engine.failures(of: [], by: .test).groups.sorted { $0.version < $1.version }
        #expect(groups.map(\.version) == [1, 2] && groups.map(\.failedVersion) == [nil, 1])
        try await bench.expectFolded("p")
        #expect(try await bench.repair("p", .retry).status == .running)
        #expect(try await bench.timed.context("n", of: "p") == 5)
        #expect(try await bench.migrate("s", plan).status == .suspended)
        #expect(try await bench.repair("s", .resume).to == ["b"])
        // This migrates and retries in one go.
        let both = try await bench.migrate("q", plan, retries: true, key: "k")
        #expect(both.status == .running && both.fromSeq.rawValue == 3 && both.seq.rawValue == 5)
        #expect(try await bench.history("q", from: 4) == ["migrated rename", "retried count"])
        let again = try await bench.migrate("q", plan, retries: true, key: "k")
        #expect(again.isRepeated && again.seq == both.seq && again.context == both.context)
        #expect(await bench.toldMigration("q", plan, key: "k").hasPrefix("keyReused"))
        for name in ["p", "q", "s"] { try await bench.expectFolded(name) }
    }

    @Test func aRetryThatWouldFailAgainChangesNothing() async throws {
        let old = """
            id: f
            initial: a
            context: {n: 0}
            states:
              a: {on: {poke: {actions: {send: count}}, count: {actions: {assign: {n: 1 / context.n}}}}}
            """
        let bench = try await TaskBench(old)
        try await bench.timed.start("f", "p")
        try await bench.timed.send("poke", to: "p")
        try await bench.engine.apply(old.replacing("1 / context.n", with: "2 / context.n"), syntax: .yaml)
        let before = try await bench.timed.record("p")
        #expect(
            await bench.toldMigration("p", retries: true)
                == "expressionFailed: p would fail again in version 2 and was left: 'count' was undone: 'assign n: 2 / "
                + "context.n' of state 'a', line 5, failed: division by zero")
        #expect(try await bench.timed.record("p") == before)
        // No state would take there the event that the instance has failed on.
        try await bench.engine.apply(old + "\n  c: {}", syntax: .yaml)
        #expect(
            await bench.toldMigration("p", to: 3, MigrationPlan(map: ["a": "c"]), retries: true)
                == "misfit: p does not fit version 3: count: 'c' of version 3 does not take what it failed on; migrate "
                + "and skip it")
        #expect(try await bench.timed.record("p") == before)
        // The retry sees the values that the migration assigns.
        let answer = try await bench.migrate("p", to: 2, MigrationPlan(assign: ["n": "2"]), retries: true)
        #expect(answer.status == .running && answer.context == ["n": 1])
        try await bench.expectFolded("p")
    }

    @Test func invocationsGoOnOrAreCancelled() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "p")
        try await bench.timed.start("order", "q")
        let task = try #require(try await bench.lease("charge", max: 1).first)
        let renamed = TaskBench.order.replacing("paying", with: "billing").replacing(
            "packing:", with: "packing:\n    description: as before")
        try await bench.engine.apply(renamed, syntax: .yaml)
        let plan = MigrationPlan(map: ["paying": "billing"])
        let effects = try await bench.effects()
        // The id of an invocation is that of its state.
        #expect(
            await bench.toldMigration("p", plan)
                == "misfit: p does not fit version 2: paying: invocation 'paying' runs, and version 2 has none of this "
                + "id there; --cancel-invocations")
        let named = renamed.replacing("      task: charge", with: "      id: paying\n      task: charge")
        try await bench.engine.apply(named, syntax: .yaml)
        #expect(try await bench.migrate("p", to: 3, plan).to == ["billing"])
        #expect(try await bench.effects() == effects)
        try await bench.report(.completed(["id": 1]), task)
        #expect(try await bench.state("p") == "packing")
        #expect(try await bench.timed.context("receipt", of: "p") == ["id": 1])
        var cancelling = plan
        cancelling.cancelsInvocations = true
        let answer = try await bench.migrate("q", to: 2, cancelling)
        #expect(try #require(answer.migration).told.cancelled == ["paying"])
        for name in ["p", "q"] { try await bench.expectFolded(name) }
    }
}
