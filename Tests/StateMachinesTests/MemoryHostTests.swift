import HostSuite
import StateMachines
import Testing

struct MemoryHostTests {
    /// Options that no host accepts are refused before a worker begins.
    @Test func optionsOfWorkersHaveBounds() {
        let lease = #expect(throws: HostError.self) { try WorkOptions(lease: .seconds(3)) }
        #expect(lease?.code == "invalid-request")
        #expect(lease?.message == "A lease cannot be 3.0 seconds: it is 5 seconds to an hour")
        let none = #expect(throws: HostError.self) { try WorkOptions(concurrency: 0) }
        #expect(none?.message == "A worker cannot run 0 tasks at a time: it runs at least 1")
    }

    @Test func itDoesWhatEveryHostDoes() async throws {
        let host = MemoryHost()
        try await HostSuite(host) { await host.advance(by: $0) }.run()
    }

    @Test(.timeLimit(.minutes(20))) func itHandsOutTasksAsEveryHostDoes() async throws {
        let host = MemoryHost()
        try await TaskSuite(host) { await host.advance(by: $0) }.run()
    }

    /// A machine that never becomes stable does not hold the host for ever.
    @Test func whatNeverRestsIsBounded() async throws {
        let host = MemoryHost()
        let restless = try await host.start(Restless.self, "restless")
        await host.advance(by: .seconds(1))
        let seq = try await restless.read().seq
        #expect(seq > 500 && seq < 5_000)
        await host.advance(by: .seconds(1))
        #expect(try await restless.read().seq > seq)
    }

    @Test func timersOfAllInstancesFireInOrder() async throws {
        let host = MemoryHost()
        let one = try await host.start(Job.self, "one")
        let two = try await host.start(Job.self, "two")
        try await one.send(.begin(count: 1))
        await host.advance(by: .seconds(3))
        try await two.send(.begin(count: 1))
        await host.advance(by: .seconds(17))
        #expect(try await one.read().seq == 4)
        #expect(try await two.read().seq == 3)
    }
}

private enum Restless: MachineDefinition {
    enum State: String, MachineState { case here }
    enum Event: String, MachineEvent { case stay }

    static let definition = Definition<Self>("restless", initial: .here) {
        In(.here) { After(.zero, to: .here, reenter: true) }
    }
}
