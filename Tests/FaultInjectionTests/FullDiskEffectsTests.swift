import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Tests a full disk while wfd acts on the world: no action is repeated again and again, and none is lost.
@Suite(
    .enabled(if: TestService.python != nil, "there is no python3 on this system"),
    .enabled("needs a user who may mount a tmpfs") { await SmallDisk.isPossible() }, .timeLimit(.minutes(20)))
struct FullDiskEffectsTests {
    /// The number of requests that wfd makes to one host at a time.
    private static let places = 16

    private static func machine(_ service: TestService) -> String {
        """
        id: order
        initial: paying
        context: {receipt: null}
        states:
          paying:
            invoke:
              http: {method: POST, url: "\(service.url)/held/{instance.name}", body: {of: instance.name}}
              onDone: {target: packing, actions: {assign: {receipt: event.data.body.id}}}
          packing: {invoke: {task: stock, onDone: packed}}
          packed: {}
        """
    }

    /// A service whose answers wait for their release, and a daemon on a small disk that calls it.
    private struct Stage {
        let service: TestService
        let folder: TemporaryFolder
        let disk: SmallDisk
        var daemon: Daemon

        init(_ disk: SmallDisk, in folder: TemporaryFolder) async throws {
            self.disk = disk
            self.folder = folder
            service = try await TestService()
            daemon = try await Self.daemon(on: disk, in: folder)
            _ = try await daemon.wfctl("apply", folder.write(machine(service), to: "order.yaml"))
        }

        static func daemon(on disk: SmallDisk, in folder: TemporaryFolder) async throws -> Daemon {
            let database = disk.path + "/wfd.db"
            return try await Daemon(
                arguments: Daemon.arguments(database: database, listen: ["unix:" + folder.path("wfd.sock")])
                    + ["--allow-http", "127.0.0.1"],
                database: database)
        }

        func start(_ name: String) async throws -> RawAnswer {
            try await daemon.answer(to: .post("/v1/instances", #"{"machine": "order", "instance": "\#(name)"}"#))
        }

        /// Returns the number of instances in a state.
        func count(in state: String) throws -> Int64 {
            try DatabaseFile(daemon.database).number(
                "SELECT count(*) FROM instance WHERE configuration = '\(state)'")
        }

        /// Returns the keys of all requests to the service.
        func keys() async throws -> [String] {
            try await service.recorded().map { $0.object?["headers"]?.object?["idempotency-key"]?.string ?? "" }
        }

        /// Waits for so long that the daemon tries again and again to write the result of an attempt.
        func insist() async throws {
            let end = ContinuousClock.now + .seconds(2)
            repeat {
                let refused = try await start("never")
                #expect(refused.status == 503)
                #expect(try refused.object["type"] == "storage-unavailable")
            } while .now < end
        }

        func expectWhole() async throws {
            let stopped = try await daemon.stop()
            #expect(stopped.end == .exited(0), "\(stopped.errors)")
            let verified = try await Daemon.launch(["verify", daemon.database]).result()
            #expect(verified.end == .exited(0), "\(verified)")
        }
    }

    @Test func whatWasAnsweredIsNotAskedAgain() async throws {
        let folder = try TemporaryFolder()
        try await SmallDisk.with(megabytes: 8, in: folder) { disk in
            let stage = try await Stage(disk, in: folder)
            let names = (0..<20).map { "o-\($0)" }
            for name in names { #expect(try await stage.start(name).status == 201) }
            try await eventually("the first requests") { try await stage.keys().count == Self.places }
            try disk.fill()
            try await stage.service.release()
            try await stage.insist()
            // Their answers have come and are kept in memory; nothing else is begun.
            #expect(try await stage.keys().count == Self.places)
            #expect(try stage.count(in: "paying") == 20)
            try disk.makeRoom()
            try await eventually("all to be paid") { try stage.count(in: "packing") == 20 }
            let keys = try await stage.keys()
            #expect(keys.count == 20 && Set(keys).count == 20)
            try await stage.expectWhole()
        }
    }

    @Test func whoIsKilledWithAnAnswerAsksAgainWithTheSameKey() async throws {
        let folder = try TemporaryFolder()
        try await SmallDisk.with(megabytes: 8, in: folder) { disk in
            var stage = try await Stage(disk, in: folder)
            for name in ["o-1", "o-2", "o-3"] { #expect(try await stage.start(name).status == 201) }
            try await eventually("the requests") { try await stage.keys().count == 3 }
            try disk.fill()
            try await stage.service.release()
            try await stage.insist()
            try await stage.daemon.kill()
            try disk.makeRoom()
            stage.daemon = try await Stage.daemon(on: disk, in: folder)
            try await eventually("all to be paid") { [stage] in try stage.count(in: "packing") == 3 }
            let keys = try await stage.keys()
            #expect(keys.count == 6 && Set(keys).count == 3)
            try await stage.expectWhole()
        }
    }

    /// The worker's reports are refused in a way that makes it repeat them, and its lease stays.
    @Test func aWorkerKeepsItsTask() async throws {
        let folder = try TemporaryFolder()
        try await SmallDisk.with(megabytes: 8, in: folder) { disk in
            let stage = try await Stage(disk, in: folder)
            try await stage.service.release()
            for name in ["o-1", "o-2"] { #expect(try await stage.start(name).status == 201) }
            try await eventually("tasks") { try stage.count(in: "packing") == 2 }
            let lease = RawRequest.post("/v1/tasks/stock/lease", #"{"lease": 3600}"#)
            guard case .array(let tasks)? = try await stage.daemon.answer(to: lease).object["tasks"],
                let task = tasks.first?.object?["task"]?.string
            else { throw TestingError("there is no task") }
            let complete = RawRequest.post("/v1/tasks/\(task)/complete", "1")
            try disk.fill()
            for request in [complete, lease, complete] {
                let refused = try await stage.daemon.answer(to: request)
                #expect(refused.status == 503, "\(refused.text)")
            }
            try disk.makeRoom()
            for _ in 1...2 {
                var taken = try await stage.daemon.answer(to: complete)
                try await eventually("room") {
                    if taken.status == 503 { taken = try await stage.daemon.answer(to: complete) }
                    return taken.status != 503
                }
                #expect(taken.status == 204, "\(taken.text)")
            }
            #expect(try stage.count(in: "packed") == 1)
            // The lease that was refused has taken nothing.
            let next = try await stage.daemon.answer(to: lease).object["tasks"]
            guard case .array(let rest)? = next else { throw TestingError("no tasks") }
            #expect(rest.map { $0.object?["attempt"] } == [1])
            try await stage.expectWhole()
        }
    }
}
