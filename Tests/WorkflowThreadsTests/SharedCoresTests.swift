import Foundation
import Synchronization
import Testing

@testable import WorkflowThreads

@Suite(.timeLimit(.minutes(20))) struct SharedCoresTests {
    /// A time that the test advances.
    private final class Time: Sendable {
        private let nanoseconds = Atomic<UInt64>(1)
        var now: UInt64 { nanoseconds.load(ordering: .sequentiallyConsistent) }
        func pass(_ milliseconds: UInt64) {
            nanoseconds.add(milliseconds * 1_000_000, ordering: .sequentiallyConsistent)
        }
    }

    /// A number that many threads change.
    private final class Count: Sendable {
        private let number = Atomic(0)
        var value: Int { number.load(ordering: .sequentiallyConsistent) }
        @discardableResult func add(_ change: Int) -> Int {
            number.add(change, ordering: .sequentiallyConsistent).newValue
        }
        func raise(to value: Int) { number.max(value, ordering: .sequentiallyConsistent) }
    }

    /// Does a job on each of several threads. Returns the number of jobs that ran at once.
    private static func jobs(_ count: Int, on cores: SharedCores, _ body: @escaping @Sendable () -> Void) async -> Int {
        let threads = BackgroundThreads("shared", count: count, sharing: cores)
        let present = Count()
        let most = Count()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    await withTaskExecutorPreference(threads) {
                        most.raise(to: present.add(1))
                        body()
                        present.add(-1)
                    }
                }
            }
        }
        return most.value
    }

    /// The first jobs stay until all others wait for a turn, so they end only if as many work as may.
    @Test(arguments: [(1, 1), (2, 1), (3, 2), (4, 3)])
    func oneCoreIsLeftToEvents(cores: Int, jobs: Int) async {
        let time = Time()
        let shared = SharedCores(cores, now: { time.now })
        shared.eventsCame()
        #expect(shared.eventsCome)
        let (all, begun) = (6, Count())
        let deadline = ContinuousClock.now + .seconds(600)
        let most = await Self.jobs(all, on: shared) {
            guard begun.add(1) <= jobs else { return }
            // If more work than may, the others are never so many.
            while begun.value <= jobs, begun.value < jobs || shared.waiters < all - jobs {
                if ContinuousClock.now > deadline { return }
                sched_yield()
            }
        }
        #expect(most == jobs)
    }

    /// Each job waits for all others: they end only when all have begun.
    @Test func withoutEventsAllCoresAreUsed() async {
        let time = Time()
        let shared = SharedCores(2, now: { time.now })
        shared.eventsCame()
        time.pass(10)
        #expect(!shared.eventsCome)
        let begun = Count()
        let most = await Self.jobs(4, on: shared) {
            begun.add(1)
            while begun.value < 4 { sched_yield() }
        }
        #expect(most == 4)
    }

    @Test func whoWaitsGoesOnWhenEventsCease() async {
        let time = Time()
        let shared = SharedCores(2, now: { time.now })
        shared.eventsCame()
        let begun = Count()
        let most = await Self.jobs(2, on: shared) {
            // The first lets time pass; then the second comes although the first is not done.
            if begun.add(1) == 1 { time.pass(10) }
            while begun.value < 2 { sched_yield() }
        }
        #expect(most == 2)
    }

    /// A thread that gives way while another waits gets its turn after it.
    @Test func aLongPartLetsOthersHaveTheCore() async {
        let time = Time()
        let shared = SharedCores(2, now: { time.now })
        shared.eventsCame()
        let begun = Count()
        let turns = Count()
        _ = await Self.jobs(2, on: shared) {
            guard begun.add(1) == 1 else { return }
            var since = shared.now()
            while begun.value < 2 {
                while shared.waiters == 0 { sched_yield() }
                shared.giveWay(since: &since)
                turns.add(1)
            }
        }
        // There is more than one turn if the waiting thread looked just now whether events still come.
        #expect(turns.value <= 3)
    }

    @Test func whoWorkedRestsWhileEventsCome() async {
        let time = Time()
        let shared = SharedCores(2, now: { time.now })
        let rests = Count()
        _ = await Self.jobs(1, on: shared) {
            shared.eventsCame()
            var since = shared.now()
            time.pass(4)
            if ContinuousClock().measure({ shared.giveWay(since: &since) }) >= .milliseconds(4) { rests.add(1) }
        }
        #expect(rests.value == 1)
    }
}
