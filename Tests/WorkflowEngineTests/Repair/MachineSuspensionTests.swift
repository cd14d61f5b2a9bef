import IdentityTesting
import Statechart
import StoreTesting
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests a suspended machine: nothing starts, nothing comes to its instances, and an instance with a due item gets a
/// row.
@Suite(.timeLimit(.minutes(20))) struct MachineSuspensionTests {
    private static let job = """
        id: job
        initial: a
        context: {n: 0, got: null}
        states:
          a:
            invoke: {id: two, task: y, retry: {attempts: 3, first: 10s, jitter: 0}}
            after: {5m: {actions: {assign: {n: context.n + 1}}}}
            on:
              done.invoke.two: {actions: {assign: {got: event.data}}}
              poke: {actions: {send: bad}}
              bad: {actions: {assign: {n: 10 / context.n}}}
              go: b
              end: c
          b: {after: {1h: a}}
          c: {type: final}
        """
    private static let quiet = "id: quiet\ninitial: a\nstates: {a: {on: {go: b}}, b: {}}"

    private static func bench(_ instances: String...) async throws -> TaskBench {
        let bench = try await TaskBench(job, quiet)
        for name in instances { try await bench.timed.start("job", name) }
        return bench
    }

    private static func minutes(_ count: Int64) -> Int64 { count * 60_000 }

    // MARK: Callers

    @Test func startsAndEventsAreRefusedAtOnceAndOtherMachinesGoOn() async throws {
        let bench = try await Self.bench("j", "k", "done")
        try await bench.timed.send("end", to: "done")
        try await bench.timed.send("go", to: "k", key: "1")
        let settled = try await bench.suspendMachine()
        #expect(settled.setting.isSuspended && settled.latest == 1)
        #expect(
            await bench.toldOfStart("job")
                == "machineSuspended: Machine 'job' is suspended: nothing starts until it is resumed")
        #expect(
            await bench.toldOfSend("go", to: "j")
                == "machineSuspended: j, in state 'a' (seq 1), takes no events: machine 'job' is suspended until it is "
                + "resumed")
        #expect(await bench.toldOfSend("go", to: "j", isDryRun: true).hasPrefix("machineSuspended: "))
        #expect(await bench.toldOfSend("go", to: "done").hasPrefix("finished: "))
        // A command that was answered gets the same answer again.
        #expect(try await bench.timed.send("go", to: "k", key: "1").isRepeated)
        try await bench.timed.start("quiet", "q")
        let together = ["q", "j"].map {
            SendCommand(instance: InstanceName(rawValue: $0), event: Event(name: "go", data: nil), by: .test)
        }
        let told = await bench.timed.rejection { () throws(Rejection) in
            _ = try await bench.engine.sendTogether(together)
        }
        #expect(told == "machineSuspended")
        for name in ["q", "j"] { #expect(try await bench.history(name) == ["started init"]) }
        #expect(bench.engine.suspendedMachines(by: .test).map(\.key.name) == ["job"])
        try await bench.resumeMachine()
        try await bench.timed.start("job", "new")
        try await bench.timed.send("go", to: "j")
        #expect(bench.engine.suspendedMachines(by: .test).isEmpty)
        try await bench.expectSound("j")
    }

    /// The flag is on disk, so a restart does not change it.
    @Test func aRestartChangesNothing() async throws {
        let bench = try await Self.bench("j")
        try await bench.suspendMachine()
        try await bench.timed.restart()
        #expect(await bench.toldOfSend("go", to: "j").hasPrefix("machineSuspended: "))
        #expect(await bench.toldOfStart("job").hasPrefix("machineSuspended: "))
        #expect(bench.engine.suspendedMachines(by: .test).map(\.key.name) == ["job"])
        try await bench.timed.stop()
    }

    /// A run that has ended resumes nothing again.
    @Test func theNameOfAnEarlierRunResumesNothing() async throws {
        let bench = try await Self.bench("j")
        try await bench.suspendMachine()
        try await bench.resumeMachine()
        try await bench.suspendMachine()
        let told = await #expect(throws: Rejection.self) {
            _ = try await bench.engine.resume(machine: "job", run: "on", reason: nil, by: .test)
        }
        #expect(told?.code == .keyReused)
        #expect(bench.engine.suspendedMachines(by: .test).map(\.key.name) == ["job"])
    }

    /// The time, the person and the reason are those of the first request.
    @Test func callersAreToldWhyItIsSuspended() async throws {
        let bench = try await Self.bench("j")
        let begin = bench.engine.now
        for reason in ["the till is broken", "once more"] {
            _ = try await bench.engine.suspend(machine: "job", reason: reason, by: .test)
        }
        #expect(
            await bench.toldOfStart("job")
                == "machineSuspended: Machine 'job' is suspended: nothing starts until it is resumed "
                + "(the till is broken)")
        #expect(await bench.toldOfSend("go", to: "j").hasSuffix(" until it is resumed (the till is broken)"))
        try await bench.timed.restart()
        let suspension = bench.engine.suspendedMachines(by: .test).first?.suspension
        #expect(suspension == MachineSuspension(at: begin, by: Caller.test.actor, reason: "the till is broken"))
        try await bench.resumeMachine()
        #expect(try await bench.engine.setting(of: "job", by: .test).suspension == nil)
        try await bench.timed.stop()
    }

    // MARK: What is due

    @Test func aTimerThatIsDueIsARowAndComesAtItsTimeWhenTheMachineIsResumed() async throws {
        let bench = try await Self.bench("j")
        let begin = try await bench.timed.record("j").updated
        try await bench.suspendMachine()
        try await bench.timed.pass(Self.minutes(4))
        #expect(try await bench.history("j") == ["started init"])
        try await bench.timed.pass(Self.minutes(3))
        #expect(try await bench.history("j") == ["started init", "suspended suspend"])
        let row = try #require(try await bench.timed.rows("j").last)
        #expect(row.actor == "machine" && row.note == #"{"reason":"machine"}"#)
        #expect(row.at.rawValue - begin.rawValue == Self.minutes(5) && row.real == bench.timed.clock.now())
        #expect(try await bench.timed.record("j").status == .suspended)
        try await bench.expectSound("j")
        try await bench.timed.restart(after: Self.minutes(60))
        #expect(try await bench.history("j").count == 2)
        let run = try await bench.resumeMachine(reason: "OPS-1")
        #expect(run.record.selected == 1 && run.outcome.count(of: .done) == 1)
        try await bench.timed.settle()
        #expect(try await bench.history("j", from: 3) == ["resumed resume", "timer after.5m.a"])
        let rows = try await bench.timed.rows("j").suffix(2)
        #expect(rows.map { $0.at.rawValue - begin.rawValue } == [5, 5].map(Self.minutes))
        #expect(rows.first?.note == #"{"reason":"OPS-1","run":"on"}"#)
        #expect(try await bench.timed.context("n", of: "j") == 1)
        try await bench.expectSound("j")
    }

    @Test func whatWasLeftOfAnEventWaitsToo() async throws {
        var limits = EngineLimits()
        limits.brake = nil
        let bench = try await TaskBench(
            "id: job\ninitial: a\nstates: {a: {on: {go: {actions: {send: go}}}}}", limits: limits)
        try await bench.timed.start("job", "j")
        try await bench.timed.send("go", to: "j")
        try await bench.suspendMachine()
        try await eventually("it is suspended") { try await bench.timed.record("j").status == .suspended }
        let seq = try await bench.timed.record("j").seq
        try await bench.resumeMachine()
        try await eventually("it goes on") { try await bench.timed.record("j").seq.rawValue > seq.rawValue + 100 }
        try await bench.timed.stop()
    }

    @Test func aResultWaits() async throws {
        let bench = try await Self.bench("j")
        let task = try await bench.task("y", seconds: 3_600)
        try await bench.suspendMachine()
        try await bench.timed.pass(Self.minutes(1))
        try await bench.report(.completed("r"), task)
        #expect(try await bench.history("j") == ["started init", "suspended suspend"])
        #expect(try await bench.effects().map(\.state) == [.answered])
        try await bench.expectSound("j")
        try await bench.timed.restart(after: Self.minutes(1))
        try await bench.resumeMachine()
        #expect(try await bench.history("j", from: 3) == ["resumed resume", "result done.invoke.two"])
        #expect(try await bench.timed.context("got", of: "j") == "r")
        #expect(try await bench.effects().isEmpty)
        try await bench.expectSound("j")
    }

    // MARK: Effects

    /// The instances have no row about it: nothing is due for the instances themselves.
    @Test func noTaskIsHandedOutWhateverTheInstanceIs() async throws {
        let bench = try await Self.bench("j", "failed")
        try await bench.timed.send("poke", to: "failed")
        #expect(try await bench.timed.record("failed").status == .failed)
        try await bench.suspendMachine()
        #expect(try await bench.lease("y").isEmpty)
        #expect(try await bench.effects().map(\.state) == [.held, .held])
        #expect(try await bench.effects().allSatisfy { $0.error?.contains("its machine is suspended") == true })
        #expect(try await bench.timed.record("j").status == .running)
        try await bench.timed.restart()
        #expect(try await bench.lease("y").isEmpty)
        try await bench.resumeMachine()
        #expect(try await bench.lease("y").map(\.instance).sorted { $0.rawValue < $1.rawValue } == ["failed", "j"])
        try await bench.expectWhole()
        try await bench.timed.stop()
    }

    @Test func whatARepairBeginsWaitsToo() async throws {
        let bench = try await Self.bench("j")
        try await bench.timed.send("go", to: "j")
        try await bench.suspendMachine()
        try await bench.reset("j", to: 1, invocations: .again)
        #expect(try await bench.effects().map(\.state) == [.held])
        #expect(try await bench.lease("y").isEmpty)
        try await bench.resumeMachine()
        #expect(try await bench.lease("y").map(\.instance) == ["j"])
        try await bench.timed.stop()
    }

    @Test func whatTheDaemonDoesItselfDoesNotStart() async throws {
        let servant = Servant(places: 1)
        let bench = try await TaskBench(
            """
            id: job
            initial: a
            states:
              a: {invoke: {id: run, task: q, onDone: b}}
              b: {type: final}
            """, executors: [servant])
        for name in ["j-1", "j-2", "j-3"] { try await bench.timed.start("job", name) }
        try await eventually("the first has begun") { servant.open == 1 }
        try await bench.suspendMachine()
        try await servant.end(nil, .done(1))
        // The result waits, and its place is free: nothing takes it.
        try await eventually("the others are held") {
            try await bench.effects().map(\.state.rawValue).sorted() == ["answered", "held", "held"]
        }
        #expect(servant.begun.count == 1)
        try await bench.resumeMachine()
        for _ in 1...2 { try await servant.end(nil, .done(1)) }
        try await eventually("all are done") { try await bench.effects().isEmpty }
        #expect(try await bench.status(of: ["j-1", "j-2", "j-3"]) == [.done, .done, .done])
        try await bench.timed.stop()
    }

    // MARK: Operators

    @Test func aResumeIsForThoseThatTheMachineHasSuspended() async throws {
        let names = ["due", "changed", "person", "later", "running"]
        let bench = try await Self.bench("due", "changed", "person", "later", "running")
        try await bench.timed.send("go", to: "running")
        try await bench.repair("person", .suspend)
        try await bench.suspendMachine()
        try await bench.timed.pass(Self.minutes(6))
        #expect(try await bench.status(of: names) == [.suspended, .suspended, .suspended, .suspended, .running])
        // A command for a suspended instance does not change who has suspended it.
        try await bench.set("changed", ["n": 7])
        try await bench.repair("later", .cancel(runsActions: false))
        #expect(
            await bench.told("due", .resume)
                == "machineSuspended: due, in state 'a' (seq 2), takes no events: machine 'job' is suspended until it "
                + "is resumed")
        #expect(try await bench.engine.countSuspended(byMachine: "job", by: .test) == 2)
        let run = try await bench.resumeMachine()
        #expect(run.record.selected == 2 && run.outcome.count(of: .done) == 2 && run.outcome.total == 2)
        try await bench.timed.settle()
        #expect(try await bench.status(of: names) == [.running, .running, .suspended, .cancelled, .running])
        #expect(try await bench.timed.context("n", of: "changed") == 8)
        for name in names { try await bench.expectSound(name) }
    }

    @Test func aRetryTakesItsEventAndTheRestWaits() async throws {
        let bench = try await Self.bench("j")
        let task = try await bench.task("y", seconds: 3_600)
        try await bench.timed.send("poke", to: "j")
        try await bench.report(.completed("r"), task)
        try await bench.suspendMachine()
        try await bench.set("j", ["n": 5])
        #expect(try await bench.repair("j", .retry).status == .running)
        #expect(try await bench.history("j", from: 4) == ["set set", "retried bad", "suspended suspend"])
        #expect(try await bench.timed.context("n", of: "j") == 2)
        try await bench.resumeMachine()
        #expect(try await bench.history("j", from: 7) == ["resumed resume", "result done.invoke.two"])
        try await bench.expectSound("j")
    }

    /// The flag and the run are one transaction, so a stop between them is impossible, and the run continues.
    @Test func aResumeGoesOnAfterARestart() async throws {
        let bench = try await Self.bench()
        for number in 0..<700 { try await bench.timed.start("job", "j-\(number)") }
        try await bench.suspendMachine()
        try await bench.timed.pass(Self.minutes(6))
        let (settled, run) = try await bench.engine.resume(machine: "job", run: "on", reason: nil, by: .test)
        #expect(!settled.setting.isSuspended && run.record.selected == 700)
        try await bench.timed.restart()
        let ended = try await bench.ended("on")
        #expect(ended.outcome.count(of: .done) == 700 && ended.outcome.total == 700)
        // Said again it tells the same, and changes nothing.
        let again = try await bench.engine.resume(machine: "job", run: "on", reason: nil, by: .test)
        #expect(again.1.record == ended.record && !again.0.setting.isSuspended)
        try await bench.timed.stop()
    }

    /// An earlier run is no way around the suspension.
    @Test func aRunThatResumesIsRefusedWhileTheMachineIsSuspended() async throws {
        let bench = try await Self.bench("j")
        try await bench.suspendMachine()
        try await bench.timed.pass(Self.minutes(6))
        let request = BulkRequest(
            action: .repair(.resume), targets: .selection(BulkSelection(machines: ["job"], statuses: [.suspended])))
        let rehearsal = try await bench.engine.rehearse(request, [], by: .test)
        #expect(rehearsal.selected == 1 && rehearsal.outcome.count(of: .refused) == 1)
        _ = try await bench.engine.begin(run: "r", request, [], by: .test)
        let run = try await bench.ended("r")
        #expect(run.outcome.count(of: .refused) == 1)
        #expect(run.outcome.told.first?.message?.contains("machine 'job' is suspended") == true)
        #expect(try await bench.history("j") == ["started init", "suspended suspend"])
        try await bench.timed.stop()
    }

    @Test func anUnknownMachineIsTold() async throws {
        let bench = try await Self.bench()
        let told = await bench.timed.rejection { () throws(Rejection) in
            _ = try await bench.engine.suspend(machine: "jib", reason: nil, by: .test)
        }
        #expect(told == "machineNotFound")
        try await bench.timed.stop()
    }
}

