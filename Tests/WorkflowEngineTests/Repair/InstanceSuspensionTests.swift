import IdentityTesting
import Statechart
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests the time, the person and the reason of an instance's suspension, whatever has come since.
@Suite(.timeLimit(.minutes(20))) struct InstanceSuspensionTests {
    private static let job = """
        id: job
        initial: a
        context: {n: 0}
        states:
          a:
            after: {5m: {actions: {assign: {n: context.n + 1}}}}
            on: {go: b, bad: {actions: {assign: {n: 1 / context.n}}}}
          b: {on: {back: a}}
        """

    private static func bench(
        _ instances: String..., limits: EngineLimits = EngineLimits()
    ) async throws -> TaskBench {
        let bench = try await TaskBench(job, limits: limits)
        for name in instances { try await bench.timed.start("job", name) }
        return bench
    }

    private static let ada = Caller("uid:1(ada)", namespace: .default)

    @Test func itIsThatOfTheRow() async throws {
        let bench = try await Self.bench("j", "runs")
        try await bench.timed.send("go", to: "j")
        try await bench.timed.pass(1_000)
        let time = bench.timed.clock.now()
        _ = try await bench.engine.repair(RepairCommand(instance: "j", .suspend, reason: "OPS-1", by: Self.ada))
        try await bench.timed.pass(1_000)
        let found = try await bench.suspension(of: "j")
        #expect(found?.at == time && found?.actor == Self.ada.actor && found?.reason == "OPS-1")
        #expect(try await bench.suspension(of: "runs") == nil)
        try await bench.repair("j", .resume, reason: "OPS-2")
        #expect(try await bench.suspension(of: "j") == nil)
        // The suspension is shown for the past state.
        let then = try #require(try await bench.engine.instance(named: "j", after: Seq(rawValue: 3)))
        let past = try await bench.engine.suspensions(of: [then], by: .test)
        #expect(past.values.map(\.reason) == ["OPS-1"])
        try await bench.timed.stop()
    }

    @Test func whatOperatorsDoSinceDoesNotHideIt() async throws {
        let bench = try await Self.bench("j")
        let time = bench.timed.clock.now()
        try await bench.repair("j", .suspend, reason: nil)
        try await bench.timed.pass(1_000)
        for number: Int64 in 1...3 { try await bench.set("j", ["n": .int(number)]) }
        // The instance ran then, and stays suspended.
        try await bench.reset("j", to: 1)
        try await bench.set("j", ["n": 4])
        try await bench.timed.restart()
        let found = try await bench.suspension(of: "j")
        #expect(found?.at == time && found?.actor == nil && found?.reason == nil)
        #expect(try await bench.timed.record("j").status == .suspended)
        try await bench.timed.stop()
    }

    /// The instance ran in between, so it is suspended since the reset.
    @Test func aResetBringsASuspensionBack() async throws {
        let bench = try await Self.bench("j")
        try await bench.repair("j", .suspend, reason: "first")
        try await bench.repair("j", .resume)
        try await bench.timed.pass(1_000)
        let time = bench.timed.clock.now()
        try await bench.reset("j", to: 2, reason: "again")
        try await bench.set("j", ["n": 4])
        let found = try await bench.suspension(of: "j")
        #expect(found?.at == time && found?.reason == "again")
        try await bench.timed.stop()
    }

    @Test func aMachineThatIsSuspendedSaysSo() async throws {
        let bench = try await Self.bench("j")
        let begin = try await bench.timed.record("j").updated
        _ = try await bench.engine.suspend(machine: "job", reason: "the till is broken", by: .test)
        #expect(try await bench.suspension(of: "j") == nil)
        try await bench.timed.pass(7 * 60_000)
        let found = try await bench.suspension(of: "j")
        #expect(found?.at.rawValue == begin.rawValue + 5 * 60_000)
        #expect(found?.actor == "machine" && found?.reason == "machine")
        try await bench.timed.stop()
    }

    /// The reason is gone, and the rest stays.
    @Test func anErasedReasonIsNotTold() async throws {
        let bench = try await Self.bench("j")
        _ = try await bench.engine.repair(RepairCommand(instance: "j", .suspend, reason: "Bea is ill", by: Self.ada))
        let time = try #require(try await bench.suspension(of: "j")).at
        _ = try await bench.engine.redact(RedactCommand(instance: "j", reason: "r", by: .test))
        let found = try #require(try await bench.suspension(of: "j"))
        #expect(found.at == time && found.actor == Self.ada.actor && found.reason == nil)
        try await bench.timed.stop()
    }

    /// A list reads a few rows of each instance.
    @Test func whatLiesFarBackIsLeftOutOfAPage() async throws {
        var limits = EngineLimits()
        (limits.rowsOfSuspension, limits.rowsOfSuspensions) = (5, 6)
        let bench = try await Self.bench("j", "k", "l", limits: limits)
        for name in ["j", "k", "l"] { try await bench.repair(name, .suspend, reason: name) }
        for number: Int64 in 1...4 { try await bench.set("k", ["n": .int(number)]) }
        try await bench.set("l", ["n": 1])
        let views = try await bench.views("j", "k", "l")
        let told = try await bench.engine.suspensions(of: views, by: .test)
        #expect(views.map { told[$0.record.id]?.reason } == ["j", nil, "l"])
        #expect(try await bench.suspension(of: "k")?.reason == "k")
        try await bench.set("k", ["n": 5])
        #expect(try await bench.suspension(of: "k") == nil)
        try await bench.timed.stop()
    }

    @Test func nothingIsToldOfAnotherNamespace() async throws {
        let bench = try await Self.bench("j")
        try await bench.repair("j", .suspend)
        let views = try await bench.views("j")
        let other = Caller("other", namespace: NamespaceID(rawValue: 7))
        let told = await bench.timed.rejection { () throws(Rejection) in
            _ = try await bench.engine.suspensions(of: views, by: other)
        }
        #expect(told == "instanceNotFound")
        try await bench.timed.stop()
    }
}

extension TaskBench {
    fileprivate func views(_ names: InstanceName...) async throws -> [InstanceView] {
        var views: [InstanceView] = []
        for name in names { views.append(try await engine.instance(named: name, by: .test)) }
        return views
    }

    fileprivate func suspension(of name: InstanceName) async throws -> InstanceSuspension? {
        let views = try await views(name)
        return try await engine.suspensions(of: views, by: .test).values.first
    }
}
