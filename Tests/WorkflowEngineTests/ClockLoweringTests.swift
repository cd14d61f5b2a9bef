import IdentityTesting
import SQLiteStore
import Statechart
import StoreTesting
import Synchronization
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests a clock that was three years ahead while instances continued, and the correction afterwards.
@Suite(.timeLimit(.minutes(20))) struct ClockLoweringTests {
    private static let hour: Int64 = 3_600_000
    private static let years: Int64 = 3 * 365 * 86_400_000
    private static let begin = Timestamp(rawValue: 1_700_000_000_000)
    /// The time when the clock is right again.
    private static let present = Timestamp(rawValue: begin.rawValue + 60_000)

    private static let trip = """
        id: trip
        initial: waiting
        context: {n: 0}
        states:
          waiting:
            after: {2000d: lost}
            on:
              note: {actions: {assign: {n: context.n + 1}}}
              go: travelling
              stumble: {actions: {send: {event: fall}}}
              fall: {actions: {assign: {n: 1 / (context.n - context.n)}}}
          travelling:
            after: {1h: home}
            on:
              note: {actions: {assign: {n: context.n + 1}}}
              ring: {actions: {send: {event: bell, delay: 3h}}}
              bell: {}
          home: {type: final}
          lost: {type: final}
        """

    /// Lets the clock that is ahead affect each instance except `calm`.
    private func spoiled() async throws -> TaskBench {
        let bench = try await TaskBench(Self.trip)
        let timed = bench.timed
        for name in ["calm", "noted", "gone", "home", "broken", "resting"] { try await timed.start("trip", name) }
        for name in ["failing", "waiting"] { try await timed.start("order", name) }
        try await timed.send("go", to: "home")
        try await bench.timed.restart(after: Self.years)
        try await timed.settle()
        try await timed.send("note", to: "noted")
        try await timed.send("go", to: "gone")
        try await timed.send("stumble", to: "broken")
        try await repair("resting", .suspend, timed)
        return bench
    }

    private func repair(_ name: String, _ verb: RepairCommand.Verb, _ timed: TimedEngine) async throws {
        _ = try await timed.engine.repair(RepairCommand(instance: name, verb))
    }

    /// Stops the engine, sets the clock right, accepts it, and undoes its effects.
    @discardableResult
    private func lower(_ timed: TimedEngine, at now: Timestamp = present) async throws -> ClockLowering.Report {
        try await timed.stop()
        (timed.clock as? HandClock)?.advance(now.rawValue - timed.clock.now().rawValue)
        let report = try await timed.lowerStopped()
        try await timed.reopen()
        return report
    }

    private func ahead(_ timed: TimedEngine) async throws -> [String] {
        let query = InstanceQuery(updatedAfter: timed.clock.now(), limit: 100)
        return try await timed.store.instances(query, in: .default).instances.map(\.name.rawValue).sorted()
    }

    private func dues(_ name: String, _ timed: TimedEngine) async throws -> [Int64] {
        try await timed.engine.timers(of: name).map { $0.due.rawValue }
    }

    // MARK: Instances

    @Test func everyInstanceOfALaterTimeComesDownToNow() async throws {
        let bench = try await spoiled()
        let timed = bench.timed
        let (before, calm) = (try await timed.record("gone"), try await timed.record("calm"))
        let report = try await lower(timed)
        // 'failing' and 'waiting' have timed out, each by its own time; 'home' is where its name says.
        #expect(report.instances == 7 && report.left == 0, "\(report)")
        #expect(report.furthest == Self.years - 60_000)
        #expect(try await ahead(timed).isEmpty)
        let row = try #require(try await timed.rows("gone").last)
        #expect(row.kind == .reset && row.event == "clock" && row.at == Self.present && row.real == nil)
        #expect(row.actor == Actor(rawValue: "uid:0"))
        let data = try JSONReader.value(from: try #require(row.data)).object
        #expect(data?["clock"] == .int(before.updated.rawValue - Self.present.rawValue))
        let after = try await timed.record("gone")
        #expect(after.updated == Self.present && after.entered == Self.present && after.seq == before.seq.next)
        #expect(after.state.context == before.state.context && after.status == before.status)
        #expect(try await timed.record("calm") == calm)
        for (name, status) in [("broken", InstanceStatus.failed), ("resting", .suspended), ("home", .done)] {
            #expect(try await timed.record(name).status == status)
        }
        try await bench.expectWhole()
        try await timed.stop()
    }

    /// Timers that the right clock armed keep their due times; the others are due earlier by the same time as their
    /// instances.
    @Test func whatWasArmedAheadIsDueEarlier() async throws {
        let bench = try await spoiled()
        let timed = bench.timed
        let old = Self.begin.rawValue + 2_000 * 86_400_000
        #expect(try await dues("noted", timed) == [old])
        let report = try await lower(timed)
        #expect(report.timers == 1)
        #expect(try await dues("noted", timed) == [old])
        #expect(try await dues("resting", timed) == [old])
        #expect(try await dues("gone", timed) == [Self.present.rawValue + Self.hour])
        try await timed.pass(Self.hour - 1)
        #expect(try await bench.state("gone") == "travelling")
        try await timed.pass(1)
        #expect(try await bench.state("gone") == "home")
        #expect(try await timed.rows("gone").last?.at == timed.clock.now())
        try await bench.expectWhole()
        try await timed.stop()
    }

    /// Each timer is lowered once, by the time that the clock was ahead when it was armed.
    @Test func aSecondAccidentLowersNoTimerTwice() async throws {
        let bench = try await spoiled()
        let timed = bench.timed
        try await lower(timed)
        try await timed.start("trip", "right")
        try await timed.send("go", to: "right")
        try await timed.start("trip", "late")
        let (due, ahead) = (Self.present.rawValue + Self.hour, Self.hour / 2)
        try await timed.restart(after: ahead)
        for name in ["gone", "right"] { try await timed.send("note", to: name) }
        try await timed.send("ring", to: "gone")
        try await timed.send("go", to: "late")
        #expect(try await dues("gone", timed) == [due, due + 2 * Self.hour + ahead])
        #expect(try await dues("late", timed) == [due + ahead])
        let report = try await lower(timed)
        #expect(report.instances == 3 && report.timers == 2 && report.furthest == ahead, "\(report)")
        #expect(try await dues("gone", timed) == [due, due + 2 * Self.hour])
        for name in ["right", "late"] { #expect(try await dues(name, timed) == [due], "\(name)") }
        #expect(try await lower(timed) == ClockLowering.Report())
        try await timed.pass(Self.hour)
        for name in ["gone", "right", "late"] { #expect(try await bench.state(name) == "home", "\(name)") }
        try await bench.expectWhole()
        try await timed.stop()
    }

    /// Without its timer, nothing comes to the instance any more: this is reported after the row, too.
    @Test func aTimerThatWasSkippedAheadIsToldStill() async throws {
        let bench = try await TaskBench(
            """
            id: hourly
            initial: waiting
            states:
              waiting: {after: {1h: {target: waiting, reenter: true, misfire: {skip: 10m}}}}
            """)
        let timed = bench.timed
        try await timed.start("hourly", "h")
        try await timed.restart(after: Self.years)
        try await timed.settle()
        #expect(try await lower(timed).instances == 1)
        let view = try await timed.engine.instance(named: "h")
        let skip = try #require(try await timed.engine.lastSkip(of: view, by: .test))
        #expect(skip.at == Self.present && skip.lateMilliseconds == Self.years - Self.hour)
        try await bench.expectWhole()
        try await timed.stop()
    }

    /// Everything that kept the future time continues from the present.
    @Test func whatComesNextIsOfThePresent() async throws {
        let bench = try await spoiled()
        let timed = bench.timed
        try await lower(timed)
        try await timed.pass(5_000)
        let now = timed.clock.now()
        try await timed.send("note", to: "noted")
        _ = try await timed.engine.reset(ResetCommand(instance: "gone", to: .seq(Seq(rawValue: 1)), by: .test))
        try await repair("resting", .resume, timed)
        try await repair("broken", .skip, timed)
        for name in ["noted", "gone", "resting", "broken"] {
            #expect(try await timed.rows(name).last?.at == now, "\(name)")
            #expect(try await timed.record(name).updated == now, "\(name)")
        }
        #expect(try await ahead(timed).isEmpty)
        try await bench.expectWhole()
        try await timed.restart()
        try await bench.expectWhole()
        try await timed.stop()
    }

    /// Time travel, and a reset to an earlier seq, work across the row.
    @Test func whatWasBeforeCanBeAgain() async throws {
        let bench = try await spoiled()
        let timed = bench.timed
        let before = try await timed.record("gone")
        try await lower(timed)
        let past = try #require(try await timed.engine.instance(named: "gone", after: before.seq)).record
        #expect(past.state == before.unplacedState && past.updated == before.updated)
        _ = try await timed.engine.reset(ResetCommand(instance: "gone", to: .seq(before.seq), by: .test))
        // An hour was left.
        #expect(try await dues("gone", timed) == [Self.present.rawValue + Self.hour])
        // The row itself is no migration, and nothing that 'undo' takes back.
        let undo = ResetCommand(instance: "noted", to: .beforeLast, by: .test)
        #expect(
            await timed.rejection { () async throws(Rejection) in _ = try await timed.engine.reset(undo) }
                == "notUndoable")
        try await bench.expectWhole()
        try await timed.stop()
    }

    /// The event that an instance failed on in the future has come, also if a reset brings the failure back.
    @Test(arguments: Reset.Timers.allCases)
    func aFailureOfTheFutureCanBeTriedAgain(timers: Reset.Timers) async throws {
        let bench = try await spoiled()
        let timed = bench.timed
        let failed = try await timed.record("broken").seq
        try await lower(timed)
        _ = try await timed.engine.reset(
            ResetCommand(instance: "broken", to: .seq(failed), timers: timers, by: .test))
        #expect(try await timed.record("broken").status == .failed)
        try await repair("broken", .retry, timed)
        #expect(try await timed.record("broken").updated == Self.present)
        try await bench.expectWhole()
        try await timed.stop()
    }

    /// The reason of the failure, and the person who suspended, are reported as before.
    @Test func aFailureAndASuspensionStayWhatTheyWere() async throws {
        let bench = try await spoiled()
        let timed = bench.timed
        let (failed, resting) = (try await timed.engine.instance(named: "broken"), try await timed.record("resting"))
        try await lower(timed)
        let view = try await timed.engine.instance(named: "broken")
        #expect(view.failure?.reason.message == failed.failure?.reason.message && view.failure != nil)
        #expect(view.failure?.at == Self.present)
        let suspended = try await timed.engine.instance(named: "resting")
        let found = try await timed.engine.suspensions(of: [suspended], by: .test)
        #expect(found[resting.id]?.at == Self.present)
        try await repair("broken", .retry, timed)
        #expect(try await timed.record("broken").status == .failed)
        try await bench.expectWhole()
        try await timed.stop()
    }

    @Test func aRehearsalTellsTheSameAndChangesNothing() async throws {
        let bench = try await spoiled()
        let timed = bench.timed
        try await timed.stop()
        (timed.clock as? HandClock)?.advance(Self.present.rawValue - timed.clock.now().rawValue)
        let path = timed.folder.path + "/wfd.db"
        let file = try SQLiteFile.open(at: path)
        let rehearsed = try await ClockLowering(in: file, at: Self.present).rehearse()
        let ahead = try await file.instances(InstanceQuery(updatedAfter: Self.present, limit: 100), in: .default)
        #expect(ahead.instances.count == rehearsed.instances)
        try file.close()
        #expect(try await timed.lowerStopped() == rehearsed && rehearsed.instances > 0)
        #expect(try await timed.lowerStopped() == ClockLowering.Report())
        try await timed.reopen()
        try await bench.expectWhole()
        try await timed.stop()
    }

    /// The next call completes the work that a stop has left, and no instance has two rows.
    @Test(.onePartition("a clock is lowered in a store with one partition"))
    func whatAStopLeavesIsDoneByTheNextCall() async throws {
        let (written, clock) = (FakeStore(), HandClock())
        let running = try await RunningEngine(store: written, clock: clock)
        for number in 1...5 { try await running.start("l\(number)") }
        clock.advance(Self.years)
        for number in 1...5 { _ = try await running.flip("l\(number)") }
        try await running.stop()
        clock.advance(60_000 - Self.years)
        let store = written.reopened()
        let writer = try store.writer()
        _ = try writer.acceptClock(Self.present, by: nil)
        store.fail { attempt, _ in attempt > 2 ? StoreError(.unavailable, "stopped") : nil }
        var limits = EngineLimits()
        limits.batchRows = 1
        let lowering = ClockLowering(in: store, at: Self.present, limits: limits)
        await #expect(throws: StoreError.self) { try await lowering.run(on: writer, by: nil) }
        store.fail { _, _ in nil }
        #expect(try await lowering.run(on: writer, by: nil).instances == 3)
        let rows = store.content.withLock { $0.journal.filter { $0.kind == .reset } }
        #expect(Set(rows.map(\.instanceID)).count == 5 && rows.count == 5)
        #expect(rows.allSatisfy { $0.at == Self.present })
    }

    /// Only such a row may be earlier than the one before, and only by the time that it records.
    @Test(arguments: [
        (
            "UPDATE journal SET at_ms = at_ms + 1 WHERE event = 'clock'",
            "the row does not say by how much it takes back the instance's time"
        ),
        (
            "UPDATE journal SET event = 'reset' WHERE event = 'clock'",
            "the row's time lies before that of the row before"
        ),
        (
            "UPDATE journal SET kind = 'set' WHERE event = 'clock'",
            "the row's time lies before that of the row before"
        ),
        (
            #"UPDATE journal SET data = replace(data, '"clock":', '"clocks":') WHERE event = 'clock'"#,
            "the row does not say by how much it takes back the instance's time"
        ),
    ])
    func noOtherRowMayBeEarlier(sql: String, finding: String) async throws {
        let bench = try await spoiled()
        let report = try await lower(bench.timed)
        try await bench.timed.stop()
        #expect(try await bench.findings(reopening: true) == [])
        try WrittenFile(in: bench.timed.folder).forge(sql)
        let found = try await bench.findings(reopening: true)
        #expect(found.count == report.instances && found.allSatisfy { $0.contains(finding) }, "\(found)")
    }

    // MARK: Effects

    /// An effect that began ahead starts at once. An effect that failed ahead starts after its pause. A waiting result
    /// is there.
    @Test func effectsAreDueByTheRightClock() async throws {
        let bench = try await TaskBench()
        let timed = bench.timed
        for name in ["early", "retried"] { try await timed.start("order", name) }
        let first = try await bench.lease("charge", max: 1)
        try await timed.restart(after: Self.years)
        try await timed.settle()
        // Both calls have timed out: they begin anew, with times ahead of the present.
        for name in ["early", "retried"] { try await timed.send("again", to: name) }
        #expect(first.count == 1)
        let task = try #require(try await bench.lease("charge", max: 1).first)
        try await bench.fail(task)
        #expect(try await bench.effects().allSatisfy { $0.due > Self.present })
        let report = try await lower(timed)
        #expect(report.effects == 2)
        #expect(
            try await bench.effects().map { $0.due.rawValue - Self.present.rawValue }.sorted() == [0, 10_000])
        #expect(try await bench.lease("charge").count == 1)
        try await timed.pass(9_999)
        #expect(try await bench.lease("charge").isEmpty)
        try await timed.pass(1)
        let again = try #require(try await bench.lease("charge").first)
        #expect(again.attempt == 2)
        // The timeout of ten minutes counts from the present, too.
        #expect(again.deadline == Timestamp(rawValue: Self.present.rawValue + 600_000))
        try await bench.report(.completed(1), again)
        try await bench.expectWhole()
        try await timed.stop()
    }

    private static let slow = """
        id: slow
        initial: calling
        states:
          calling: {invoke: {task: call, retry: {attempts: 3, first: 10h, limit: 10h, jitter: 0}, onDone: called}}
          called: {type: final}
        """

    /// A pause that is longer than the clock was ahead stays the same, and others are shortened only once.
    @Test func aSecondAccidentLowersNoPauseTwice() async throws {
        let bench = try await TaskBench(Self.slow)
        let timed = bench.timed
        func pauses() async throws -> [Int64] {
            try await bench.effects().map { $0.due.rawValue - Self.present.rawValue }
        }
        let (pause, ahead) = (10 * Self.hour, 2 * Self.hour)
        try await timed.start("slow", "early")
        try await timed.restart(after: ahead)
        try await bench.fail(try await bench.task("call"))
        #expect(try await lower(timed).effects == 1)
        #expect(try await pauses() == [pause])
        #expect(try await lower(timed) == ClockLowering.Report())
        #expect(try await pauses() == [pause])
        try await timed.start("slow", "right")
        try await bench.fail(try await bench.task("call"))
        try await timed.restart(after: ahead)
        try await timed.start("slow", "late")
        try await bench.fail(try await bench.task("call"))
        #expect(try await pauses() == [pause, pause, pause + ahead])
        let report = try await lower(timed)
        #expect(report.instances == 1 && report.effects == 1, "\(report)")
        #expect(try await pauses() == [pause, pause, pause])
        try await timed.pass(pause - 1)
        #expect(try await bench.lease("call").isEmpty)
        try await timed.pass(1)
        #expect(try await bench.lease("call").map(\.attempt) == [2, 2, 2])
        try await bench.expectWhole()
        try await timed.stop()
    }

    /// A result that came ahead comes before the timers that are due later.
    @Test func aResultThatWaitsIsOfThePresent() async throws {
        let bench = try await TaskBench()
        let timed = bench.timed
        try await timed.start("order", "o")
        try await timed.restart(after: Self.years)
        try await timed.settle()
        try await timed.send("again", to: "o")
        let task = try await bench.task("charge")
        try await repair("o", .suspend, timed)
        try await bench.report(.completed(1), task)
        #expect(try await bench.effects().map(\.state) == [.answered])
        try await lower(timed)
        try await repair("o", .resume, timed)
        #expect(try await bench.state("o") == "packing")
        #expect(try await timed.record("o").updated == Self.present)
        try await bench.expectWhole()
        try await timed.stop()
    }
}
