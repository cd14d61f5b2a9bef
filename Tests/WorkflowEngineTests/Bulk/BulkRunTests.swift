import IdentityTesting
import Statechart
import StoreTesting
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests one verb for many instances: each has its turn once, with a row that names the run.
@Suite(.timeLimit(.minutes(20))) struct BulkRunTests {
    @Test func aRunRetriesWhatIsSelectedAndSaysWhatBecameOfIt() async throws {
        let bench = try await BulkBench(30) { $0 % 3 == 0 }
        // Half of the failed instances can go on now.
        for number in stride(from: 0, to: 30, by: 6) {
            let change = ContextChange(set: ["by": 2], unset: [])
            _ = try await bench.engine.repair(RepairCommand(instance: "p-\(number)", .set(change), reason: "r"))
        }
        let selection = BulkSelection(machines: ["pot"], versions: [1], statuses: [.failed], failures: ["division"])
        let rehearsal = try await bench.rehearse(.repair(.retry), selection)
        #expect(rehearsal.selected == 10 && rehearsal.outcome.brief == "done 5, failed 5")
        #expect(rehearsal.places == ["counted": 5])
        #expect(try await bench.rows(of: "ops-1").count == 0)
        let expect = String(rehearsal.digest.text.prefix(6))
        let begun = try await bench.begin("ops-1", .repair(.retry), selection, expect: expect, reason: "OPS-1")
        #expect(begun.record.selected == 10)
        let run = try await bench.ended(begun)
        #expect(run.outcome.brief == "done 5, failed 5")
        #expect(run.outcome.told.first { $0.kind == .failed }?.message == "division by zero")
        #expect(try await bench.rows(of: "ops-1") == (10, 1))
        let row = try #require(try await bench.timed.rows("p-0").last)
        #expect(row.kind == .retried && row.note == #"{"reason":"OPS-1","run":"ops-1"}"#)
        #expect(run.record.ended != nil && run.record.key.name == "ops-1")
        try await bench.expectWhole()
    }

    @Test func whatIsCountedBeforehandIsWhatARehearsalMeets() async throws {
        var limits = EngineLimits()
        limits.countedPage = 1
        let bench = try await BulkBench(30, limits: limits) { $0 % 3 == 0 }
        _ = try await bench.engine.apply(BulkBench.pot.replacing("2h", with: "3h"), syntax: .yaml, by: .test)
        for number in 30..<34 { try await bench.timed.start("pot", "p-\(number)") }
        _ = try await bench.engine.apply(BulkBench.pot.replacing("id: pot", with: "id: pan"), syntax: .yaml, by: .test)
        for number in 0..<2 { try await bench.timed.start("pan", "pan-\(number)") }
        for number in stride(from: 1, to: 34, by: 6) { try await bench.timed.send("go", to: "p-\(number)") }
        let selections: [(BulkSelection, Int64)] = [
            (BulkSelection(), 36), (BulkSelection(machines: ["pot"]), 34), (BulkSelection(machines: ["pan"]), 2),
            (BulkSelection(machines: ["pan", "pot"]), 36), (BulkSelection(machines: ["pot"], versions: [1]), 30),
            (BulkSelection(machines: ["pot"], versions: [2]), 4),
            (BulkSelection(machines: ["pot"], versions: [2, 1]), 34),
            (BulkSelection(machines: ["pot"], statuses: [.failed]), 10),
            (BulkSelection(machines: ["pot"], states: ["busy"]), 6), (BulkSelection(states: ["idle"]), 30),
            (BulkSelection(machines: ["pot"], versions: [2], statuses: [.running], states: ["busy"]), 1),
            (BulkSelection(machines: ["pot"], statuses: [.failed, .running], states: ["busy", "counted"]), 6),
            (BulkSelection(statuses: [.failed, .suspended], failures: ["none", "division"]), 10),
            (BulkSelection(failures: ["division"]), 10), (BulkSelection(machines: ["pot"], olderThan: 3_600_000), 0),
        ]
        for (number, (selection, count)) in selections.enumerated() {
            // The event divides by 0, or is not accepted.
            let action = BulkAction.send(event: "count", data: nil)
            let run = try await bench.ended(try await bench.begin("r-\(number)", action, selection))
            #expect(run.record.selected == count, "\(selection)")
            #expect(run.outcome.count(of: .refused) == count, "\(selection)")
            #expect(try await bench.rehearse(action, selection).selected == count, "\(selection)")
        }
    }

    @Test func whoSuspendsAllMeetsEachOnceAlthoughTheStatusChanges() async throws {
        let bench = try await BulkBench(700) { $0 % 50 == 0 }
        let run = try await bench.ended(try await bench.begin("s", .repair(.suspend)))
        #expect(run.outcome.brief == "done 686, refused 14")
        #expect(run.outcome.told.count { $0.kind == .refused } == 14)
        #expect(try await bench.rows(of: "s") == (686, 1))
        // The suspended instances go on, and the others stay as they are.
        let on = try await bench.ended(
            try await bench.begin("on", .repair(.resume), BulkSelection(machines: ["pot"], statuses: [.suspended])))
        #expect(on.outcome.brief == "done 686" && on.outcome.told.count == 20)
        try await bench.expectWhole()
    }

    /// Finished instances have nothing to cancel, and so on, which is nobody's mistake.
    @Test func whomAVerbIsNotForIsPassedOver() async throws {
        let bench = try await BulkBench(8) { $0 < 2 }
        for name in ["p-2", "p-3"] {
            _ = try await bench.engine.repair(
                RepairCommand(instance: name, .cancel(runsActions: true), reason: "r"))
        }
        _ = try await bench.engine.repair(RepairCommand(instance: "p-4", .suspend, reason: "r"))
        let change = ContextChange(set: ["by": 2], unset: [])
        let verbs: [(RepairCommand.Verb, String)] = [
            (.set(change), "done 6, passedOver 2"), (.suspend, "done 3, refused 2, passedOver 3"),
            (.resume, "done 4, passedOver 4"), (.retry, "done 2, passedOver 6"), (.skip, "passedOver 8"),
            (.cancel(runsActions: true), "done 4, passedOver 4"),
        ]
        for (verb, outcome) in verbs {
            #expect(try await bench.rehearse(.repair(verb)).outcome.brief == outcome, "\(verb.name)")
            let run = try await bench.ended(try await bench.begin(verb.name, .repair(verb), reason: "r"))
            #expect(run.outcome.brief == outcome, "\(verb.name)")
        }
        _ = try await bench.timed.start("pot", "p-8")
        _ = try await bench.engine.apply(BulkBench.pot + "\n  more: {}", syntax: .yaml)
        let migration = BulkAction.migrate(to: 2, MigrationPlan(), retries: false)
        let first = BulkSelection(machines: ["pot"], versions: [1])
        let request = BulkRequest(action: migration, targets: .selection(first), reason: "r", isAtomic: true)
        let atomic = try await bench.ended(try await bench.engine.begin(run: "m", request, [], by: .test))
        #expect(atomic.outcome.brief == "done 1, passedOver 8")
        try await bench.expectWhole()
    }

    @Test func anotherThatTookTheNameMeanwhileIsLeftAlone() async throws {
        var limits = EngineLimits()
        limits.selectedPage = 1
        limits.batchRows = 16
        let names = (0..<6).map { InstanceName(rawValue: "p-\($0)") }
        var bench: BulkBench
        var begun: BulkView
        // A run that ends before it is stopped is begun again, on another engine.
        repeat {
            bench = try await BulkBench(6, limits: limits)
            begun = try await bench.begin("s", .repair(.suspend), names: names)
        } while try await bench.engine.stopRun(named: "s", by: .test).record.state != .stopped
        let done = try await bench.run(begun).outcome.count(of: .done)
        #expect(done < 6)
        try await bench.timed.pass(1)
        _ = try await bench.engine.delete(
            DeleteCommand(instance: "p-5", takesUnfinished: true, reason: "r", by: .test))
        try await bench.timed.start("pot", "p-5")
        _ = try await bench.engine.resumeRun(named: "s", by: .test)
        let run = try await bench.ended(begun)
        #expect(run.outcome.brief == "done 5, changed 1")
        #expect(run.outcome.told.last?.message == "it was started after the run began")
        #expect(try await bench.timed.record("p-5").status == .running)
        try await bench.expectWhole()
    }

    @Test func whoFailsOnWhatFollowsIsCounted() async throws {
        let bench = try await BulkBench(2) { _ in true }
        // Seq 2 has sent what fails: after the reset it comes again.
        for (seq, outcome) in [(2, "failed 2"), (1, "done 2")] {
            let action = BulkAction.reset(to: Seq(rawValue: Int64(seq)), timers: .left, invocations: nil)
            #expect(try await bench.rehearse(action).outcome.brief == outcome)
            let run = try await bench.ended(try await bench.begin("to-\(seq)", action, reason: "r"))
            #expect(run.outcome.brief == outcome)
            if seq == 2 { #expect(run.outcome.told.first?.message == "division by zero") }
        }
        try await bench.expectWhole()
    }

    @Test func aRehearsalTellsWhatServicesWouldHear() async throws {
        let bench = try await BulkBench(
            3,
            of: """
                id: pot
                initial: idle
                states:
                  idle: {on: {go: busy}}
                  busy: {invoke: {id: i, task: one}, on: {stop: idle, done.invoke.i: idle}}
                """)
        func told(_ action: BulkAction) async throws -> [Int64] {
            let rehearsal = try await bench.rehearse(action)
            #expect(rehearsal.outcome.brief == "done 3")
            return [rehearsal.begun, rehearsal.again, rehearsal.cancelled]
        }
        #expect(try await told(.send(event: "go", data: nil)) == [3, 0, 0])
        for number in 0..<3 { try await bench.timed.send("go", to: "p-\(number)") }
        #expect(try await told(.repair(.cancel(runsActions: true))) == [0, 0, 3])
        for number in 0..<3 { try await bench.timed.send("stop", to: "p-\(number)") }
        #expect(try await told(.reset(to: Seq(rawValue: 2), timers: .left, invocations: .again)) == [0, 3, 0])
    }

    @Test func anotherSelectionThanRehearsedDoesNothing() async throws {
        let bench = try await BulkBench(5) { $0 < 3 }
        let selection = BulkSelection(machines: ["pot"], statuses: [.failed])
        let digest = String(try await bench.rehearse(.repair(.skip), selection).digest.text.prefix(8))
        #expect(try await bench.rehearse(.repair(.retry), selection).digest.text.hasPrefix(digest))
        try await bench.timed.send("poke", to: "p-3")
        let told = try await bench.told {
            _ = try await bench.begin("a", .repair(.skip), selection, expect: digest, reason: "r")
        }
        let request = BulkRequest(action: .repair(.skip), targets: .selection(selection), expect: digest)
        #expect(try await bench.told { _ = try await bench.engine.rehearse(request, [], by: .test) } == told)
        let now = try await bench.rehearse(.repair(.skip), selection).digest.text.prefix(6)
        #expect(
            told
                == "selection-changed: The selection is no longer '\(digest)': 4 instances are selected now, with "
                + "digest "
                + "\(now); nothing was done")
        #expect(
            try await bench.told { _ = try await bench.engine.run(named: "a", by: .test) }.hasPrefix("run-not-found"))
        #expect(try await bench.rows(of: "a").count == 0)
    }

    @Test func runsThatBeginAtOnceAreNoMoreThanThereIsRoomFor() async throws {
        var limits = EngineLimits()
        limits.runsAtOnce = 2
        limits.selectedPage = 1
        let bench = try await BulkBench(100, limits: limits)
        // By their age they are counted one by one, page by page, before a run begins.
        let selection = BulkSelection(machines: ["pot"], olderThan: 0)
        let request = BulkRequest(action: .send(event: "poke", data: nil), targets: .selection(selection))
        let told = await withTaskGroup(of: String.self) { [engine = bench.engine] group in
            for number in 0..<8 {
                group.addTask {
                    do {
                        return try await engine.begin(run: "r-\(number)", request, [], by: .test).record.key.name
                    } catch {
                        return (error as? Rejection)?.message ?? "\(error)"
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let begun = told.filter { $0.hasPrefix("r-") }
        let refusal = "2 runs are under way already; nothing was changed"
        #expect(begun.count >= 2 && told.count { $0 == refusal } == 8 - begun.count && begun.count < 8, "\(told)")
        // A place is free again when a run has ended.
        try await eventually("the runs have ended") { bench.engine.runsUnderWay == 0 }
        _ = try await bench.ended(try await bench.begin("last", .send(event: "poke", data: nil), selection))
    }

    @Test func theSameRequestTellsWhereTheRunIsAndAnotherIsRefused() async throws {
        let bench = try await BulkBench(3)
        let run = try await bench.ended(try await bench.begin("a", .repair(.suspend)))
        let again = try await bench.begin("a", .repair(.suspend))
        #expect(again.record == run.record)
        let told = try await bench.told { _ = try await bench.begin("a", .repair(.resume)) }
        #expect(told == "key-reused: The name 'a' was used for another run; nothing was changed")
        #expect(try await bench.rows(of: "a") == (3, 1))
        #expect(try await bench.engine.runs(by: .test).map(\.record.key.name) == ["a"])
    }

    @Test func namedInstancesHaveTheirTurnInTheirOrderAndUnknownOnesAreTold() async throws {
        let bench = try await BulkBench(1_100)
        let names = ["gone"] + (0..<1_050).reversed().map { InstanceName(rawValue: "p-\($0)") }
        let rehearsal = try await bench.rehearse(.send(event: "go", data: nil), names: names)
        #expect(rehearsal.outcome.brief == "done 1050, refused 1" && rehearsal.places == ["busy": 1_050])
        let run = try await bench.ended(
            try await bench.begin("n", .send(event: "go", data: ["a": 1]), reason: "OPS-2", names: names))
        #expect(run.outcome.brief == "done 1050, refused 1" && run.record.selected == 1_051)
        #expect(run.outcome.told.first?.message == "There is no instance 'gone'")
        #expect(run.outcome.told[1].instance == "p-1049")
        let row = try #require(try await bench.timed.rows("p-7").last)
        #expect(row.kind == .event && row.note == #"{"reason":"OPS-2","run":"n"}"# && row.data == #"{"a":1}"#)
        #expect(try await bench.rows(of: "n") == (1_050, 1))
        try await bench.expectWhole()
    }

    @Test func aRehearsalIncludesWhatIsDueBefore() async throws {
        let bench = try await BulkBench(1)
        try await bench.timed.send("go", to: "p-0")
        #expect(try await bench.rehearse(.send(event: "go", data: nil)).outcome.brief == "refused 1")
        (bench.timed.clock as? HandClock)?.advance(3 * 3_600_000)
        #expect(try await bench.rehearse(.send(event: "go", data: nil)).places == ["busy": 1])
    }

    private static let earlier: [(JSONObject, JSONObject)] = [
        (
            ["verb": "set", "change": ["set": ["n": 1], "unset": ["a"]]],
            ["verb": "set", "set": ["n": 1], "unset": ["a"]]
        ),
        (
            ["verb": "migrate", "to": 2, "plan": ["map": ["a": "b"], "timers": "from-now"]],
            ["verb": "migrate", "to": 2, "map": ["a": "b"], "timers": "from-now"]
        ),
    ]

    @Test(arguments: earlier)
    func anActionThatWasStoredByAnEarlierBuildIsRead(stored: JSONObject, json: JSONObject) {
        #expect(BulkAction(stored)?.json == json && BulkAction(json)?.json == json)
    }

    @Test func whatAMachineRefusesIsTold() async throws {
        let bench = try await BulkBench(4) { $0 == 0 }
        let run = try await bench.ended(try await bench.begin("a", .send(event: "count", data: nil)))
        #expect(run.outcome.brief == "refused 4")
        let messages = Set(run.outcome.told.compactMap(\.message))
        #expect(messages.contains { $0.contains("has failed") } && messages.contains { $0.contains("'count' was") })
        #expect(
            try await bench.told { _ = try await bench.begin("b", .repair(.retry), BulkSelection(machines: ["none"])) }
                == "machine-not-found: There is no machine 'none'")
        let both = BulkSelection(machines: ["pot", "none"])
        #expect(
            try await bench.told { _ = try await bench.begin("b", .repair(.retry), both) }
                == "machine-not-found: There is no machine 'none'")
    }

    /// A misspelled name begins no run; a name that an older version knows does.
    @Test func anEventThatNoSelectedVersionKnowsIsRefusedBefore() async throws {
        let bench = try await BulkBench(2)
        _ = try await bench.engine.apply(BulkBench.pot.replacing("go:", with: "leave:"), syntax: .yaml, by: .test)
        try await bench.timed.start("pot", "p-2")
        let refused = "unknown-event: Machine 'pot' has no event 'leav'"
        let leav = BulkAction.send(event: "leav", data: nil)
        #expect(try await bench.told { _ = try await bench.begin("a", leav) } == refused)
        #expect(try await bench.told { _ = try await bench.rehearse(leav) } == refused)
        #expect(try await bench.engine.runs(by: .test).isEmpty)
        let go = BulkAction.send(event: "go", data: nil)
        let second = BulkSelection(machines: ["pot"], versions: [2])
        #expect(try await bench.told { _ = try await bench.begin("a", go, second) }.hasPrefix("unknown-event: "))
        #expect(try await bench.ended(try await bench.begin("a", go)).outcome.brief == "done 2, refused 1")
        // If nothing is selected, nothing is wrong.
        let failed = BulkSelection(machines: ["pot"], statuses: [.failed])
        #expect(try await bench.ended(try await bench.begin("b", leav, failed)).outcome.total == 0)
    }

    @Test func aRunGoesOnAfterARestartAndStaysStoppedWhenSomebodyStopsIt() async throws {
        var limits = EngineLimits()
        limits.batchRows = 8
        let bench = try await BulkBench(400, limits: limits)
        let begun = try await bench.begin("a", .repair(.suspend))
        try await bench.timed.restart()
        let stopped = try await bench.engine.stopRun(named: "a", by: .test)
        #expect(stopped.record.state == .stopped || stopped.record.state == .done)
        let count = try await bench.run(begun).outcome.total
        try await bench.timed.restart()
        let rested = try await bench.run(begun)
        #expect(rested.outcome.total == count && rested.record.state == stopped.record.state)
        _ = try await bench.engine.resumeRun(named: "a", by: .test)
        let run = try await bench.ended(begun)
        #expect(run.outcome.brief == "done 400")
        #expect(try await bench.rows(of: "a") == (400, 1))
        // A run that is done stays done.
        #expect(try await bench.engine.stopRun(named: "a", by: .test).record.state == .done)
        try await bench.expectWhole()
    }

    @Test func twoRunsForTheSameInstancesEachHaveTheirTurn() async throws {
        let bench = try await BulkBench(300)
        let first = try await bench.begin("a", .send(event: "go", data: nil))
        let second = try await bench.begin("b", .repair(.suspend))
        let ends = (try await bench.ended(first).outcome, try await bench.ended(second).outcome)
        #expect(ends.0.total == 300 && ends.1.brief == "done 300")
        let rows = (try await bench.rows(of: "a"), try await bench.rows(of: "b"))
        #expect(rows.0 == (Int(ends.0.count(of: .done)), ends.0.count(of: .done) == 0 ? 0 : 1))
        #expect(rows.1 == (300, 1))
        try await bench.expectWhole()
    }

    @Test func whatIsToldOfARunIsBounded() async throws {
        var limits = EngineLimits()
        limits.keptRuns = 3
        limits.runNames = 2
        limits.runBytes = 200
        let bench = try await BulkBench(1, limits: limits)
        for name in ["a", "b", "c", "d"] {
            try await bench.timed.pass(1)
            _ = try await bench.ended(try await bench.begin(name, .send(event: "count", data: nil)))
        }
        #expect(try await bench.engine.runs(by: .test).map(\.record.key.name) == ["d", "c", "b"])
        let many = try await bench.told {
            _ = try await bench.begin("e", .repair(.retry), names: ["x", "y", "z"])
        }
        #expect(many == "payload-too-large: A run names at most 2 instances; make several runs of them")
        let long = try await bench.told {
            _ = try await bench.begin("e", .repair(.retry), reason: String(repeating: "r", count: 200))
        }
        #expect(long == "payload-too-large: What a run does is at most 200 bytes of JSON")
    }
}
