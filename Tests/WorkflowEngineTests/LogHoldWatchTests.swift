import Testing
import WorkflowStore

@testable import WorkflowEngine  // What it tells of is no part of what others use.

@Suite struct LogHoldWatchTests {
    private let begin = ContinuousClock.now

    private func see(_ watch: inout LogHoldWatch, after seconds: Int, isForeign: Bool = true) -> LogHoldWatch.News? {
        watch.see(LogHold(since: begin, isForeign: isForeign), at: begin + .seconds(seconds))
    }

    @Test func aReaderIsToldWhenItStaysAndAgainWhenItIsTwiceAsOld() {
        var watch = LogHoldWatch()
        let ages = [1, 9, 10, 11, 19, 21, 39, 100, 150, 161]
        let told = ages.filter { see(&watch, after: $0) != nil }
        #expect(told == [10, 21, 100, 161])
        #expect(watch.see(nil, at: begin + .seconds(162)) == .over)
        #expect(watch.see(nil, at: begin + .seconds(163)) == nil)
        #expect(see(&watch, after: 12, isForeign: false) == .held(seconds: 12, isForeign: false))
    }

    @Test func aReaderThatGoesSoonIsToldToNobody() {
        var watch = LogHoldWatch()
        #expect(see(&watch, after: 9) == nil)
        #expect(watch.see(nil, at: begin + .seconds(12)) == nil)
    }

    /// Another reader comes in the same moment: the first one was reported, and so is its end.
    @Test func aYoungerReaderEndsTheOlder() {
        var watch = LogHoldWatch()
        #expect(see(&watch, after: 50) == .held(seconds: 50, isForeign: true))
        let next = LogHold(since: begin + .seconds(55), isForeign: true)
        #expect(watch.see(next, at: begin + .seconds(56)) == .over)
        #expect(watch.see(next, at: begin + .seconds(65)) == .held(seconds: 10, isForeign: true))
    }
}
