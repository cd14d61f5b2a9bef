import DaemonTesting
import Foundation
import Testing

/// Kills a compaction before its first flush, rename or removal, before its second and so on. The file must be the old
/// one or the new one, complete.
@Suite struct InterruptedCompactionTests {
    private static let rows = 400

    /// Returns a folder with a database that has free pages, and was closed properly.
    private static func makeTemplate() async throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        _ = try await daemon.wfctl("apply", Programs.example("profile"))
        for name in ["p-1", "p-2"] {
            _ = try await daemon.wfctl("start", "profile", name)
            let lines = (1...rows).map { number in
                #"{"instance": "\#(name)", "event": "\#(number % 2 == 1 ? "succeed" : "retry")", "data": "tok_9"}"#
            }
            let sent = try await daemon.answer(
                to: .post("/v1/events", lines.joined(separator: "\n"), as: "application/x-ndjson"))
            guard sent.status == 200 else { throw TestingError(sent.text) }
        }
        let deleted = try await daemon.wfctl("delete", "p-2", "--confirm", "p-2", "--reason", "r")
        guard deleted.end == .exited(0) else { throw TestingError("\(deleted)") }
        try await eventually("its rows are gone") {
            try DatabaseFile(daemon.database).number("SELECT count(*) FROM purge WHERE waits = 0") == 0
        }
        let stopped = try await daemon.stop()
        guard stopped.end == .exited(0) else { throw TestingError("\(stopped)") }
        return folder
    }

    private static func copy(_ template: TemporaryFolder) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for name in try template.names() {
            try FileManager.default.copyItem(atPath: template.path(name), toPath: folder.path(name))
        }
        return folder
    }

    private static func compact(in folder: TemporaryFolder, _ faults: SyncFaults? = nil) async throws -> ProgramResult {
        try await Daemon.launch(["compact", folder.path("wfd.db")], environment: try faults?.environment ?? [:])
            .result()
    }

    private static func size(in folder: TemporaryFolder) throws -> Int {
        try Data(contentsOf: URL(filePath: folder.path("wfd.db"))).count
    }

    @Test(.timeLimit(.minutes(20))) func whereverItIsKilledTheFileIsTheOldOrTheNewOne() async throws {
        let template = try await Self.makeTemplate()
        let dump = try DatabaseFile(template.path("wfd.db")).dump()
        let old = try Self.size(in: template)
        var ends: [String: Int] = [:]
        var step = 0
        while true {
            step += 1
            try #require(step < 200, "the compaction never gets through")
            let folder = try Self.copy(template)
            let faults = try SyncFaults(in: folder)
            try faults.kill(before: step)
            let end = try await Self.compact(in: folder, faults).end
            if end == .exited(0) { break }
            #expect(end == .killed(by: SIGKILL), "step \(step)")
            let size = try Self.size(in: folder)
            ends[size == old ? "old" : "new", default: 0] += 1
            #expect(try DatabaseFile(folder.path("wfd.db")).dump() == dump, "killed before step \(step)")
            let verified = try await Daemon.launch(["verify", folder.path("wfd.db")]).result()
            #expect(verified.end == .exited(0), "killed before step \(step): \(verified)")
            // A second compaction gets through. If a daemon is started instead, it serves.
            if step % 2 == 0 {
                let again = try await Self.compact(in: folder)
                #expect(again.end == .exited(0), "killed before step \(step): \(again)")
                #expect(try Self.size(in: folder) < old)
            } else {
                let daemon = try await Daemon(in: folder)
                #expect(try await daemon.stop().end == .exited(0), "killed before step \(step)")
            }
            #expect(try folder.names().allSatisfy { !$0.contains("compacting") }, "killed before step \(step)")
        }
        print("compaction: killed before each of \(step - 1) steps: \(ends)")
        #expect(ends["old", default: 0] > 0 && ends["new", default: 0] > 0)
    }

    /// Files that SQLite would play into the new file must lose their names, on the disk too, before that file gets its
    /// own.
    @Test(.timeLimit(.minutes(10))) func theFolderIsFlushedBeforeTheRename() async throws {
        let folder = try await Self.makeTemplate()
        let faults = try SyncFaults(in: folder)
        #expect(try await Self.compact(in: folder, faults).end == .exited(0))
        #expect(try faults.earlyRenames() == 0 && faults.calls() > 2)
    }
}
