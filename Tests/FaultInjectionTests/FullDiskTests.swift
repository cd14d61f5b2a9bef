import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Tests a full disk: writing is refused, reading continues, and all is well again when there is room.
@Suite struct FullDiskTests {
    /// Starts a daemon with its database on a small disk of its own, and its socket elsewhere.
    private static func daemon(on disk: SmallDisk, in folder: TemporaryFolder) async throws -> Daemon {
        let database = disk.path + "/wfd.db"
        return try await Daemon(
            arguments: Daemon.arguments(database: database, listen: ["unix:" + folder.path("wfd.sock")]),
            database: database)
    }

    private static func send(_ event: String, to daemon: Daemon) async throws -> RawAnswer {
        try await daemon.answer(to: .post("/v1/instances/p/events", #"{"event": "\#(event)"}"#))
    }

    @Test(.enabled("needs a user who may mount a tmpfs") { await SmallDisk.isPossible() }, .timeLimit(.minutes(20)))
    func aFullDiskRefusesEventsServesReadsAndRecovers() async throws {
        let folder = try TemporaryFolder()
        try await SmallDisk.with(megabytes: 8, in: folder) { disk in
            let daemon = try await Self.daemon(on: disk, in: folder)
            _ = try await daemon.wfctl("apply", Programs.example("profile"))
            let start = #"{"machine": "profile", "instance": "p"}"#
            #expect(try await daemon.answer(to: .post("/v1/instances", start)).status == 201)
            #expect(try await Self.send("succeed", to: daemon).status == 200)
            let file = DatabaseFile(daemon.database)
            let before = try file.dump()

            #expect(try await daemon.answer(to: .get("/readyz")).status == 200)
            try disk.fill()
            for _ in 0..<5 {
                let refused = try await Self.send("retry", to: daemon)
                #expect(refused.status == 503)
                #expect(refused.headers["retry-after"] == "1")
                #expect(try refused.object["type"] == "storage-unavailable")
                #expect(
                    try refused.object["detail"]
                        == .string(
                            "Nothing was changed: Cannot write to '\(daemon.database)': "
                                + "database or disk is full (SQLite 13)"))
                #expect(try await daemon.answer(to: .get("/v1/instances/p")).object["seq"] == 2)
                #expect(try await daemon.answer(to: .get("/v1/instances/p/history")).status == 200)
                #expect(try await daemon.answer(to: .get("/v1/instances")).status == 200)
            }
            let told = try await daemon.wfctl("send", "p", "retry")
            #expect(told.end == .exited(75))
            let ready = try await daemon.answer(to: .get("/readyz"))
            #expect(ready.status == 503)
            #expect(try ready.object["type"] == "storage-unavailable")
            #expect(
                try ready.object["detail"]
                    == .string(
                        "Nothing can be written: Cannot write to '\(daemon.database)': "
                            + "database or disk is full (SQLite 13)"))
            #expect(try await daemon.answer(to: .get("/livez")).status == 200)

            try disk.makeRoom()
            // The daemon finds out by itself, without a request.
            try await eventually("it is ready") { try await daemon.answer(to: .get("/readyz")).status == 200 }
            _ = try await daemon.program.errorLines(containing: "the database is written to again")
            #expect(try file.dump() == before)
            for event in ["retry", "fail", "retry", "succeed"] {
                #expect(try await Self.send(event, to: daemon).status == 200)
            }
            #expect(try await daemon.answer(to: .get("/v1/instances/p")).object["seq"] == 6)
            #expect(try file.integrityCheck() == "ok")
            #expect(try await daemon.stop().end == .exited(0))
        }
    }

