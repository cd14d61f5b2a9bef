import Synchronization
import Testing
import ThreadTesting
import WorkflowAPI

@testable import WorkflowServer  // Turns are no part of what the daemon uses.

/// Tests the turns of searches with a condition.
@Suite(.timeLimit(.minutes(20))) struct SearchTurnsTests {
    /// The searches that have run, in their order.
    private final class Order: Sendable {
        let numbers = Mutex<[Int]>([])

        func add(_ number: Int) { numbers.withLock { $0.append(number) } }
    }

    @Test func twoSearchesRunAtOnceAndTheOthersInOrder() async throws {
        let (turns, order) = (SearchTurns(), Order())
        let (gates, gate) = AsyncStream.makeStream(of: Void.self)
        var tasks: [Task<Void, any Error>] = []
        for _ in 0..<SearchTurns.bound {
            tasks.append(Task { try await turns.search { for await _ in gates {} } })
        }
        try await eventually("both run") { turns.running == SearchTurns.bound }
        for number in 0..<SearchTurns.waitingBound {
            tasks.append(Task { try await turns.search { order.add(number) } })
            try await eventually("\(number) waits") { turns.waiting == number + 1 }
        }
        await #expect(throws: Problem.self) { try await turns.search {} }
        // One that is cancelled leaves the line.
        tasks[SearchTurns.bound + 3].cancel()
        try await eventually("it has left") { turns.waiting == SearchTurns.waitingBound - 1 }
        gate.finish()
        for (number, task) in tasks.enumerated() where number != SearchTurns.bound + 3 { try await task.value }
        let found = order.numbers.withLock { $0 }
        #expect(Set(found) == Set(0..<SearchTurns.waitingBound).subtracting([3]))
        #expect(turns.running == 0 && turns.waiting == 0)
    }
}
