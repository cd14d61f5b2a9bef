import DaemonTesting
import Testing
import ThreadTesting
import WorkflowAPI
import WorkflowAccess

/// Tests that pages of many are made in their turn.
@Suite(.timeLimit(.minutes(20))) struct ConsoleCrowdTests {
    /// Asks for a page on as many connections at once, and returns the answers.
    private static func crowd(_ count: Int, _ host: ConsoleHost, _ cookie: String) async throws -> [RawAnswer] {
        var request = RawRequest("GET", "/console/", headers: [("Cookie", cookie)])
        request.hosts = [host.authority]
        return try await onOwnThread { [bytes = request.bytes, address = host.server.address] in
            let connections = try (0..<count).map { _ in try RawConnection(to: address) }
            for connection in connections { try connection.write(bytes) }
            return try connections.map { try $0.readAnswer() }
        }
    }

    @Test func fiveHundredPagesAtOnceAreAllMade() async throws {
        let host = try await ConsoleHost()
        let cookie = try await host.session(host.token("ops", [.view]))
        for answer in try await Self.crowd(500, host, cookie) {
            #expect(answer.status == 200 && answer.text.contains("<h1>Overview</h1>"), "\(answer.text)")
        }
        #expect(try await host.get("/console/", cookie).status == 200)
        try await host.server.stop()
    }

    @Test func formsThatDoNotComeHoldUpNobody() async throws {
        let host = try await ConsoleHost()
        let cookie = try await host.session(host.token("ops", [.view]))
        let headers = [host.origin, ("Content-Length", "100")]
        var form = RawRequest.post("/console/login", "", as: "application/x-www-form-urlencoded", headers: headers)
        form.hosts = [host.authority]
        let bytes = form.bytes
        let slow = try await onOwnThread { [address = host.server.address] in
            try (0..<100).map { _ in
                let connection = try RawConnection(to: address)
                try connection.write(bytes)
                return connection
            }
        }
        #expect(try await host.get("/console/", cookie).status == 200)
        #expect(slow.allSatisfy { !$0.isReadable })
        try await host.server.stop()
    }
}
