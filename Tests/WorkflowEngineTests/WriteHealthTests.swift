import Synchronization
import Testing

@testable import WorkflowEngine  // Whether the writer goes on is no part of what the daemon uses.

/// Tests the time for which a writer has made no progress.
@Suite struct WriteHealthTests {
    /// A time that the test moves.
    private final class Time: Sendable {
        private let time = Mutex(ContinuousClock.now)

        var now: ContinuousClock.Instant { time.withLock { $0 } }

        func pass(_ duration: Duration) { time.withLock { $0 += duration } }
    }

    private let time = Time()
    private let health: WriteHealth

    init() {
        health = WriteHealth(patience: EngineLimits().writerPatience) { [time] in time.now }
    }

    @Test func aTurnOfTenSecondsIsAStandstill() {
        health.turns()
        time.pass(.milliseconds(9_999))
        #expect(health.standstill == nil)
        time.pass(.milliseconds(1))
        #expect(health.standstill == 10)
        time.pass(.seconds(80))
        #expect(health.standstill == 90)
        // The writer goes on, and each of its turns takes a while.
        for _ in 0..<5 {
            health.turns()
            time.pass(.seconds(9))
            #expect(health.standstill == nil)
        }
    }

    @Test func whoHasNothingToDoStandsStillForAsLongAsItLikes() {
        time.pass(.seconds(3_600))
        #expect(health.standstill == nil)
        health.turns()
        health.rests()
        time.pass(.seconds(3_600))
        #expect(health.standstill == nil)
    }

    @Test func itIsNoMatterOfWhatTheStoreTakes() {
        health.failed("the disk is full")
        #expect(health.standstill == nil && health.reason == "the disk is full")
        health.turns()
        time.pass(.seconds(10))
        let isNews = health.succeeded()
        #expect(isNews && health.standstill == 10 && health.reason == nil)
    }
}
