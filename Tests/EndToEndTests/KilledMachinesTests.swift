import DaemonTesting
import Foundation
import Testing
import ThreadTesting
import WorkflowJSON

/// Tests the five machines, with a kill and a restart between every two events.
@Suite(.tags(.heavy)) struct KilledMachinesTests {
    /// The machines, each with events that are accepted and some that are not.
    private static let sequences: [(machine: String, events: [String])] = [
        ("screens", ["launch", "home", "start", "loggedIn"]),
        ("request", ["fetch", "fetch", "succeed", "reset", "save", "fail", "save", "reset"]),
        ("rocket", ["abort", "fire", "fire", "abort", "fire", "abort"]),
        (
            "editor",
            ["filter", "beauty", "vintage", "back", "beauty", "text", "colour", "resume", "music", "filter", "none"]
        ),
        ("profile", ["succeed", "retry", "retry", "fail", "retry", "succeed"]),
    ]

    /// Returns a history without times and without places in the file.
    private static func history(_ daemon: Daemon, _ name: String) async throws -> [String] {
        try await daemon.json("history", name, "--detail").elements.map { row in
            ["seq", "kind", "event", "data", "from", "to", "exited", "entered"]
                .map { JSONWriter.string(row[$0]) }.joined(separator: " ")
        }
    }

    /// Returns the exit codes of all events, and the instance and its history at the end.
    private static func run(
        _ sequence: (machine: String, events: [String]), in folder: TemporaryFolder, isKilled: Bool
    ) async throws -> (codes: [ProgramEnd], state: [String], history: [String]) {
        // Time stands still, so that only what is sent happens.
        let arguments =
            Daemon.arguments(database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock")])
            + ["--clock", "virtual"]
        func serve() async throws -> Daemon {
            try await Daemon(arguments: arguments, database: folder.path("wfd.db"))
        }
        var daemon = try await serve()
        try await daemon.begin(sequence.machine)
        var codes: [ProgramEnd] = []
        for event in sequence.events {
            if isKilled {
                try await daemon.kill()
                daemon = try await serve()
            }
            codes.append(try await daemon.wfctl("send", sequence.machine, event).end)
        }
        if isKilled {
            try await daemon.kill()
            daemon = try await serve()
        }
        let shown = try await daemon.json("show", sequence.machine)
        let state = ["configuration", "context", "seq", "status"].map { JSONWriter.string(shown[$0]) }
        let history = try await history(daemon, sequence.machine)
        #expect(try await daemon.stop().end == .exited(0))
        return (codes, state, history)
    }

    @Test(.timeLimit(.minutes(20)), arguments: 0..<sequences.count)
    func killedBetweenEveryTwoEventsItIsTheSame(number: Int) async throws {
        let sequence = Self.sequences[number]
        let calm = try await Self.run(sequence, in: TemporaryFolder(), isKilled: false)
        let killed = try await Self.run(sequence, in: TemporaryFolder(), isKilled: true)
        #expect(calm.codes.contains(.exited(0)) && calm.history.count > 3)
        #expect(killed.codes == calm.codes)
        #expect(killed.state == calm.state)
        #expect(killed.history == calm.history)
    }

    /// Returns the times of a history, in milliseconds since the first of them.
    private static func times(_ daemon: Daemon, _ name: String) async throws -> [String] {
        let rows = try await daemon.json("history", name).elements
        let file = DatabaseFile(daemon.database)
        let fired = try file.number("SELECT at_ms FROM journal WHERE event = 'fire'")
        return try rows.map { row in
            guard case .int(let seq) = row["seq"] else { throw TestingError("no seq in \(row)") }
            let at = try file.number("SELECT at_ms FROM journal WHERE seq = \(seq)")
            return "\(row["kind"].string ?? "") \(row["to"].elements.first?.string ?? "") \(at - fired)"
        }
    }

    @Test(.timeLimit(.minutes(20))) func aRocketKilledDuringItsCountdownIsLaunchedOnTimeAndOnce() async throws {
        let folder = try TemporaryFolder()
        var daemon = try await Daemon(in: folder)
        try await daemon.begin("rocket")
        _ = try await daemon.said("send", "rocket", "fire")
        try await daemon.kill()
        // The daemon is down until two ticks are overdue.
        let due = try DatabaseFile(daemon.database).number("SELECT due_ms FROM timer") + 1_000
        try await eventually("two ticks are overdue") { Self.clock() > due + 100 }
        daemon = try await Daemon(in: folder)
        try await eventually("the launch") { try await daemon.json("show", "rocket")["configuration"] == ["launched"] }
        let expected = [
            "event countdown.tick 0", "timer countdown.tick 1000", "timer countdown.tick 2000",
            "timer countdown.tick 3000", "timer countdown.tick 4000", "timer launched 5000",
        ]
        #expect(try await Array(Self.times(daemon, "rocket").dropFirst()) == expected)
        // Two of them were late, and the file says so.
        let late = "SELECT count(*) FROM journal WHERE kind = 'timer' AND real_ms - at_ms > 50"
        #expect(try (2...5).contains(DatabaseFile(daemon.database).number(late)))
        try await daemon.kill()
        daemon = try await Daemon(in: folder)
        #expect(try await Array(Self.times(daemon, "rocket").dropFirst()) == expected)
        #expect(try await daemon.said("timers") == "DUE   IN   INSTANCE   EVENT\n")
        #expect(try await daemon.stop().end == .exited(0))
    }

    private static func clock() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

    @Test(.timeLimit(.minutes(20))) func aYearPassesInAMoment() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(
            arguments: Daemon.arguments(database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock")])
                + ["--clock", "virtual"], database: folder.path("wfd.db"))
        let file = try folder.write(
            """
            id: daily
            initial: on
            context: {n: 0}
            states:
              on: {after: {1d: {target: on, reenter: true, actions: {assign: {n: context.n + 1}}}}}
            """, to: "daily.yaml")
        _ = try await daemon.said("apply", file)
        _ = try await daemon.said("start", "daily", "daily")
        let begin = ContinuousClock.now
        let moved = try await daemon.json("clock", "advance", "365d")
        print("365 days in \(ContinuousClock.now - begin)")
        #expect(moved["fired"] == 365 && moved["done"] == true)
        #expect(try await daemon.json("show", "daily")["context"] == ["n": 365])
        let database = DatabaseFile(daemon.database)
        #expect(try database.number("SELECT count(*) FROM journal WHERE kind = 'timer' AND real_ms IS NULL") == 365)
        #expect(try database.number("SELECT max(at_ms) - min(at_ms) FROM journal") == 365 * 86_400_000)
        try await daemon.kill()
        let refused = try await Daemon.launch(
            Daemon.arguments(database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock")])
        ).result()
        #expect(refused.end == .exited(65) && refused.errors.contains("serve it with '--clock virtual'"))
    }

    @Test(.timeLimit(.minutes(20))) func anEventSentAgainAfterAKillGetsTheFirstAnswerToTheByte() async throws {
        let folder = try TemporaryFolder()
        var daemon = try await Daemon(in: folder)
        try await daemon.begin("request")
        let key = [(name: "Idempotency-Key", value: "\"request-1\"")]
        let requests: [RawRequest] = [
            .post("/v1/instances/request/events?detail=true", #"{"event": "fetch"}"#, headers: key),
            .post("/v1/instances", #"{"machine": "request", "instance": "other"}"#, headers: key),
        ]
        var first: [RawAnswer] = []
        for request in requests { first.append(try await daemon.answer(to: request)) }
        #expect(first.map(\.status) == [200, 201])
        #expect(first.allSatisfy { $0.headers["idempotent-replayed"] == nil })
        for event in ["succeed", "reset", "save"] { _ = try await daemon.said("send", "request", event) }
        _ = try await daemon.said("send", "other", "fetch")
        try await daemon.kill()
        daemon = try await Daemon(in: folder)
        for (request, answer) in zip(requests, first) {
            let again = try await daemon.answer(to: request)
            #expect(again.status == answer.status && again.body == answer.body)
            #expect(again.headers["idempotent-replayed"] == "true")
            #expect(again.headers["etag"] == answer.headers["etag"])
        }
        #expect(try await daemon.json("show", "request")["seq"] == 5)
        let other = try await daemon.answer(
            to: .post("/v1/instances/request/events", #"{"event": "save"}"#, headers: key))
        #expect(other.status == 422)
        #expect(try other.object["type"] == "key-reused")
        #expect(try await daemon.stop().end == .exited(0))
    }
}