    @Test(.enabled("needs a user who may mount a tmpfs") { await SmallDisk.isPossible() }, .timeLimit(.minutes(20)))
    func aDaemonThatIsStoppedOrKilledOnAFullDiskHasLostNothing() async throws {
        let folder = try TemporaryFolder()
        try await SmallDisk.with(megabytes: 8, in: folder) { disk in
            var daemon = try await Self.daemon(on: disk, in: folder)
            _ = try await daemon.wfctl("apply", Programs.example("profile"))
            _ = try await daemon.wfctl("start", "profile", "p")
            _ = try await daemon.wfctl("send", "p", "succeed")
            try disk.fill()
            #expect(try await Self.send("retry", to: daemon).status == 503)
            // The file cannot be marked as closed in order; that is told, and nothing else is lost.
            #expect(try await daemon.stop().end == .exited(74))
            try disk.makeRoom()
            daemon = try await Self.daemon(on: disk, in: folder)
            #expect(try await daemon.answer(to: .get("/v1/instances/p")).object["seq"] == 2)
            try disk.fill()
            #expect(try await Self.send("retry", to: daemon).status == 503)
            try await daemon.kill()
            try disk.makeRoom()
            daemon = try await Self.daemon(on: disk, in: folder)
            let accepted = try await Self.send("retry", to: daemon)
            #expect(accepted.status == 200, "\(accepted.text)")
            #expect(try DatabaseFile(daemon.database).integrityCheck() == "ok")
            let result = try await daemon.stop()
            #expect(result.end == .exited(0), "\(result.errors)")
        }
    }

    /// systemd never restarts a daemon that exits with 73, so a full disk, which may have room again, must not exit so.
    @Test(.enabled("needs a user who may mount a tmpfs") { await SmallDisk.isPossible() }, .timeLimit(.minutes(20)))
    func aStartWithoutRoomSaysSoAndMayBeTriedAgain() async throws {
        let folder = try TemporaryFolder()
        try await SmallDisk.with(megabytes: 8, in: folder) { disk in
            let arguments = Daemon.arguments(
                database: disk.path + "/wfd.db", listen: ["unix:" + folder.path("wfd.sock")])
            func expectNoRoom(_ deed: String, _ rest: String = "", more: [String] = []) async throws {
                let result = try await Daemon.launch(arguments + more).result()
                #expect(result.end == .exited(74), "\(result)")
                let sentence = "\(deed) '\(disk.path)/wfd.db'\(rest): no room on the disk"
                #expect(result.errors.contains(sentence), "\(result)")
            }
            // The lock takes no room, the new file does.
            try disk.fill()
            try await expectNoRoom("Cannot create")
            try disk.makeRoom()
            #expect(try await Self.daemon(on: disk, in: folder).stop().end == .exited(0))
            // There is no room for the log of an existing file.
            try disk.fill()
            try await expectNoRoom("Cannot open")
            try disk.makeRoom()
            // The tables of a file of 0.1.0 are upgraded.
            let fixture = Programs.fixture("0.1.0")
            try FileManager.default.removeItem(atPath: disk.path + "/wfd.db")
            try FileManager.default.copyItem(atPath: fixture, toPath: disk.path + "/wfd.db")
            try disk.fill()
            try disk.makeRoom(bytes: 48 << 10)
            try await expectNoRoom("Cannot upgrade", " to schema version 2", more: ["--no-copy"])
            let uncopied = try await Daemon.launch(arguments).result()
            #expect(uncopied.end == .exited(74), "\(uncopied)")
            let refused = "Cannot keep a copy of '\(disk.path)/wfd.db' before its upgrade: the copy needs 1 MiB"
            #expect(uncopied.errors.contains(refused), "\(uncopied)")
            try disk.makeRoom()
            #expect(try await Self.daemon(on: disk, in: folder).stop().end == .exited(0))
            let names = try FileManager.default.contentsOfDirectory(atPath: disk.path).sorted()
            #expect(names.count == 3 && names.filter { $0.hasPrefix("wfd.db.before-") }.count == 1, "\(names)")
        }
    }

