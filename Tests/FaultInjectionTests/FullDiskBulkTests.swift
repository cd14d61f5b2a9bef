import DaemonTesting
import Testing
import ThreadTesting
import WorkflowJSON

/// Tests a run over many instances without room on the disk. It pauses, reports this, and continues when there is room.
@Suite(.tags(.heavy)) struct FullDiskBulkTests {
    private static let definition = """
        id: box
        initial: a
        context: {last: ""}
        states: {a: {on: {note: {actions: {assign: {last: event.data}}}}}}
        """
    private static let instances = 600

    @Test(.enabled("needs a user who may mount a tmpfs") { await SmallDisk.isPossible() }, .timeLimit(.minutes(20)))
    func aRunPausesOnAFullDiskAndGoesOn() async throws {
        let folder = try TemporaryFolder()
        try await SmallDisk.with(megabytes: 96, in: folder) { disk in
            let database = disk.path + "/wfd.db"
            let daemon = try await Daemon(
                arguments: Daemon.arguments(database: database, listen: ["unix:" + folder.path("wfd.sock")]),
                database: database)
            let answer = try await Self.pausedRun(daemon, disk, folder)
            let paused = try await Self.shown(daemon)
            #expect(paused["state"] == "running" && paused["paused"]?.string?.contains("disk is full") == true)
            #expect(try await daemon.wfctl("status").output.contains("runs:      r: send, "))
            try disk.makeRoom()
            try await eventually("the run to end") { try await Self.shown(daemon)["state"] == "done" }
            #expect(try await Self.shown(daemon)["counts"]?.object?["done"] == .int(Int64(Self.instances)))
            #expect(try await answer.value.status == 200)
            let rows = "SELECT count(*) FROM journal WHERE json_extract(note, '$.run') = 'r'"
            #expect(try DatabaseFile(database).number(rows) == Int64(Self.instances))
            #expect(try await daemon.wfctl("verify", "--all").end == .exited(0))
            #expect(try await daemon.stop().end == .exited(0))
        }
    }

    /// The follower of the run is cut off, and the run continues at the next start.
    @Test(.enabled("needs a user who may mount a tmpfs") { await SmallDisk.isPossible() }, .timeLimit(.minutes(20)))
    func aDaemonStopsWhileARunPausesAndSomebodyFollowsIt() async throws {
        let folder = try TemporaryFolder()
        try await SmallDisk.with(megabytes: 96, in: folder) { disk in
            let database = disk.path + "/wfd.db"
            let arguments = Daemon.arguments(database: database, listen: ["unix:" + folder.path("wfd.sock")])
            let daemon = try await Daemon(arguments: arguments, database: database)
            let follower = try await Self.pausedRun(daemon, disk, folder)
            let stopped = try await daemon.stop()
            // The writes at closing may or may not find room in the log.
            let isFull = stopped.end == .exited(74) && stopped.errors.contains("database or disk is full")
            #expect(stopped.end == .exited(0) || isFull, "\(stopped)")
            _ = try? await follower.value
            try disk.makeRoom()
            let next = try await Daemon(arguments: arguments, database: database)
            try await eventually("the run to end") { try await Self.shown(next)["state"] == "done" }
            #expect(try await Self.shown(next)["counts"]?.object?["done"] == .int(Int64(Self.instances)))
            #expect(try await next.stop().end == .exited(0))
        }
    }

    /// Returns a run that pauses because the disk is full, and a follower of it.
    private static func pausedRun(
        _ daemon: Daemon, _ disk: SmallDisk, _ folder: TemporaryFolder
    ) async throws -> Task<RawAnswer, any Error> {
        #expect(try await daemon.wfctl("apply", try folder.write(definition, to: "box.yaml")).end == .exited(0))
        for number in 0..<instances {
            let start = #"{"machine":"box","instance":"b-\#(number)"}"#
            #expect(try await daemon.answer(to: .post("/v1/instances", start)).status == 201)
        }
        try disk.fill()
        // This is enough room to begin, and not enough for all: each row has 16 KB.
        try disk.makeRoom(bytes: 4 << 20)
        let data = String(repeating: "x", count: 16 << 10)
        let body =
            #"{"run":"r","action":{"verb":"send","event":"note","data":"\#(data)"},"select":{"machine":"box"}}"#
        let follower = Task { try await daemon.answer(to: .post("/v1/bulk", body)) }
        try await eventually("the run to pause") { try await shown(daemon)["paused"] != nil }
        return follower
    }

    private static func shown(_ daemon: Daemon) async throws -> JSONObject {
        try await daemon.answer(to: .get("/v1/bulk/r")).object
    }
}
