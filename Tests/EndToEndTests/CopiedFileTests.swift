import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Two daemons with a copy each of one database do not both do the work in it.
@Suite(.timeLimit(.minutes(20))) struct CopiedFileTests {
    private static func daemon(
        in folder: TemporaryFolder, database: String = "wfd.db", place: String? = nil
    ) async throws -> Daemon {
        let path = folder.path(database)
        let options = place.map { ["--place", $0] } ?? []
        return try await Daemon(
            arguments: Daemon.arguments(database: path, listen: ["unix:\(path).sock"]) + options, database: path)
    }

    /// Returns a daemon with an instance whose task is not done.
    private static func begun(in folder: TemporaryFolder, place: String? = nil) async throws -> Daemon {
        let daemon = try await Self.daemon(in: folder, place: place)
        try await ParcelMachine.begin(on: daemon, in: folder)
        return daemon
    }

    /// Returns the number of tasks that a daemon hands out to a worker.
    private static func tasks(_ daemon: Daemon) async throws -> Int {
        let answer = try await daemon.answer(to: .post("/v1/tasks/stock/lease", #"{"max": 1, "wait": 0}"#))
        guard case .array(let tasks)? = try answer.object["tasks"] else { throw TestingError("\(answer.text)") }
        return tasks.count
    }

    private static func holdReason(_ daemon: Daemon) async throws -> String? {
        var ready: JSONObject = [:]
        try await eventually("the daemon to be ready") {
            let answer = try await daemon.answer(to: .get("/readyz"))
            ready = try answer.object
            return answer.status == 200
        }
        #expect(ready["held"] == (ready["holdReason"] == nil ? nil : true))
        return ready["holdReason"]?.string
    }

    @Test func aCopyWithItsLogHoldsEffectsUntilARelease() async throws {
        let folder = try TemporaryFolder()
        let original = try await Self.begun(in: folder)
        try await original.kill()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: folder.path("wfd.db" + suffix), toPath: folder.path("copy.db" + suffix))
        }
        for _ in 0..<2 {
            let copy = try await Self.daemon(in: folder, database: "copy.db")
            let reason = try #require(try await Self.holdReason(copy))
            #expect(
                reason.wholeMatch(
                    of: /the database was copied or moved: its inode was \d+ and is \d+; held since this start, 2.*Z/)
                    != nil)
            #expect(
                try await copy.said("status").contains(
                    "effects:   held: 'wfctl release' lets them start\n           \(reason)\n"))
            let told = try await copy.program.errorLines(
                containing: "effects are held: 'wfctl release' lets them start")
            #expect(told.contains { $0.contains(reason) }, "\(told)")
            #expect(try await Self.tasks(copy) == 0)
            #expect(try await copy.stop().end == .exited(0))
        }
        // Nothing is held at the original place.
        let next = try await Self.daemon(in: folder)
        #expect(try await Self.holdReason(next) == nil)
        #expect(try await Self.tasks(next) == 1)
        #expect(try await next.stop().end == .exited(0))

        let copy = try await Self.daemon(in: folder, database: "copy.db")
        #expect(try await copy.said("release") == "effects start from now on\n")
        #expect(try await Self.holdReason(copy) == nil)
        #expect(try await Self.tasks(copy) == 1)
        #expect(try await !copy.said("status").contains("held"))
        try await copy.kill()
        let again = try await Self.daemon(in: folder, database: "copy.db")
        #expect(try await Self.holdReason(again) == nil)
        #expect(try await again.stop().end == .exited(0))
        let verified = try await Daemon.launch(["verify", again.database]).result()
        #expect(verified.end == .exited(0), "\(verified)")
    }

    @Test func aFileThatIsRenamedHoldsNothing() async throws {
        let folder = try TemporaryFolder()
        #expect(try await Self.begun(in: folder).stop().end == .exited(0))
        _ = try folder.makeFolder("other")
        try FileManager.default.moveItem(atPath: folder.path("wfd.db"), toPath: folder.path("other/moved.db"))
        let moved = try await Self.daemon(in: folder, database: "other/moved.db")
        #expect(try await Self.holdReason(moved) == nil)
        #expect(try await Self.tasks(moved) == 1)
        #expect(try await moved.stop().end == .exited(0))
    }

    /// The compacted file has another inode. It is not held if the old one was not, and a copy stays a copy.
    @Test(arguments: [false, true]) func aFileThatIsCompactedIsWhereItWas(isCopy: Bool) async throws {
        let folder = try TemporaryFolder()
        #expect(try await Self.begun(in: folder).stop().end == .exited(0))
        let name = isCopy ? "copy.db" : "wfd.db"
        if isCopy { try FileManager.default.copyItem(atPath: folder.path("wfd.db"), toPath: folder.path(name)) }
        let compacted = try await Daemon.launch(["compact", folder.path(name)]).result()
        #expect(compacted.end == .exited(0), "\(compacted)")
        let daemon = try await Self.daemon(in: folder, database: name)
        let reason = try await Self.holdReason(daemon)
        #expect((reason != nil) == isCopy, "\(reason ?? "it holds nothing")")
        #expect(try await Self.tasks(daemon) == (isCopy ? 0 : 1))
        #expect(try await daemon.stop().end == .exited(0))
    }

    /// A container that is started again is the same place; the volume of another one is not.
    @Test func aNameStandsForTheMachine() async throws {
        let folder = try TemporaryFolder()
        try await Self.begun(in: folder, place: "a").kill()
        let restarted = try await Self.daemon(in: folder, place: "a")
        #expect(try await Self.holdReason(restarted) == nil)
        #expect(try await Self.tasks(restarted) == 1)
        try await restarted.kill()
        let other = try await Self.daemon(in: folder, place: "b")
        let reason = try await Self.holdReason(other)
        #expect(
            reason?.hasPrefix("the database was copied or moved: its machine was name:a and is name:b; ") == true)
        #expect(try await Self.tasks(other) == 0)
        #expect(try await other.stop().end == .exited(0))
        let refused = try await Daemon.launch(["serve", "--place", "a b"]).result()
        #expect(refused.end == .exited(64))
        #expect(refused.errors.contains("write 1 to 100 letters, digits and signs, without spaces"), "\(refused)")
    }

    @Test func oneStartWithAWrongNameHoldsNothingLater() async throws {
        let folder = try TemporaryFolder()
        #expect(try await Self.begun(in: folder, place: "a").stop().end == .exited(0))
        let wrong = try await Self.daemon(in: folder, place: "b")
        #expect(try await Self.holdReason(wrong) != nil)
        #expect(try await Self.tasks(wrong) == 0)
        try await wrong.kill()
        let right = try await Self.daemon(in: folder, place: "a")
        #expect(try await Self.holdReason(right) == nil)
        #expect(try await !right.said("status").contains("held"))
        #expect(try await Self.tasks(right) == 1)
        #expect(try await right.stop().end == .exited(0))

        // A release accepts the other place, and then the first one is wrong.
        let accepting = try await Self.daemon(in: folder, place: "b")
        #expect(try await accepting.said("release") == "effects start from now on\n")
        #expect(try await accepting.stop().end == .exited(0))
        let late = try await Self.daemon(in: folder, place: "a")
        let reason = try await Self.holdReason(late)
        #expect(reason?.contains("its machine was name:b and is name:a; ") == true, "\(reason ?? "nothing is held")")
        #expect(try await late.stop().end == .exited(0))
    }
}
