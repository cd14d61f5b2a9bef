import DaemonTesting
import Foundation
import PostgresTesting
import Testing
import ThreadTesting
import WorkflowJSON

/// Tests two daemons on one database: one owns it, the other takes its place.
@Suite(
    .timeLimit(.minutes(20)), .ownThreads,
    .enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed: apt-get install postgresql"))
struct PostgresStandbyTests {
    private let folder: TemporaryFolder
    private let url: String

    init() async throws {
        folder = try TemporaryFolder()
        url = try await onOwnThread { try PostgresServer.emptyDatabase() }
    }

    private func daemon(_ name: String) async throws -> Daemon {
        let socket = "unix:" + folder.path(name + ".sock")
        return try await Daemon(
            arguments: Daemon.arguments(database: url, listen: [socket]) + ["--peer", "127.0.0.1:0"], database: url)
    }

    /// Starts two daemons, of which the first owns the database.
    private func pair() async throws -> (owner: Daemon, standby: Daemon) {
        #expect(try await Daemon.launch(["init", url]).result().end == .exited(0))
        let owner = try await daemon("a")
        try await owner.serves()
        let standby = try await daemon("b")
        try await eventually("both know each other") {
            let listed = try await owner.said("daemons", "--output", "json")
            return listed.ranges(of: #""peer""#).count == 2
        }
        return (owner, standby)
    }

    /// Every request to a standby is carried out by the owner.
    @Test func aStandbyHandsRequestsToTheOwner() async throws {
        let (owner, standby) = try await pair()
        _ = try await standby.said("apply", Programs.example("order"))
        _ = try await standby.said("start", "order", "order-7")
        let moved = try await standby.said("send", "order-7", "submit", "--data", #"{"amount": 1250}"#)
        #expect(moved.contains("seq 1 -> 2"))
        let refused = try await standby.wfctl("send", "order-7", "submit")
        #expect(refused.end == .exited(5) && refused.errors.contains("does not accept 'submit'"), "\(refused)")
        for verb in ["history", "show"] {
            let own = try await owner.said(verb, "order-7", "-o", "json")
            #expect(try await standby.said(verb, "order-7", "-o", "json") == own, "\(verb)")
        }
        let daemons = try await standby.said("daemons")
        #expect(daemons.contains("1 of 1") && daemons.contains("standby"))
        try await standby.kill()
        try await owner.kill()
    }

    /// A request that is under way while the owner is killed is answered by the next owner.
    @Test func aRequestWaitsForTheNextOwner() async throws {
        let (owner, standby) = try await pair()
        _ = try await standby.said("apply", Programs.example("order"))
        _ = try await standby.said("start", "order", "order-7")
        owner.program.signal(SIGKILL)
        let moved = try await standby.said(
            "send", "order-7", "submit", "--data", #"{"amount": 1250}"#, "--key", "submit-7")
        #expect(moved.contains("seq 1 -> 2"))
        _ = try await owner.program.result()
        try await standby.kill()
    }

    @Test func aStandbyTakesThePlaceOfAKilledOwner() async throws {
        let (owner, standby) = try await pair()
        _ = try await owner.said("apply", Programs.example("order"))
        _ = try await owner.said("start", "order", "order-7")
        let before = try await owner.said("history", "order-7", "--output", "json")
        #expect(try await standby.ready() == "standby")
        try await owner.kill()
        try await standby.serves()
        #expect(try await standby.said("history", "order-7", "--output", "json") == before)
        _ = try await standby.said("start", "order", "order-8")
        // The killed one comes back and stands by.
        let back = try await daemon("a")
        #expect(try await back.ready() == "standby")
        try await back.kill()
        #expect(try await standby.stop().end == .exited(0))
    }

    @Test func aCleanStopGivesTheDatabaseAway() async throws {
        let (owner, standby) = try await pair()
        _ = try await owner.said("apply", Programs.example("order"))
        let stopped = try await owner.stop()
        #expect(stopped.end == .exited(0))
        #expect(stopped.errors.contains("the database was given to another daemon"))
        try await standby.serves()
        _ = try await standby.said("start", "order", "order-7")
        try await standby.kill()
    }

    /// A frozen owner loses its lease. When it wakes, it changes nothing, and ends.
    @Test func aFrozenOwnerEndsWhenItWakes() async throws {
        let (owner, standby) = try await pair()
        _ = try await owner.said("apply", Programs.example("order"))
        owner.program.signal(SIGSTOP)
        try await standby.serves()
        _ = try await standby.said("start", "order", "order-7")
        owner.program.signal(SIGCONT)
        let ended = try await owner.program.result()
        #expect(ended.end == .exited(75))
        #expect(ended.errors.contains("another daemon has taken the database over"))
        #expect(try await standby.said("show", "order-7").contains("draft"))
        try await standby.kill()
    }

    /// The event waits at the frozen owner, over a connection that an earlier event has opened, until the standby has
    /// taken the data.
    @Test func anEventAtAFrozenOwnerGoesToTheNext() async throws {
        let (owner, standby) = try await pair()
        _ = try await owner.said("apply", Programs.example("order"))
        _ = try await owner.said("start", "order", "order-7")
        let path = "/v1/instances/order-7/events"
        let answer = try await onOwnThread { [address = standby.address] in
            let connection = try RawConnection(to: address)
            let refused = try connection.answer(to: .post(path, #"{"event": "finance.ok"}"#))
            #expect(refused.status == 409)
            owner.program.signal(SIGSTOP)
            return try connection.answer(
                to: .post(
                    path, #"{"event": "submit", "data": {"amount": 1250}}"#, headers: [("Idempotency-Key", "submit-7")])
            )
        }
        #expect(answer.status == 200)
        #expect(answer.headers["etag"] == "\"2\"")
        owner.program.signal(SIGCONT)
        #expect(try await owner.program.result().end == .exited(75))
        try await standby.kill()
    }

    @Test func aDaemonWithoutAnAddressForOthersIsRefused() async throws {
        let (owner, standby) = try await pair()
        let third = try await Daemon.launch(
            ["--database", url, "--listen", "unix:" + folder.path("c.sock")]
        ).result()
        #expect(third.end == .exited(75) && third.errors.contains("give both a --peer"), "\(third)")
        try await standby.kill()
        try await owner.kill()
    }

    @Test func aFileHasOneDaemon() async throws {
        let result = try await Daemon.launch(
            ["--database", folder.path("wfd.db"), "--peer", "127.0.0.1:0"]
        ).result()
        #expect(result.end == .exited(64) && result.errors.contains("a database in a file has one daemon"), "\(result)")
    }
}

extension Daemon {
    /// The status that `/readyz` answers.
    fileprivate func ready() async throws -> String {
        let address = address
        let answer = try await onOwnThread { try RawConnection(to: address).answer(to: RawRequest("GET", "/readyz")) }
        return try #require(try answer.object["status"]?.string)
    }

    /// Waits until the daemon owns the database.
    fileprivate func serves() async throws {
        try await eventually("the daemon owns the database") { try await ready() == "ready" }
    }
}
