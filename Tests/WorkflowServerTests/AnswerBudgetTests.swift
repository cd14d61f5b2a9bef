import Synchronization
import Testing
import ThreadTesting
import WorkflowAPI

@testable import WorkflowServer  // What routes call is no part of what the daemon uses.

/// Tests the budget of answers and the places of long work, without a server.
@Suite struct AnswerBudgetTests {
    @Test(.timeLimit(.minutes(20))) func pastTheBudgetARequestIsToldToComeBack() async throws {
        let budget = AnswerBudget(limit: 100)
        let first = try await budget.reserve(60)
        let refusal = await #expect(throws: Problem.self) { _ = try await budget.reserve(60) }
        #expect(refusal?.type == .overloaded)
        #expect(refusal?.detail == "Too many large answers wait to be read by their callers")
        #expect(budget.used == 60)
        first.resize(to: 40)
        let second = try await budget.reserve(60)
        #expect(budget.used == 100)
        withExtendedLifetime((first, second)) {}
    }

    @Test(.timeLimit(.minutes(20))) func aShareThatIsGivenBackSoonIsWaitedFor() async throws {
        let budget = AnswerBudget(limit: 100)
        var first: AnswerBudget.Share? = try await budget.reserve(100)
        async let second = budget.reserve(100)
        #expect(budget.used == 100)
        withExtendedLifetime(first) {}
        first = nil
        withExtendedLifetime(try await second) { #expect(budget.used == 100) }
    }

    @Test func whatExistsIsCountedPastTheBudget() {
        let budget = AnswerBudget(limit: 100)
        let share = budget.counting(150)
        #expect(budget.used == 150 && budget.isSpent(by: 0) && budget.share(of: 1) == nil)
        share.resize(to: 0)
        #expect(budget.used == 0)
    }
}

/// Tests many callers that wait for bytes at once, of whom some leave before their turn.
@Suite struct AnswerBudgetLineTests {
    @Test(.timeLimit(.minutes(20))) func whoCameFirstHasTheNextBytes() async throws {
        let budget = AnswerBudget(limit: 100, waiting: .seconds(60))
        var held: AnswerBudget.Share? = try await budget.reserve(100)
        let order = Tally()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let share = try await budget.reserve(100)
                    order.served.withLock { $0.append(number) }
                    withExtendedLifetime(share) {}
                }
                try await eventually("it waits") { budget.waiters > number }
            }
            withExtendedLifetime(held) {}
            held = nil
            try await group.waitForAll()
        }
        #expect(order.served.withLock { $0 } == Array(0..<20))
        #expect(budget.used == 0 && budget.waiters == 0)
    }

    @Test(.timeLimit(.minutes(20))) func nobodyOvertakesOneWhoNeedsMore() async throws {
        let budget = AnswerBudget(limit: 100, waiting: .seconds(60))
        let held = try await budget.reserve(80)
        let large = Task { try await budget.reserve(90) }
        try await eventually("the first waits") { budget.waiters == 1 }
        let small = Task { try await budget.reserve(20) }
        try await eventually("the second waits") { budget.waiters == 2 }
        #expect(budget.share(of: 1) == nil)
        // The answer that stood behind it has room when it leaves.
        large.cancel()
        await #expect(throws: CancellationError.self) { _ = try await large.value }
        withExtendedLifetime((try await small.value, held)) { #expect(budget.used == 100) }
        #expect(budget.waiters == 0)
    }

    @Test(.timeLimit(.minutes(20))) func theLineHasAnEnd() async throws {
        let budget = AnswerBudget(limit: 1, waiting: .seconds(60))
        let held = try await budget.reserve(1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<AnswerLimits.waiters { group.addTask { _ = try? await budget.reserve(1) } }
            try await eventually("as many wait as may") { budget.waiters == AnswerLimits.waiters }
            let refusal = await #expect(throws: Problem.self) { _ = try await budget.reserve(1) }
            #expect(refusal?.type == .overloaded)
            group.cancelAll()
        }
        withExtendedLifetime(held) { #expect(budget.used == 1 && budget.waiters == 0) }
    }

    /// A lost turn makes its waiter, and all waiters after it, wait longer than the test may take.
    @Test(.timeLimit(.minutes(20))) func noTurnIsLostHoweverManyLeave() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        let budget = AnswerBudget(limit: 100, waiting: .seconds(600))
        let ended = Tally()
        for round in 0..<30 {
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    let mix = (seed &+ UInt64(round * 60 + number)) &* 0x9E37_79B9_7F4A_7C15
                    let waiter = Task {
                        let share = try await budget.reserve(1 + Int(mix >> 58))
                        for _ in 0..<(mix >> 40) % 4 { await Task.yield() }
                        withExtendedLifetime(share) {}
                    }
                    group.addTask {
                        if (mix >> 32) % 3 == 0 {
                            for _ in 0..<(mix >> 20) % 8 { await Task.yield() }
                            waiter.cancel()
                        }
                        let isServed = (try? await waiter.value) != nil
                        ended.count(number, isServed: isServed)
                    }
                }
            }
            #expect(budget.used == 0 && budget.waiters == 0, "seed \(seed), round \(round)")
        }
        let (served, cancelled) = (ended.served.withLock(\.count), ended.cancelled.withLock(\.count))
        #expect(served + cancelled == 1_800 && served >= 1_100 && cancelled > 0, "seed \(seed)")
    }
}

