import Synchronization
import Testing
import ThreadTesting
import WorkflowAPI

@testable import WorkflowServer  // Turns are no part of what the daemon uses.

/// Tests the turns of requests that few may make at once.
@Suite(.timeLimit(.minutes(20))) struct WorkTurnsTests {
    /// The requests that were carried out, in their order.
    private final class Order: Sendable {
        let numbers = Mutex<[Int]>([])

        func add(_ number: Int) { numbers.withLock { $0.append(number) } }
    }

    @Test func twoRunAtOnceAndTheOthersInOrder() async throws {
        let (turns, order) = (WorkTurns(2, waiting: 32, refusal: "Many wait"), Order())
        let (gates, gate) = AsyncStream.makeStream(of: Void.self)
        var tasks: [Task<Void, any Error>] = []
        for _ in 0..<2 {
            tasks.append(Task { try await turns.take { for await _ in gates {} } })
        }
        try await eventually("both run") { turns.running == 2 }
        for number in 0..<32 {
            tasks.append(Task { try await turns.take { order.add(number) } })
            try await eventually("\(number) waits") { turns.waiting == number + 1 }
        }
        await #expect(throws: Problem(.overloaded, detail: "Many wait")) { try await turns.take {} }
        // One that is cancelled leaves the line.
        tasks[5].cancel()
        try await eventually("it has left") { turns.waiting == 31 }
        gate.finish()
        for (number, task) in tasks.enumerated() where number != 5 { try await task.value }
        let found = order.numbers.withLock { $0 }
        #expect(Set(found) == Set(0..<32).subtracting([3]))
        #expect(turns.running == 0 && turns.waiting == 0)
    }
}
