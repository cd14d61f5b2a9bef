import DaemonTesting
import Foundation
import Testing
import ThreadTesting
import WorkflowClient
import WorkflowJSON

/// Tests the places of the daemon's sockets and of its file, and the places that it refuses.
@Suite struct ListeningTests {
    @Test(.timeLimit(.minutes(20))) func theSocketIsForOwnerAndGroupAndTheFileForTheOwner() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        _ = try await daemon.answer(to: .get("/livez"))
        #expect(try Self.mode(folder.path("wfd.sock")) == 0o660)
        #expect(try Self.mode(folder.path("wfd.db")) == 0o600)
        #expect(try Self.mode(folder.path("wfd.db-wal")) == 0o600)
    }

    private static func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
    }

    @Test(.timeLimit(.minutes(20))) func itListensOnLoopbackAndASocketAtOnce() async throws {
        let folder = try TemporaryFolder()
        let listen = ["127.0.0.1:0", "unix:" + folder.path("a.sock"), "localhost:0"]
        let daemon = try await Daemon(
            arguments: Daemon.arguments(database: folder.path("wfd.db"), listen: listen) + ["--anonymous", "view"],
            database: folder.path("wfd.db"), addresses: 3)
        for address in daemon.addresses {
            let answer = try await onOwnThread { try RawConnection(to: address).answer(to: .get("/readyz")) }
            #expect(answer.status == 200)
            #expect(try answer.object["status"] == "ready")
        }
        let overTCP = daemon.addresses.first { if case .tcp = $0 { true } else { false } }
        let listed = try await wfctl(["list", "--address", "\(try #require(overTCP))"])
        #expect(listed.end == .exited(0))
        #expect(try await daemon.stop().end == .exited(0))
        #expect(try folder.names() == ["wfd.db", "wfd.db.lock"])
    }

    @Test(
        .timeLimit(.minutes(20)),
        arguments: [
            (
                "example.org:80",
                "'example.org' is no IP address; write one, such as 127.0.0.1, [::1] or 0.0.0.0, or localhost"
            ),
            ("unix:", "the path is missing; write unix:PATH"), ("unix:/run/", "the path is that of a folder"),
            ("8080", "write unix:PATH or HOST:PORT"),
            ("127.0.0.1:65536", "write unix:PATH or HOST:PORT"),
            (
                "unix:/" + String(repeating: "x", count: 107),
                "the path has 108 bytes; a socket's path has at most 107"
            ),
        ])
    func anAddressThatIsNotForItIsRefusedWithTheReason(address: String, reason: String) async throws {
        let folder = try TemporaryFolder()
        let result = try await Daemon.launch(
            Daemon.arguments(database: folder.path("wfd.db"), listen: [address])
        ).result()
        #expect(result.end == .exited(64))
        let cause = "The value '\(address)' is invalid for '--listen <address>'"
        #expect(
            result.errors.split(separator: "\n").first
                == "error: \(cause): Cannot listen on '\(address)': \(reason)")
        #expect(try folder.names() == [])
    }

    /// The address follows the same rules as every other one, and is named once.
    @Test(
        .timeLimit(.minutes(20)),
        arguments: [
            (
                ["--listen", "127.0.0.1:7777", "--metrics", "localhost:7777"],
                "--metrics: Cannot listen on '127.0.0.1:7777': it is named twice"
            )
        ])
    func anAddressForMetricsThatIsNotForItIsRefused(arguments: [String], reason: String) async throws {
        let folder = try TemporaryFolder()
        let result = try await Daemon.launch(["--database", folder.path("wfd.db")] + arguments).result()
        #expect(result.end == .exited(64))
        #expect(result.errors.split(separator: "\n").first == "error: \(reason)")
        #expect(try folder.names() == [])
    }

    @Test(.timeLimit(.minutes(20))) func anAddressForMetricsServesNothingElse() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(
            arguments: Daemon.arguments(database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock")])
                + ["--metrics", "127.0.0.1:0"],
            database: folder.path("wfd.db"))
        // The daemon tells the address at its start.
        let line = try #require(try await daemon.program.errorLines(containing: "serving metrics").first)
        let address = try Address(String(try #require(line.firstMatch(of: /address=(\S+)/)).1))
        let requests: [RawRequest] = [
            .get("/metrics"), .get("/livez"), .get("/readyz"), .get("/v1/status"), .post("/v1/backups", ""),
        ]
        let answers = try await onOwnThread {
            try requests.map { try RawConnection(to: address).answer(to: $0) }
        }
        #expect(answers.map(\.status) == [200, 200, 200, 404, 404])
        #expect(
            try answers.last?.object["detail"]
                == "There is no route POST /v1/backups at this address: it serves /livez, /readyz, /metrics alone")
        #expect(try await daemon.answer(to: .get("/v1/status")).status == 200)
        #expect(try await daemon.stop().end == .exited(0))
    }

    @Test(.timeLimit(.minutes(20))) func aSecondDaemonOnTheSameDatabaseIsToldWhoHasIt() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        let second = try await Daemon.launch(
            Daemon.arguments(database: daemon.database, listen: ["unix:" + folder.path("b.sock")])
        ).result()
        #expect(second.end == .exited(75))
        #expect(
            second.errors.contains("Cannot open '\(daemon.database)': it is in use by process \(daemon.pid)"))
        #expect(try await daemon.answer(to: .get("/readyz")).status == 200)
    }

    /// A killed process may keep its lock for a moment.
    @Test(.timeLimit(.minutes(20))) func aStartWaitsForTheEndOfTheProcessBefore() async throws {
        // On a busy machine the lock may be released after a start has given up: then another start tries.
        try await eventually("a start that has waited") {
            let folder = try TemporaryFolder()
            let lock = open(folder.path("wfd.db.lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            #expect(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
            let daemon = try Daemon.launch(
                Daemon.arguments(database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock")]))
            let hasWaited = try? await daemon.errorLines(containing: "waiting for the end of another process")
            close(lock)
            let listens = try? await daemon.errorLines(containing: "listening")
            daemon.signal(SIGTERM)
            let end = try await daemon.result().end
            #expect(end == .exited(listens == nil ? 75 : 0))
            return hasWaited != nil && listens != nil
        }
    }

    @Test(.timeLimit(.minutes(20))) func aSecondDaemonOnTheSameSocketIsRefused() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        let second = try await Daemon.launch(
            Daemon.arguments(database: folder.path("other.db"), listen: ["unix:" + folder.path("wfd.sock")])
        ).result()
        #expect(second.end == .exited(69))
        #expect(
            second.errors.contains(
                "Cannot listen on 'unix:\(folder.path("wfd.sock"))': another process is listening there"))
        // The other database is neither made nor said to be served.
        #expect(try !folder.names().contains { $0.hasPrefix("other.db") })
        #expect(!second.errors.contains("serving"))
        // A daemon that would have the same database gets this message too.
        let same = try await Daemon.launch(
            Daemon.arguments(database: daemon.database, listen: ["unix:" + folder.path("wfd.sock")])
        ).result()
        #expect(same.end == .exited(75))
        #expect(same.errors.contains("Cannot open '\(daemon.database)': it is in use by process \(daemon.pid)"))
        #expect(try await daemon.answer(to: .get("/readyz")).status == 200)
    }

    @Test(.timeLimit(.minutes(20))) func aFileThatIsNoSocketIsLeftAlone() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("precious", to: "wfd.sock")
        let result = try await Daemon.launch(
            Daemon.arguments(database: folder.path("wfd.db"), listen: ["unix:" + path])
        ).result()
        #expect(result.end == .exited(69))
        #expect(result.errors.contains("Cannot listen on 'unix:\(path)': a file that is no socket is there already"))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
    }

    @Test(.timeLimit(.minutes(20))) func aTakenPortIsRefused() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder, listen: ["127.0.0.1:0"])
        guard case .tcp(_, let port) = daemon.address else { throw TestingError("no port") }
        let second = try await Daemon.launch(
            Daemon.arguments(database: folder.path("other.db"), listen: ["127.0.0.1:\(port)"])
        ).result()
        #expect(second.end == .exited(69))
        #expect(second.errors.contains("Cannot listen on '127.0.0.1:\(port)': Address already in use"))
        #expect(try !folder.names().contains { $0.hasPrefix("other.db") })
    }
}