@Suite struct LongWorkTests {
    private static let start = ContinuousClock.now

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { Self.start + .milliseconds(milliseconds) }

    @Test func whoWaitsForItsCallerLosesItsPlaceToTheNext() throws {
        let places = SharedPlaces()
        let turns = (0..<LongWork.bound).compactMap { _ in places.begin(at: at(0)) }
        #expect(turns.count == LongWork.bound)
        #expect(places.begin(at: at(0)) == nil)
        places.wait(turns[2], since: at(0))
        places.wait(turns[1], since: at(10))
        // A line that is only on its way keeps the place.
        #expect(places.begin(at: at(99)) == nil)
        let next = try #require(places.begin(at: at(100)))
        #expect(places.begin(at: at(100)) == nil)
        // The one that lost it goes on when there is one again; the other has kept its own.
        #expect(places.goOn(turns[1]))
        #expect(!places.goOn(turns[2]))
        #expect(places.admit(at: at(200)) == [])
        places.end(next)
        // The work that lost its place has its turn before any new one.
        #expect(places.begin(at: at(300)) == nil)
        #expect(places.admit(at: at(300)) == [turns[2]])
        #expect(places.begin(at: at(300)) == nil)
    }

    @Test func whoGoesOnTakesThePlaceOfOneThatWaits() throws {
        let places = SharedPlaces()
        let turns = (0..<LongWork.bound).compactMap { _ in places.begin(at: at(0)) }
        for turn in turns { places.wait(turn, since: at(0)) }
        for _ in turns { #expect(places.begin(at: at(100)) != nil) }
        #expect(!places.goOn(turns[0]))
        #expect(!places.goOn(turns[1]))
        #expect(places.nextChance == nil)
        places.wait(LongWork.bound + 1, since: at(200))
        #expect(places.nextChance == at(300))
        #expect(places.admit(at: at(299)) == [])
        #expect(places.admit(at: at(300)) == [turns[0]])
        places.leave(turns[1])
        places.end(turns[0])
        #expect(places.admit(at: at(400)) == [])
    }

    /// A caller that loses its place continues in its turn, also when others leave while they wait for one.
    @Test(.timeLimit(.minutes(20))) func noPlaceIsLostHoweverManyLeave() async throws {
        let work = LongWork(patience: .microseconds(50))
        let ended = Tally()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<24 {
                group.addTask {
                    for round in 0..<30 {
                        let turn = Task {
                            let turn = try await Self.begin(work)
                            for _ in 0..<3 {
                                turn.waitsForCaller()
                                for _ in 0..<(number + round) % 16 { await Task.yield() }
                                try await turn.goOn()
                            }
                        }
                        if (number + round) % 4 == 0 {
                            for _ in 0..<round % 32 { await Task.yield() }
                            turn.cancel()
                        }
                        let isServed = (try? await turn.value) != nil
                        ended.count(number, isServed: isServed)
                    }
                }
            }
        }
        #expect(ended.served.withLock(\.count) >= 540)
        // All places are free again.
        let turns = try (0..<LongWork.bound).map { _ in try work.begin() }
        #expect(throws: Problem.self) { _ = try work.begin() }
        withExtendedLifetime(turns) {}
    }

    private static func begin(_ work: LongWork) async throws -> LongWork.Turn {
        var turn: LongWork.Turn?
        try await eventually("there is a place") {
            turn = try? work.begin()
            return turn != nil
        }
        return try #require(turn)
    }

    @Test func whatWaitsWithoutAPlaceIsBounded() {
        let places = SharedPlaces()
        var count = 0
        while let turn = places.begin(at: at(count * 1_000)), count < 1_000 {
            places.wait(turn, since: at(count * 1_000))
            count += 1
        }
        #expect(count == LongWork.bound + LongWork.parkedBound)
        places.end(1)
        #expect(places.begin(at: at(count * 1_000)) != nil)
    }
}

/// The callers that were served and those that were not, in their order.
private final class Tally: Sendable {
    let served = Mutex<[Int]>([])
    let cancelled = Mutex<[Int]>([])

    func count(_ number: Int, isServed: Bool) {
        if isServed { served.withLock { $0.append(number) } } else { cancelled.withLock { $0.append(number) } }
    }
}

/// The places, which several expressions may change.
private final class SharedPlaces {
    private var places = Places()

    func begin(at now: ContinuousClock.Instant) -> Int? { places.begin(at: now) }
    func wait(_ number: Int, since now: ContinuousClock.Instant) { places.wait(number, since: now) }
    func goOn(_ number: Int) -> Bool { places.goOn(number) }
    func admit(at now: ContinuousClock.Instant) -> [Int] { places.admit(at: now) }
    var nextChance: ContinuousClock.Instant? { places.nextChance }
    func leave(_ number: Int) { places.leave(number) }
    func end(_ number: Int) { places.end(number) }
}
