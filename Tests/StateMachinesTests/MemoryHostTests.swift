import HostSuite
import StateMachines
import Testing

struct MemoryHostTests {
    @Test func itDoesWhatEveryHostDoes() async throws {
        let host = MemoryHost()
        try await HostSuite(host) { await host.advance(by: $0) }.run()
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
