import DaemonTesting
import Dispatch
import Foundation
import Synchronization
import Testing
import WorkflowEngine
import WorkflowJSON

@testable import WorkflowEffects

/// Tests names of hosts: silent name servers, and names with several addresses or changing ones.
@Suite(.enabled(if: TestService.python != nil, "there is no python3 on this system"), .timeLimit(.minutes(20)))
struct HostNameTests {
    /// The service of all tests, which only answers.
    private static let service = Task { try await TestService() }

    /// A name server. It is silent about names that begin with `silent`, until it is told to answer.
    private final class Names: Sendable {
        private let speaking = DispatchSemaphore(value: 0)
        private let asked = Mutex<[String]>([])
        private let addresses: [String]

        init(_ addresses: String...) {
            self.addresses = addresses
        }

        /// Returns one of the addresses in turn for names that begin with `changing`, else all of them.
        func answer(_ name: String) -> NameResolver.Answer {
            let number = asked.withLock { asked in
                asked.append(name)
                return asked.count - 1
            }
            if name.hasPrefix("silent") {
                requireOwnThread()
                speaking.wait()
                return .failed("nobody has answered")
            }
            let all = addresses.compactMap { IPAddress($0) }
            return .addresses(name.hasPrefix("changing") ? [all[number % all.count]] : all)
        }

        var lookUps: [String] { asked.withLock { $0 } }

        func speak(_ times: Int) { for _ in 0..<times { speaking.signal() } }
    }

    /// Calls a function with an executor, and shuts the executor down in any case.
    private static func with(
        _ resolver: NameResolver, _ body: (HTTPExecutor) async throws -> Void
    ) async throws {
        // The other address of this machine stands for one that may not be called.
        let allowed = try #require(AddressRange("127.0.0.2"))
        let executor = try HTTPExecutor(
            allowing: [allowed], secrets: SecretFolder(nil), authority: nil, agent: "wfd/test", resolver: resolver)
        do {
            try await body(executor)
            await executor.shutdown()
        } catch {
            await executor.shutdown()
            throw error
        }
    }

    private static func call(_ host: String, port: Int, by executor: HTTPExecutor, timeout: Int64 = 20_000) async
        -> AttemptOutcome
    {
        await executor.run(
            HTTPExecutorTests.attempt([
                "method": "GET", "url": .string("http://\(host):\(port)/"), "attemptTimeout": .int(timeout),
            ]))
    }

    /// Returns the body of a twin's answer.
    private static func body(_ outcome: AttemptOutcome) throws -> JSONObject {
        guard case .done(let output) = outcome, let body = output.object?["body"]?.object else {
            throw TestingError("it is not done: \(outcome)")
        }
        return body
    }

    private static func type(_ outcome: AttemptOutcome) -> String {
        if case .failed(let failure) = outcome { failure.type } else { "\(outcome)" }
    }

    // MARK: Silence

    @Test func aNameServerThatIsSilentEndsTheAttemptInTime() async throws {
        let names = Names("127.0.0.2")
        let resolver = NameResolver { names.answer($0) }
        let port = try await Self.service.value.ports.twins
        try await Self.with(resolver) { executor in
            for _ in 0..<3 {
                let outcome = await Self.call("silent.example", port: port, by: executor, timeout: 100)
                #expect(Self.type(outcome) == "timeout")
            }
        }
        // Nobody waits any more, and the name was looked up once for all of them.
        #expect(resolver.waiters == 0 && names.lookUps == ["silent.example"])
        names.speak(1)
    }

    @Test func whoWaitsForTheSameNameGetsTheSameAnswer() async throws {
        let names = Names("127.0.0.2")
        let resolver = NameResolver { names.answer($0) }
        let tasks = (0..<8).map { _ in Task { await resolver.addresses(of: "silent.example") } }
        try await eventually("all wait for the name") { resolver.waiters == 8 }
        tasks[0].cancel()
        #expect(await tasks[0].value == nil)
        #expect(resolver.waiters == 7)
        names.speak(1)
        for task in tasks.dropFirst() {
            guard case .failed("nobody has answered") = await task.value else {
                throw TestingError("another answer")
            }
        }
        #expect(names.lookUps.count == 1 && resolver.waiters == 0)
    }

    /// All places for lookups but one are taken. The last place is enough for all other names, and nothing else in this
    /// process waits for the silent ones.
    @Test func otherNamesAreFoundMeanwhile() async throws {
        let names = Names("127.0.0.2")
        let resolver = NameResolver { names.answer($0) }
        let silent = (0..<255).map { number in
            Task { await resolver.addresses(of: "silent-\(number).example") }
        }
        try await eventually("all names are looked up") { names.lookUps.count == silent.count }
        let port = try await Self.service.value.ports.twins
        try await Self.with(resolver) { executor in
            for number in 0..<3 {
                let body = try Self.body(await Self.call("host-\(number).example", port: port, by: executor))
                #expect(body["at"] == "127.0.0.2")
            }
            await withCheckedContinuation { continuation in
                DispatchQueue(label: "other").async { continuation.resume() }
            }
            let last = Task { await resolver.addresses(of: "silent.example") }
            try await eventually("the last place is taken") { names.lookUps.count == silent.count + 4 }
            let outcome = await Self.call("host.example", port: port, by: executor)
            #expect(outcome == .failed(.again("dns", "'host.example' was not found: too many names are looked up")))
            names.speak(silent.count + 1)
            for task in silent + [last] { #expect(await task.value != nil) }
        }
    }

    // MARK: Addresses

    /// The first address may not be called. A server listens there, and never gets a connection.
    @Test func onlyAnAllowedAddressIsCalled() async throws {
        let port = try await Self.service.value.ports.twins
        for order in [["127.0.0.1", "127.0.0.2"], ["127.0.0.2", "127.0.0.1"]] {
            let names = Names(order[0], order[1])
            // The system's resolver would give the address that may not be called.
            try await Self.with(NameResolver { names.answer($0) }) { executor in
                let body = try Self.body(await Self.call("localhost", port: port, by: executor))
                #expect(body["at"] == "127.0.0.2" && body["connections"]?.object?["127.0.0.1"] == 0)
            }
            #expect(names.lookUps == ["localhost"])
        }
    }

    /// Nothing listens on the allowed address, and the other one is no way out.
    @Test func anAddressThatIsRefusedIsNoSecondChoice() async throws {
        let service = try await TestService()
        let names = Names("127.0.0.2", "127.0.0.1")
        try await Self.with(NameResolver { names.answer($0) }) { executor in
            // The service itself listens on 127.0.0.1 alone.
            let outcome = await Self.call("localhost", port: service.ports.http, by: executor)
            #expect(Self.type(outcome) == "connect", "\(outcome)")
        }
    }

    /// The address of a name changes between two lookups: each attempt calls the address that it has checked.
    @Test func aNameThatChangesIsCheckedEachTime() async throws {
        let port = try await Self.service.value.ports.twins
        let names = Names("127.0.0.2", "127.0.0.1")
        try await Self.with(NameResolver(keeping: .zero) { names.answer($0) }) { executor in
            for _ in 0..<3 {
                let body = try Self.body(await Self.call("changing.example", port: port, by: executor))
                #expect(body["at"] == "127.0.0.2" && body["connections"]?.object?["127.0.0.1"] == 0)
                #expect(Self.type(await Self.call("changing.example", port: port, by: executor)) == "address-refused")
            }
        }
        #expect(names.lookUps.count == 6)
    }
}
