import IdentityTesting
import SQLiteStore
import Statechart
import StoreTesting
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// An engine with a machine that hands out tasks, and a worker for it.
struct TaskBench {
    static let order = """
        id: order
        initial: paying
        context: {amount: 5, receipt: null, why: null}
        states:
          paying:
            invoke:
              task: charge
              input: {amount: context.amount}
              retry: {attempts: 3, first: 10s, jitter: 0, except: [declined]}
              timeout: 10m
              onDone: {target: packing, actions: {assign: {receipt: event.data}}}
              onError: {target: rejected, actions: {assign: {why: event.data}}}
            on: {stop: rejected}
          packing:
            invoke: [{id: pack, task: stock}, {id: label, task: print}]
            on: {done.invoke.pack: shipped}
          shipped: {type: final}
          rejected: {on: {again: paying}}
        """

    /// A machine that fails on a result that no transition takes.
    static let strict = """
        id: strict
        initial: a
        context: {n: 0}
        states:
          a:
            invoke: [{id: one, task: x}, {id: two, task: y, retry: {attempts: 1}}]
            on:
              done.invoke.one: {actions: {assign: {n: context.n + 1}}}
              bad: {actions: {send: {event: worse}}}
              worse: {actions: {assign: {n: 1 / context.n}}}
        """

    let timed: TimedEngine
    var engine: Engine { timed.engine }

    init(
        _ definitions: String..., limits: EngineLimits = EngineLimits(), clock: any WallClock = HandClock(),
        executors: [any EffectExecutor] = []
    ) async throws {
        timed = try await TimedEngine(limits: limits, clock: clock, executors: executors)
        for definition in [Self.order, Self.strict] + definitions { try await engine.apply(definition, syntax: .yaml) }
    }

    /// Leases tasks; does not wait by default.
    func lease(
        _ queue: String, max: Int = 10, seconds: Int64 = 30, wait: Duration = .zero
    ) async throws(Rejection) -> [LeasedTask] {
        try await engine.lease(
            LeaseTasksCommand(queue: queue, max: max, milliseconds: seconds * 1_000, worker: "w", by: .test),
            wait: wait)
    }

    /// Asks for one task of `charge` and waits for it, concurrently with the test.
    func waiting() -> Task<[LeasedTask], any Error> {
        let engine = engine
        return Task {
            try await engine.lease(
                LeaseTasksCommand(queue: "charge", max: 1, milliseconds: 30_000, worker: "w", by: .test),
                wait: .seconds(100))
        }
    }

    /// Leases the only task of a queue.
    func task(_ queue: String, seconds: Int64 = 30) async throws -> LeasedTask {
        let tasks = try await lease(queue, seconds: seconds)
        try #require(tasks.count == 1)
        return tasks[0]
    }

    @discardableResult
    func report(_ report: EndTaskCommand.Report, _ task: LeasedTask) async throws(Rejection) -> Timestamp? {
        try await engine.report(EndTaskCommand(task: task.token, report: report, by: .test))
    }

    func fail(_ task: LeasedTask, _ type: String = "broken", canRetry: Bool = true, after: Int64? = nil) async throws {
        try await report(
            .failed(TaskFailure(type: type, message: "m", canRetry: canRetry, retryAfter: after)), task)
    }

    /// Returns the kind of a report's rejection; `none` if it is accepted.
    func rejection(of report: EndTaskCommand.Report, _ task: LeasedTask) async -> String {
        await timed.rejection { () throws(Rejection) in try await self.report(report, task) }
    }

    func state(_ name: String) async throws -> String { try await timed.record(name).state.configuration }

    /// Returns the effects in the store, without the ended ones.
    func effects() async throws -> [EffectRecord] {
        try await timed.store.effects(EffectQuery(limit: 1_000), in: .default).effects.map(\.effect)
    }

    /// Expects that a verification of everything finds nothing.
    func expectWhole(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let all = try await findings()
        #expect(all == [], sourceLocation: sourceLocation)
    }

    /// Returns the findings of a verification.
    ///
    /// - Parameters:
    ///   - instance: The instance; `nil` for everything.
    ///   - reopening: True if the engine was stopped.
    func findings(of instance: InstanceName? = nil, reopening: Bool = false) async throws -> [String] {
        let found = Collected<String>()
        let store: any StoreReader = reopening ? try SQLiteFile.open(at: timed.folder.path + "/wfd.db") : timed.store
        let report: Verification.Report = { event in
            if case .inconsistency(let inconsistency) = event { found.add("\(inconsistency)") }
        }
        let verification = try Verification(of: store)
        if let instance {
            _ = try await verification.run(instance: InstanceKey(instance, in: .default), report)
        } else {
            _ = try await verification.run(report)
        }
        return found.all
    }
}