extension TaskBench {
    @discardableResult
    fileprivate func suspendMachine() async throws -> SettledMachine {
        try await engine.suspend(machine: "job", reason: nil, by: .test)
    }

    /// Resumes the machine, and waits for the end of the run `on`, or of one with another name.
    @discardableResult
    fileprivate func resumeMachine(reason: String? = nil) async throws -> BulkView {
        let (settled, run) = try await engine.resume(machine: "job", run: "on", reason: reason, by: .test)
        #expect(!settled.setting.isSuspended)
        return try await ended(run.record.key.name)
    }

    fileprivate func ended(_ run: String) async throws -> BulkView {
        try await eventually("the run has ended") {
            try await engine.run(named: run, by: .test).record.state == .done
        }
        return try await engine.run(named: run, by: .test)
    }

    fileprivate func status(of names: [String]) async throws -> [InstanceStatus] {
        var statuses: [InstanceStatus] = []
        for name in names { statuses.append(try await timed.record(name).status) }
        return statuses
    }

    fileprivate func toldOfStart(_ machine: String) async -> String {
        do throws(Rejection) {
            try await timed.start(machine)
            return "none"
        } catch {
            return "\(error.kind): \(error.message)"
        }
    }

    fileprivate func toldOfSend(_ event: String, to name: String, isDryRun: Bool = false) async -> String {
        do throws(Rejection) {
            try await timed.send(event, to: name, isDryRun: isDryRun)
            return "none"
        } catch {
            return "\(error.kind): \(error.message)"
        }
    }
}