    /// A file has 9,000 events: the first that finds no room ends the batch, which continues when there is room.
    @Test(.enabled("needs a user who may mount a tmpfs") { await SmallDisk.isPossible() }, .timeLimit(.minutes(20)))
    func aBatchStopsWhereTheDiskIsFullAndGoesOnThere() async throws {
        let folder = try TemporaryFolder()
        try await SmallDisk.with(megabytes: 24, in: folder) { disk in
            let daemon = try await Self.daemon(on: disk, in: folder)
            _ = try await daemon.wfctl("apply", folder.write(Self.counter, to: "counter.yaml"))
            _ = try await daemon.wfctl("start", "counter", "c")
            let count = 9_000
            let lines = (0..<count).map { #"{"instance": "c", "event": "tick", "data": \#($0)}"# + "\n" }
            let file = try folder.write(lines.joined(), to: "ticks.ndjson")
            try disk.fill()
            try disk.makeRoom(bytes: 1 << 20)

            let stopped = try await daemon.wfctl("send", "--batch", file, "--run", "r")
            #expect(stopped.end == .exited(75), "\(stopped)")
            // On a busy machine, progress lines come first.
            let told = stopped.errors.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("sending ") }
            try #require(told.count == 3, "\(stopped.errors.prefix(1_000))")
            let applied = try #require(Int(told[1].split(separator: " ")[3]))
            #expect(
                told == [
                    "error: Stopped at line \(applied + 1): Nothing was changed: Cannot write to '\(daemon.database)': "
                        + "database or disk is full (SQLite 13)",
                    "  sent so far: \(applied) events: \(applied) applied, 0 applied before, 0 refused",
                    "  the same command continues where this one stopped",
                ])
            #expect(try await daemon.answer(to: .get("/v1/instances/c")).object["seq"] == .int(Int64(applied) + 1))

            try disk.makeRoom()
            let rest = try await daemon.wfctl("send", "--batch", file, "--run", "r")
            #expect(
                rest.output
                    == "\(count) events: \(count - applied) applied, \(applied) applied before, 0 refused\n",
                "\(rest)")
            #expect(try await daemon.stop().end == .exited(0))
        }
    }

    private static let counter = "{id: counter, initial: on, states: {on: {on: {tick: {}}}}}"

    @Test(.enabled("needs a user who may mount a tmpfs") { await SmallDisk.isPossible() }, .timeLimit(.minutes(20)))
    func manyClientsOnADiskThatFillsAndEmptiesLoseNothing() async throws {
        let folder = try TemporaryFolder()
        try await SmallDisk.with(megabytes: 8, in: folder) { disk in
            let daemon = try await Self.daemon(on: disk, in: folder)
            _ = try await daemon.wfctl("apply", Programs.example("profile"))
            let acknowledged = try await withThrowingTaskGroup(of: Int64.self) { group in
                for client in 0..<4 {
                    group.addTask { try await Self.sendThroughFullDisk(to: daemon, instance: "p-\(client)") }
                }
                try await Self.waitForRows(40, in: daemon.database)
                try disk.fill()
                let refused = try await daemon.answer(to: .post("/v1/instances", #"{"machine": "profile"}"#))
                #expect(refused.status == 503)
                try disk.makeRoom()
                return try await group.reduce(0, +)
            }
            let file = DatabaseFile(daemon.database)
            #expect(try file.number("SELECT count(*) FROM journal") == acknowledged)
            #expect(try file.number("SELECT sum(seq) FROM instance") == acknowledged)
            #expect(try file.integrityCheck() == "ok")
        }
    }

    /// Sends until 100 events are accepted. An event that is refused for lack of room is sent again.
    private static func sendThroughFullDisk(to daemon: Daemon, instance: String) async throws -> Int64 {
        try await onOwnThread { [address = daemon.address] in
            let connection = try RawConnection(to: address)
            var seq: Int64 = 0
            while seq < 100 {
                let request: RawRequest =
                    seq == 0
                    ? .post("/v1/instances", #"{"machine": "profile", "instance": "\#(instance)"}"#)
                    : .post(
                        "/v1/instances/\(instance)/events", #"{"event": "\#(seq % 2 == 1 ? "succeed" : "retry")"}"#)
                let answer = try connection.answer(to: request)
                switch (answer.status, try answer.object["seq"]) {
                case (200, .int(let next)?), (201, .int(let next)?):
                    guard next == seq + 1 else { throw TestingError("seq \(next) after \(seq)") }
                    seq = next
                case (503, _) where try answer.object["type"] == "storage-unavailable": break
                default: throw TestingError(answer.text)
                }
            }
            return seq
        }
    }

    /// Polls until the journal has a number of rows.
    private static func waitForRows(_ count: Int64, in database: String) async throws {
        try await eventually("there are \(count) rows") {
            try DatabaseFile(database).number("SELECT count(*) FROM journal") >= count
        }
    }
}
