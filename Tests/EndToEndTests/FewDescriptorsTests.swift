import DaemonTesting
import Foundation
import Testing
import WorkflowClient

/// Tests a daemon that may open few files.
@Suite(.timeLimit(.minutes(20)), .ownThreads) struct FewDescriptorsTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Starts a daemon on two addresses from a shell with limits.
    ///
    /// - Parameter other: The option that names the second address.
    private func launch(_ limits: String, other: String = "--listen") throws -> RunningProgram {
        let listen = ["unix:" + folder.path("wfd.sock")]
        return try RunningProgram(
            "/bin/sh",
            ["-c", limits + #"; exec "$0" "$@""#, Programs.path("wfd")]
                + Daemon.arguments(database: folder.path("wfd.db"), listen: listen) + [other, "127.0.0.1:0"],
            environment: Programs.environment([:]))
    }

    private func descriptors(of program: RunningProgram) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(program.pid)/fd").count
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd"), "there is no /proc on this system"))
    func connectionsOfTwoAddressesLeaveFilesForAllElse() async throws {
        let program = try launch("ulimit -Sn 200; ulimit -Hn 400")
        let lines = try await program.errorLines(containing: "listening", count: 2)
        let addresses = try lines.map { line in
            try Address(String(#require(line.firstMatch(of: /address=(\S+)/)).1))
        }
        let local = Address.unix(path: folder.path("wfd.sock"))
        let told = try #require(try await program.errorLines(containing: "few files may be open").first)
        let of = try #require(told.firstMatch(of: /calls=(\d+) connectionsOfAnAddress=(\d+) limit=(\d+)/))
        #expect(of.3 == "400")
        let each = try #require(Int(of.2))
        try await onOwnThread { [folder] in
            // Each address gets as many connections as it takes, and 20 more.
            var connections: [RawConnection] = []
            for address in addresses {
                for _ in 0..<each + 20 {
                    let connection = try RawConnection(to: address)
                    // The connection is not idle: a request has begun.
                    try connection.write(Array("GET /v1/stream HTTP/1.1\r\nHost: localhost\r\n".utf8))
                    connections.append(connection)
                }
            }
            // Files can be opened still: the database's are.
            let count = try descriptors(of: program)
            #expect(count < 400, "\(count)")
            for address in addresses {
                #expect(try RawConnection(to: address).answer(to: .get("/livez")).status == 200)
            }
            connections = []
            let machine = RawRequest.post("/v1/machines", BatchTests.counter, as: "application/yaml")
            // It takes a moment until the daemon knows that the connections are closed.
            let deadline = ContinuousClock.now + .seconds(60)
            while try RawConnection(to: local).answer(to: machine).status == 503 {
                guard ContinuousClock.now < deadline else { throw TestingError("there is no room") }
            }
            #expect(try RawConnection(to: local).answer(to: .post("/v1/backups", "")).status == 200)
            withExtendedLifetime(folder) {}
        }
        #expect(!program.errors.contains("Too many open files"))
        program.signal(SIGTERM)
        #expect(try await program.result().end == .exited(0))
    }

    @Test func theSoftLimitIsRaisedAsFarAsNeeded() async throws {
        let program = try launch("ulimit -Sn 256; ulimit -Hn 10000")
        let told = try #require(try await program.errorLines(containing: " descriptors").first)
        let of = try #require(told.firstMatch(of: /calls=256 connectionsOfAnAddress=900 limit=(\d+)/), "\(told)")
        #expect(try (2_432..<10_000).contains(#require(Int(of.1))))
    }

    /// Its connections are descriptors too.
    @Test func theAddressOfMetricsCountsAsAnyOther() async throws {
        var told: [String] = []
        for other in ["--listen", "--metrics"] {
            let program = try launch("ulimit -n 400", other: other)
            let line = try #require(try await program.errorLines(containing: "few files may be open").first)
            told.append(String(try #require(line.firstMatch(of: /connectionsOfAnAddress=(\d+)/)).1))
            _ = try await program.errorLines(containing: "listening")
            program.signal(SIGTERM)
            #expect(try await program.result().end == .exited(0))
        }
        #expect(told.first == told.last)
    }

    @Test func whoHasFarTooFewIsToldSo() async throws {
        let result = try await launch("ulimit -n 120").result()
        #expect(result.end == .exited(69))
        #expect(result.errors.contains(/Cannot serve with 120 open files: \d+ are needed at least/), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("wfd.db")))
    }
}
