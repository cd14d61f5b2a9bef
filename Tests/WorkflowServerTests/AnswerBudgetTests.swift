import Testing
import WorkflowAPI

@testable import WorkflowServer  // What routes call is no part of what the daemon uses.

/// The budget of answers and the places of long work, without a server.
@Suite struct AnswerBudgetTests {
    @Test(.timeLimit(.minutes(1))) func pastTheBudgetARequestIsToldToComeBack() async throws {
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

    @Test(.timeLimit(.minutes(1))) func aShareThatIsGivenBackSoonIsWaitedFor() async throws {
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
        #expect(places.goOn(turns[1], at: at(200)))
        #expect(!places.goOn(turns[2], at: at(200)))
        places.end(next)
        #expect(places.goOn(turns[2], at: at(300)))
        #expect(places.begin(at: at(300)) == nil)
    }

    @Test func whoGoesOnTakesThePlaceOfOneThatWaits() throws {
        let places = SharedPlaces()
        let turns = (0..<LongWork.bound).compactMap { _ in places.begin(at: at(0)) }
        for turn in turns { places.wait(turn, since: at(0)) }
        for _ in turns { #expect(places.begin(at: at(100)) != nil) }
        #expect(!places.goOn(turns[0], at: at(200)))
        places.wait(LongWork.bound + 1, since: at(200))
        #expect(places.goOn(turns[0], at: at(300)))
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

/// Places that several expressions may change.
private final class SharedPlaces {
    private var places = Places()

    func begin(at now: ContinuousClock.Instant) -> Int? { places.begin(at: now) }
    func wait(_ number: Int, since now: ContinuousClock.Instant) { places.wait(number, since: now) }
    func goOn(_ number: Int, at now: ContinuousClock.Instant) -> Bool { places.goOn(number, at: now) }
    func end(_ number: Int) { places.end(number) }
}
