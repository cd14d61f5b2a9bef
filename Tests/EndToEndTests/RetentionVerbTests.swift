import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Tests that finished instances are deleted automatically, by a daemon that is killed meanwhile.
@Suite(.timeLimit(.minutes(20))) struct RetentionVerbTests {
    private static let definition = "id: door\ninitial: open\nstates: {open: {on: {shut: shut}}, shut: {type: final}}"
    private static let instances = 400

    private static func daemon(in folder: TemporaryFolder) async throws -> Daemon {
        let database = folder.path("wfd.db")
        let arguments = Daemon.arguments(database: database, listen: ["unix:" + folder.path("wfd.sock")])
        return try await Daemon(arguments: arguments + ["--clock", "virtual"], database: database)
    }

    @Test func aPassThatIsKilledGoesOnAfterTheNextStart() async throws {
        let folder = try TemporaryFolder()
        var daemon = try await Self.daemon(in: folder)
        _ = try await daemon.said("apply", folder.write(Self.definition, to: "door.yaml"))
        for number in 0..<Self.instances {
            let start = #"{"machine":"door","instance":"d-\#(number)"}"#
            #expect(try await daemon.answer(to: .post("/v1/instances", start)).status == 201)
            if number == 0 { continue }
            let shut = try await daemon.answer(to: .post("/v1/instances/d-\(number)/events", #"{"event":"shut"}"#))
            #expect(shut.status == 200)
        }
        #expect(
            try await daemon.said("machine", "set", "door", "--retention", "0s", "--dry-run")
                == "door: 399 instances would be deleted now\n")
        #expect(
            try await daemon.said("machine", "set", "door", "--retention", "1h")
                == "door: finished instances are kept for 1h\n")
        let shown = try await daemon.wfctl("machine", "show", "door")
        #expect(shown.errors == "finished instances are deleted 1h after the last that came to them\n")
        let wrong = try await daemon.answer(to: .post("/v1/machines/door/retention", #"{"retention":"soon"}"#))
        #expect(wrong.status == 400 && wrong.text.contains("Field 'retention': 'soon' is no delay"), "\(wrong.text)")
        let none = try await daemon.wfctl("machine", "set", "door", "--retention", "0s")
        #expect(none.end == .exited(65) && none.errors.contains("nothing would be kept"), "\(none)")
        #expect(try await daemon.wfctl("machine", "set", "gate", "--retention", "1h").end == .exited(4))
        // The answer is lost with the daemon: nobody waits for it.
        let first = Task { [daemon] in try? await daemon.wfctl("clock", "advance", "2h") }
        try await eventually("one is deleted") { try daemon.deletions > 0 }
        try await daemon.kill()
        _ = await first.value
        // All may be gone before the kill.
        let left = try 399 - daemon.deletions
        daemon = try await Self.daemon(in: folder)
        _ = try await daemon.said("clock", "advance", "2h")
        #expect(try daemon.deletions == 399)
        #expect(try await daemon.said("list", "--machine", "door").contains("d-0 "))
        let audit = try await daemon.said("audit", "--action", "delete", "-o", "jsonl").split(separator: "\n")
        #expect(audit.count == 399 && audit.allSatisfy { $0.contains(#""actor":"retention""#) })
        _ = try await daemon.saidInTime("verify", "--all")
        #expect(
            try await daemon.said("machine", "set", "door", "--retention", "none")
                == "door: finished instances are kept\n")
        let ended = try await daemon.stop()
        #expect(ended.end == .exited(0))
        #expect(left == 0 || ended.errors.contains("finished instances were deleted"), "\(ended.errors)")
    }
}

extension Daemon {
    fileprivate var deletions: Int {
        get throws { Int(try DatabaseFile(database).number("SELECT count(*) FROM audit")) }
    }
}
