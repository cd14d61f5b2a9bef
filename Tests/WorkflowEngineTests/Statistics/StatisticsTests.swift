import DaemonTesting
import Foundation
import IdentityTesting
import Statechart
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests statistics of a machine, compared with whole histories.
///
/// `STATISTICS_SEED` repeats a run.
@Suite(.timeLimit(.minutes(20))) struct StatisticsTests {
    private static let first = """
        id: flow
        initial: draft
        context: {n: 0, seen: null}
        on: {drop: .gone}
        states:
          draft: {on: {submit: review, note: {actions: {assign: {seen: event.data}}}}}
          review:
            type: parallel
            states:
              legal:
                initial: open
                states: {open: {on: {legal: ok}}, ok: {on: {again: open}}}
              money:
                initial: open
                states: {open: {on: {money: ok}, after: {PT1H: ok}}, ok: {on: {again: open}}}
            on: {back: draft, pay: paying}
          paying:
            on:
              break: {actions: {send: boom}}
              boom: {actions: {assign: {n: 1 / context.n}}}
              paid: shipped
              wait: {actions: {send: {event: late, delay: 10m, misfire: {skip: 1h}}}}
              late: draft
            after: {PT2H: {target: draft, misfire: {skip: 30m}}}
          shipped: {type: final}
          gone: {type: final}
        """
    private static let second = first.replacing("paying", with: "billing")

    /// Several instances that live at random.
    private struct Life {
        let bench: TaskBench
        var random: SeededRandom
        var names: [String] = []
        /// True if instances are deleted and redacted.
        var erases = true

        init(_ seed: UInt64, limits: StatisticsLimits) async throws {
            var all = EngineLimits()
            all.statistics = limits
            random = SeededRandom(seed: seed)
            bench = try await TaskBench(StatisticsTests.first, StatisticsTests.second, limits: all)
        }

        /// Carries out random commands; one that does not fit is passed over.
        mutating func go(_ steps: Int) async throws {
            let events = [
                "submit", "note", "legal", "money", "again", "back", "pay", "break", "paid", "wait", "submit", "drop",
            ]
            for _ in 0..<steps {
                let time = Int64.random(in: 0...2_000_000, using: &random)
                if Int.random(in: 0..<4, using: &random) == 0 { try await bench.timed.pass(time) }
                if names.count < 12, Int.random(in: 0..<4, using: &random) == 0 {
                    names.append("f-\(names.count)")
                    _ = try await bench.engine.start(
                        StartCommand(
                            machine: "flow", version: MachineVersion(rawValue: Int64.random(in: 1...2, using: &random)),
                            instance: names.last))
                }
                guard let name = names.randomElement(using: &random) else { continue }
                let event = events.randomElement(using: &random) ?? ""
                do throws(Rejection) {
                    switch Int.random(in: 0..<30, using: &random) {
                    case 0: try await bench.migrate(name, to: 2, MigrationPlan(map: ["paying": "billing"]))
                    case 1: try await bench.migrate(name, to: 1, MigrationPlan(map: ["billing": "paying"]))
                    case 2: try await bench.reset(name, to: 2)
                    case 3: try await bench.repair(name, .suspend)
                    case 4: try await bench.repair(name, .resume)
                    case 5: try await bench.repair(name, .retry)
                    case 6: try await bench.repair(name, .skip)
                    case 7: try await bench.repair(name, .set(ContextChange(set: ["n": 1], unset: [])))
                    case 8 where names.count > 8: try await bench.repair(name, .cancel(runsActions: true))
                    case 9 where erases:
                        _ = try await bench.engine.redact(
                            RedactCommand(
                                instance: InstanceName(rawValue: name), seqs: SeqSet([2...5]), reason: "r", by: .test))
                    default: try await bench.timed.send(event, ["x": 1], to: name)
                    }
                } catch {
                    continue
                }
            }
        }

        func statistics(_ query: StatisticsQuery = StatisticsQuery(machine: "flow")) async throws -> MachineStatistics {
            try await bench.engine.statistics(query, by: .test)
        }

        func oracle(
            since: Timestamp? = nil, version: Int64? = nil
        ) async throws -> StatisticsOracle {
            var oracle = StatisticsOracle(since: since)
            let wanted = try await bench.engine.machine(
                named: "flow", version: version.map(MachineVersion.init(rawValue:)), by: .test)
            for name in names {
                let record = try await bench.timed.record(name)
                let isLive = [.running, .failed, .suspended].contains(record.status)
                oracle.add(try await bench.timed.rows(name), isLive: isLive) {
                    version == nil || $0.machineID == wanted.id
                }
            }
            return oracle
        }
    }

    private static func seed() -> UInt64 {
        let given = ProcessInfo.processInfo.environment["STATISTICS_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0...UInt64(UInt32.max))
        print("statistics: STATISTICS_SEED=\(seed)")
        return seed
    }

    /// Bounds as in the daemon, and bounds with which nothing is remembered.
    private static let bounds: [StatisticsLimits] = {
        var small = StatisticsLimits()
        small.openStays = 6
        small.sliceBytes = 1_000
        small.page = 2
        small.moveBytes = 4_000
        return [StatisticsLimits(), small]
    }()

    @Test(arguments: bounds.indices) func theNumbersAreThoseOfTheHistories(bounds: Int) async throws {
        let seed = Self.seed()
        var life = try await Life(seed, limits: Self.bounds[bounds])
        for round in 0..<6 {
            try await life.go(120)
            let mistakes = try await life.oracle().mistakes(of: life.statistics())
            #expect(mistakes == [], "STATISTICS_SEED=\(seed), round \(round)")
            let one = StatisticsQuery(machine: "flow", version: 1)
            let ofOne = try await life.oracle(version: 1).mistakes(of: life.statistics(one))
            #expect(ofOne == [], "STATISTICS_SEED=\(seed), round \(round), version 1")
            if round == 2 { try await life.bench.timed.restart() }
        }
    }

    @Test(arguments: bounds.indices) func rowsOfAWindowAreCounted(bounds: Int) async throws {
        let seed = Self.seed()
        var life = try await Life(seed, limits: Self.bounds[bounds])
        try await life.go(200)
        let middle = life.bench.timed.clock.now()
        try await life.go(200)
        let asked = Timestamp(rawValue: middle.rawValue + 500)
        let told = try await life.statistics(StatisticsQuery(machine: "flow", since: asked))
        let since = try #require(told.query.since)
        let now = life.bench.timed.clock.now().rawValue
        #expect(since <= asked && asked.rawValue - since.rawValue <= (now - asked.rawValue) / 24)
        #expect(try await life.oracle(since: since).mistakes(of: told) == [], "STATISTICS_SEED=\(seed)")
        #expect(told.rows > 0)
    }

    @Test func onlyNewRowsAreReadAgain() async throws {
        var life = try await Life(7, limits: StatisticsLimits())
        life.erases = false
        try await life.go(150)
        let first = try await life.statistics()
        #expect(first.read == first.rows && first.rows > 50)
        let again = try await life.statistics()
        #expect(again.read == 0 && again.states == first.states)
        try await life.bench.timed.start("flow", "late")
        life.names.append("late")
        try await life.bench.timed.send("submit", to: "late")
        let third = try await life.statistics()
        #expect(third.read == 2 && third.rows == first.rows + 2)
        #expect(try await life.oracle().mistakes(of: third) == [])
        // Another engine knows nothing yet.
        try await life.bench.timed.restart()
        let anew = try await life.statistics()
        #expect(anew.read == third.rows && anew.states == third.states && anew.transitions == third.transitions)
    }

    /// Deleted rows that were counted stay counted as long as the counts are kept.
    @Test func deletedInstancesAreNotCountedAnew() async throws {
        var life = try await Life(11, limits: StatisticsLimits())
        life.erases = false
        try await life.go(150)
        let before = try await life.statistics()
        let name = InstanceName(rawValue: life.names.removeFirst())
        _ = try await life.bench.engine.delete(
            DeleteCommand(instance: name, takesUnfinished: true, reason: "r", by: .test))
        let after = try await life.statistics()
        #expect(after.rows == before.rows && after.read == 0 && after.transitions == before.transitions)
        #expect(after.states.allSatisfy { $0.longest?.instance != name })
        #expect(try await life.oracle().longest == after.longest)
        try await life.bench.timed.restart()
        let anew = try await life.statistics()
        #expect(anew.rows < before.rows)
        #expect(try await life.oracle().mistakes(of: anew) == [])
    }

    @Test func aLongReadGoesOnWithTheNextRequest() async throws {
        var limits = StatisticsLimits()
        limits.turn = .zero
        limits.sliceBytes = 1
        limits.page = 1
        var life = try await Life(13, limits: limits)
        try await life.go(60)
        var answers: [MachineStatistics] = []
        while answers.last?.isComplete != true { answers.append(try await life.statistics()) }
        let rows = try #require(answers.last).rows
        #expect(rows > 20 && answers.count > rows)
        #expect(answers.reduce(0) { $0 + $1.read } == rows)
        let done = answers.map(\.progress.done)
        #expect(done == done.sorted() && done.last == answers.last?.progress.total)
        #expect(try await life.oracle().mistakes(of: answers[answers.count - 1]) == [])
    }

    @Test func whatIsNotListedIsCounted() async throws {
        var limits = StatisticsLimits()
        limits.states = 2
        limits.transitions = 2
        limits.failures = 0
        var life = try await Life(17, limits: limits)
        try await life.go(200)
        let told = try await life.statistics()
        #expect(told.states.count == 2 && told.transitions.count == 2 && told.failures.isEmpty)
        let exact = try await life.oracle()
        let all = exact.transitions.values.reduce(0, +)
        #expect(told.others.transitions == all - told.transitions.reduce(0) { $0 + $1.count })
        #expect(told.others.failures == exact.failures.values.reduce(0, +))
        #expect(told.others.states > 0)
    }

    @Test func requestsAtOnceReadEachRowOnce() async throws {
        var life = try await Life(19, limits: StatisticsLimits())
        try await life.go(100)
        let engine = life.bench.engine
        let read = try await withThrowingTaskGroup(of: MachineStatistics.self) { group in
            for _ in 0..<8 {
                group.addTask { try await engine.statistics(StatisticsQuery(machine: "flow"), by: .test) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(read.allSatisfy { $0.isComplete && $0.rows == read[0].rows })
        #expect(read.reduce(0) { $0 + $1.read } == read[0].rows)
    }

    @Test func aMachineThatIsNotThereIsTold() async throws {
        let life = try await Life(23, limits: StatisticsLimits())
        for query in [StatisticsQuery(machine: "flaw"), StatisticsQuery(machine: "flow", version: 3)] {
            let rejection = await #expect(throws: Rejection.self) { try await life.statistics(query) }
            #expect(rejection?.code == .machineNotFound)
        }
    }
}

extension MachineStatistics {
    /// The begin of the longest stay in each state.
    fileprivate var longest: [String: Timestamp] {
        Dictionary(states.compactMap { state in state.longest.map { (state.path, $0.since) } }) { first, _ in first }
    }
}
