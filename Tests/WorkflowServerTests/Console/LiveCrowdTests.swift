import DaemonTesting
import Foundation
import Testing
import ThreadTesting
import WorkflowAPI
import WorkflowJSON
import WorkflowServer

/// Tests the most pages that are live at once, with the bound that wfd has.
@Suite(.timeLimit(.minutes(20)), .ownThreads) struct LiveCrowdTests {
    @Test func fiveHundredPagesAreLiveAndTheNextSaysWhyItIsNot() async throws {
        // Both ends of each connection are in this process.
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let most = ServerLimits().streams
        #expect(most == 500)
        let host = try await ConsoleHost()
        let people = try (0...most / 8).map { try host.token("person-\($0)", [.view]) }
        var readers: [EventReader] = []
        for session in 0..<most / 4 {
            let cookie = try await host.session(people[session / 2])
            readers += try await onOwnThread { [address = host.server.address] in
                try (0..<4).map { _ in
                    try EventReader("/console/stream", of: address, headers: [("Cookie", cookie)])
                }
            }
        }
        #expect(readers.count == most && readers.allSatisfy { $0.status == 200 })
        // Somebody with fewer pages would take the place of one who has more: nobody has more than the first.
        let next = try await host.get("/console/stream", host.session(people[0]))
        #expect(try next.status == 503 && next.object["detail"]?.string == "\(most) streams are open already")
        // Pages are still made and renewed.
        #expect(try await host.get("/console/", host.session(people[1])).status == 200)
        withExtendedLifetime(readers) {}
        try await host.server.stop()
    }
}
