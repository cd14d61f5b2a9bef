import Foundation
import IdentityTesting
import Testing
import WorkflowStore

@testable import WorkflowEngine  // The order of the queue is no part of what the daemon uses.

/// Tests that parts of runs come after commands that somebody waits for, and together with them.
struct PartOrderTests {
    private let queue = CommandQueue(limits: EngineLimits())

    private func ask(_ name: String) {
        queue.begin(RepairCommand(instance: name, .retry)) { _ in }
    }

    private func add(_ name: String, isPatient: Bool = false) {
        queue.begin(part: RepairCommand(instance: name, .retry), isPatient: isPatient) { _ in }
    }

    private func names(_ commands: [any QueuedCommand]) -> [String] {
        commands.map { ($0.command as? RepairCommand)?.instance.rawValue ?? "another" }
    }

    /// Returns the commands of the next turn; `nil` at the end.
    private func turn() -> [String]? {
        if case .commands(let commands) = queue.take(until: .distantPast) { names(commands) } else { nil }
    }

    @Test func oneAtATimeAndBehindCommandsThatCameLater() {
        for name in ["p1", "p2", "p3"] { add(name) }
        ask("a")
        #expect(turn() == ["a", "p1"])
        ask("b")
        #expect(names(queue.takeWaiting(with: .none)) == ["b"])
        #expect(names(queue.takeWaiting(with: .due)) == ["p2"])
        #expect(turn() == ["p3"])
        #expect(turn() == [])
    }

    @Test func aPatientOneGoesWithOthersOrWhenItsTimeIsOver() {
        add("p1", isPatient: true)
        add("p2", isPatient: true)
        #expect(turn() == [])
        #expect(names(queue.takeWaiting(with: .due)) == [])
        ask("a")
        #expect(turn() == ["a", "p1"])
        #expect(turn() == [])
        queue.hurry()
        #expect(turn() == ["p2"])
        // A part that does not wait passes one that does.
        add("p3", isPatient: true)
        add("p4")
        #expect(turn() == ["p4"])
        #expect(names(queue.takeWaiting()) == ["p3"])
    }

    /// A run always has a part in the queue, which would keep a clock's move, and the commands after it, from their
    /// turn.
    @Test func aClockMovesBeforeTheNextPart() {
        for name in ["p1", "p2"] { add(name) }
        ask("a")
        #expect(queue.enqueue(ClockMoveRequest(target: Timestamp(rawValue: 5)) { _ in }) == nil)
        ask("b")
        #expect(turn() == ["a"])
        #expect(names(queue.takeWaiting(with: .due)) == [])
        guard case .moveClock = queue.take(until: .distantPast) else {
            Issue.record("the clock is not moved")
            return
        }
        #expect(turn() == ["b", "p1"])
    }

    @Test func aQueueThatClosesGivesThemOutAndTakesNoMore() {
        add("p1", isPatient: true)
        queue.close(.draining)
        add("p2")
        #expect(turn() == ["p1"])
        #expect(turn() == nil)
    }

    @Test func aRunHasAllOfABatchUntilOthersCome() {
        let limits = EngineLimits()
        let share = BackgroundShare(limits: limits, statistics: BatchStatistics())
        let now = ContinuousClock.now
        #expect(share.bound(at: now).rows == limits.batchRows && !share.bound(at: now).isShared)
        share.othersCame(at: now)
        #expect(share.bound(at: now + limits.sharing / 2).rows == limits.sharedRows.lowerBound)
        #expect(share.bound(at: now + limits.sharing / 2).isShared)
        #expect(!share.bound(at: now + limits.sharing).isShared)
    }
}
