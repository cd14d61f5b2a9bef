import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Tests a damaged byte in the index of instances' names, which leads to another instance.
@Suite struct DamagedIndexTests {
    /// Returns a database with the instances `o1` to `o9`, whose index has `o7` in the place of `o5`.
    private func damaged(in folder: TemporaryFolder) async throws -> String {
        let daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", Programs.example("profile"))
        for number in 1...9 { _ = try await daemon.said("start", "profile", "o\(number)") }
        #expect(try await daemon.stop().end == .exited(0))
        let file = DatabaseFile(daemon.database)
        let root = try file.number("SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_instance_1'")
        let size = try file.number("PRAGMA page_size")
        var bytes = try Data(contentsOf: URL(filePath: daemon.database))
        let page = Int((root - 1) * size)..<Int(root * size)
        // The name, and then the number of the row.
        let entry = try #require(bytes.range(of: Data("o5".utf8) + [5], in: page))
        bytes[entry.upperBound - 1] = 7
        try bytes.write(to: URL(filePath: daemon.database))
        return daemon.database
    }

    @Test(.timeLimit(.minutes(20))) func noEventGoesToAnotherInstance() async throws {
        let folder = try TemporaryFolder()
        _ = try await damaged(in: folder)
        let daemon = try await Daemon(in: folder)
        let sent = try await daemon.wfctl("send", "o5", "succeed")
        #expect(sent.end == .exited(65), "\(sent)")
        #expect(sent.errors.contains("the index of instances' names leads to a row that does not have it"), "\(sent)")
        // The daemon writes nothing any more, but still reads.
        let ready = try await daemon.answer(to: .get("/readyz"))
        #expect(ready.status == 500 && ready.headers["retry-after"] == nil, "\(ready)")
        #expect(try ready.object["type"] == "database-damaged", "\(ready)")
        #expect(try await daemon.wfctl("send", "o1", "succeed").end == .exited(65))
        #expect(try await daemon.json("show", "o7")["seq"] == 1)
        #expect(try await daemon.wfctl("show", "o5").end == .exited(65))
        let backup = try await daemon.wfctl("backup", folder.path("copy.db"))
        #expect(backup.end == .exited(65), "\(backup)")
        #expect(backup.errors.contains("the daemon has stopped writing: "), "\(backup)")
        let lines = try await daemon.program.errorLines(containing: Self.found, count: 4)
        #expect(lines.count == 4 && lines[2].contains(#"route="GET /v1/instances/o5""#), "\(lines)")
    }

    private static let found = "a request found the database damaged"

    /// The instance's own row is intact, and a row of its history is not.
    @Test(.timeLimit(.minutes(20))) func whoReadsADamagedHistoryIsToldAndSoIsTheOperator() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("profile")
        for event in ["fail", "retry", "succeed"] { _ = try await daemon.said("send", "profile", event) }
        // The change is made beside the daemon, which has checked its file when it started.
        try DatabaseFile(daemon.database).forge("UPDATE journal SET event = 'succeed' WHERE seq = 2")
        #expect(try await daemon.wfctl("show", "profile").end == .exited(0))
        #expect(!daemon.program.errors.contains(Self.found))
        for options in [[], ["--to", "2"], ["--trace"]] {
            let replayed = try await daemon.wfctl(["replay", "profile"] + options)
            #expect(replayed.end == .exited(65), "\(replayed)")
            #expect(replayed.errors.contains("the history does not fold at seq 2"), "\(replayed)")
            #expect(replayed.errors.contains("'wfctl verify --all' says what else is wrong"), "\(replayed)")
        }
        _ = try await daemon.program.errorLines(containing: Self.found)
        #expect(try await daemon.wfctl("verify", "--all").end == .exited(1))
    }

    @Test(.timeLimit(.minutes(20))) func everyVerificationFindsIt() async throws {
        let folder = try TemporaryFolder()
        let database = try await damaged(in: folder)
        let index = "the index 'sqlite_autoindex_instance_1'"
        let offline = try await Daemon.launch(["verify", database]).result()
        #expect(offline.end == .exited(1), "\(offline)")
        #expect(offline.output.contains("o7: \(index) leads to it by what it does not have\n"), "\(offline)")
        #expect(offline.output.contains("o5: \(index) does not lead to it\n"), "\(offline)")
        let daemon = try await Daemon(in: folder)
        let all = try await daemon.wfctl("verify", "--all")
        #expect(all.end == .exited(1), "\(all)")
        #expect(all.output.contains("o5: \(index) does not lead to it\n"), "\(all)")
        let one = try await daemon.wfctl("verify", "o5")
        #expect(one.end == .exited(1), "\(one)")
        #expect(one.output.contains("the index of instances' names leads to a row that does not have it"), "\(one)")
        #expect(!one.output.contains("0 instances"), "\(one)")
        #expect(one.output.contains("\n'o5' was looked up by its name, and nothing of it could be compared, in "))
        #expect(one.output.hasSuffix("\n1 difference\n"), "\(one)")
        let backup = try await daemon.wfctl("backup", folder.path("copy.db"))
        #expect(backup.end == .exited(65), "\(backup)")
        #expect(backup.errors.contains("Cannot back up '\(database)': the copy is damaged: "), "\(backup)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("copy.db")))
        #expect(try await daemon.stop().end == .exited(0))
    }
}
