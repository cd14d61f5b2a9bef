import DaemonTesting
import Foundation
import GRDB
import Testing
import WorkflowJSON

/// Tests that a database from a release opens for ever: each later wfd upgrades it, finds it intact and continues with
/// it.
///
/// `Tests/Fixtures` has one file of every release. The first test here writes the file of the version in work, with
/// `WFD_FIXTURE=FILE swift test --filter ReleasedFileTests`.
@Suite struct ReleasedFileTests {
    private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures").path

    private static let definition = """
        id: parcel
        initial: open
        context: {weight: 0.5, stamps: 0, until: '2026-01-01T00:00:00Z'}
        states:
          open:
            tags: busy
            on:
              weigh: {actions: {assign: {weight: event.data.weight}}}
              stamp: {actions: {send: {event: stamped}}}
              stamped: {actions: {assign: {stamps: context.stamps + 1}}}
              guess: {actions: {send: {event: guessed}}}
              guessed: {actions: {assign: {stamps: 'event.at < timestamp(context.until) ? 1 / 0 : 7'}}}
              nap: napping
              rest: resting
              post: posted
            after: {2600w: lost}
          napping: {after: {20ms: open}}
          resting: {after: {90s: open}}
          posted: {type: final, output: {stamps: context.stamps}}
          lost: {type: final}
        """

    /// The kinds in the journal of a release; the other kinds belong to later versions.
    private static let kinds = ["event", "failed", "retried", "sent", "started", "timer"]

    @Test(.timeLimit(.minutes(20))) func aFileWithEveryKindOfRowIsWrittenAndGoneOnWith() async throws {
        let folder = try TemporaryFolder()
        try await write(in: folder)
        let file = DatabaseFile(folder.path("wfd.db"))
        let kinds = try file.read { try String.fetchAll($0, sql: "SELECT DISTINCT kind FROM journal ORDER BY 1") }
        #expect(kinds == Self.kinds)
        #expect(try file.number("SELECT count(*) FROM snapshot") > 0)
        #expect(try file.number("SELECT count(*) FROM timer") > 0)
        #expect(try file.number("SELECT count(*) FROM restoration") == 1)
        #expect(try file.number("SELECT count(DISTINCT version) FROM machine WHERE name = 'parcel'") == 2)
        #expect(try file.number("SELECT count(DISTINCT length(key) = 16) FROM journal WHERE key IS NOT NULL") == 2)
        #expect(try file.number("SELECT count(*) FROM journal WHERE note IS NOT NULL") > 0)
        if let path = ProcessInfo.processInfo.environment["WFD_FIXTURE"] {
            try FileManager.default.copyItem(atPath: folder.path("wfd.db"), toPath: path)
        }
        try await goOn(in: folder, isOld: false)
    }

    @Test(.timeLimit(.minutes(20)), arguments: ["0.1.0"])
    func theFileOfAReleaseIsOpenedVerifiedAndGoneOnWith(_ release: String) async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(
            atPath: "\(Self.fixtures)/\(release).db", toPath: folder.path("wfd.db"))
        try await goOn(in: folder, isOld: true)
        // A copy of the file as it was stays, is told at each start, and has what is erased in the file itself.
        let copy = try #require(try folder.names().first { $0.hasPrefix("wfd.db.before-") })
        let daemon = try await Daemon(in: folder)
        #expect(daemon.program.errors.contains("copy=\(folder.path(copy))"))
        let redacted = try await daemon.said("redact", "p-6", "--reason", "asked for")
        #expect(redacted.contains("pending: '\(folder.path(copy))', the file as it was before an upgrade, still has"))
        try FileManager.default.removeItem(atPath: folder.path(copy))
        let last = try await daemon.said("redact", "p-4", "--reason", "asked for")
        #expect(!last.contains("pending"))
        _ = try await daemon.stop()
    }

    /// The files of a release without one would never be tested.
    @Test func everyReleaseHasAFile() throws {
        let changes = try String(contentsOfFile: "\(Self.fixtures)/../../CHANGELOG.md", encoding: .utf8)
        let releases = changes.matches(of: /\n## (\d+\.\d+\.\d+), \d{4}-\d{2}-\d{2}\n/).map { "\($0.1).db" }
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.fixtures)
            .filter { $0.wholeMatch(of: /\d+\.\d+\.\d+\.db/) != nil }
        #expect(!releases.isEmpty && releases.sorted() == files.sorted())
    }

    /// Uses every feature of this version. At the end, a backup replaces the file.
    private func write(in folder: TemporaryFolder) async throws {
        var daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", folder.write(Self.definition, to: "parcel.yaml"))
        for name in ["p-1", "p-3", "p-4", "p-5"] { _ = try await daemon.said("start", "parcel", name) }
        _ = try await daemon.said("start", "parcel", "p-2", "--key", "the second")
        _ = try await daemon.said("send", "p-1", "weigh", "--data", #"{"weight":2.5}"#, "--key", "first")
        _ = try await daemon.said("send", "p-1", "stamp")
        _ = try await daemon.said("send", "p-1", "nap")
        let lines = (1...260).map {
            #"{"instance":"p-4","event":"weigh","data":{"weight":\#($0).5},"key":"line \#($0)"}"#
        }
        _ = try await daemon.said("send", "--batch", folder.write(lines.joined(separator: "\n"), to: "lines"))
        try await fail("p-2-late", daemon)
        try await fail("p-3-late", daemon)
        try await untilItSucceeds("retry", "p-2-late", on: daemon)
        _ = try await daemon.said("send", "p-5", "rest")
        // The nap of 'p-1' is over as soon as it takes an event.
        try await untilItSucceeds("send", "p-1", "stamp", on: daemon)
        _ = try await daemon.saidInTime("backup", folder.path("copy.db"))
        _ = try await daemon.said("send", "p-1", "stamp")
        _ = try await daemon.stop()
        let restored = try await Daemon.launch(
            ["restore", "--database", folder.path("wfd.db"), folder.path("copy.db")]
        ).result()
        #expect(restored.end == .exited(0), "\(restored)")
        daemon = try await Daemon(in: folder)
        let second = "description: the second version\n" + Self.definition
        _ = try await daemon.said("apply", folder.write(second, to: "parcel.yaml"))
        _ = try await daemon.said("start", "parcel", "p-6")
        _ = try await daemon.said("send", "p-6", "post")
        _ = try await daemon.stop()
    }

    /// Lets an instance fail on an event that it cannot take, because its time comes soon.
    private func fail(_ name: String, _ daemon: Daemon) async throws {
        let soon = Date(timeIntervalSinceNow: 4).formatted(.iso8601)
        _ = try await daemon.said("start", "parcel", name, "--data", #"{"until":"\#(soon)"}"#)
        let failing = try await daemon.wfctl("send", name, "guess")
        #expect(failing.end == .exited(5) && failing.output.hasSuffix(", failed)\n"), "\(failing)")
    }

    /// Repeats a command as long as its result may still change.
    private func untilItSucceeds(_ arguments: String..., on daemon: Daemon) async throws {
        var result = try await daemon.wfctl(arguments)
        try await eventually("it is no longer refused") {
            if result.end == .exited(5) { result = try await daemon.wfctl(arguments) }
            return result.end != .exited(5)
        }
        #expect(result.end == .exited(0), "\(arguments): \(result)")
    }

    /// Carries out the steps that every file must pass.
    ///
    /// - Parameter isOld: True if timers that were due soon when the file was written are overdue.
    private func goOn(in folder: TemporaryFolder, isOld: Bool) async throws {
        try await verify(folder)
        let daemon = try await Daemon(in: folder)
        let failed = try await daemon.json("list", "--status", "failed").elements
        #expect(failed.map { $0["instance"] } == ["p-3-late"])
        try await untilItSucceeds("retry", "p-3-late", on: daemon)
        #expect(try await daemon.json("show", "p-3-late")["context"]["stamps"] == 7)
        _ = try await daemon.said("send", "p-1", "weigh", "--data", #"{"weight":3}"#)
        #expect(try await daemon.json("show", "p-1")["context"]["weight"] == 3.0)
        #expect(try await daemon.json("show", "p-6")["output"]["stamps"] == 0)
        let rest = try await daemon.wfctl("send", "p-5", "stamp")
        #expect(rest.end == .exited(isOld ? 0 : 5), "\(rest)")
        _ = try await daemon.said("start", "parcel", "p-7")
        #expect(try await daemon.saidInTime("verify", "--all").hasSuffix("no difference\n"))
        _ = try await daemon.stop()
        try await verify(folder)
    }

    private func verify(_ folder: TemporaryFolder) async throws {
        let found = try await Daemon.launch(["verify", folder.path("wfd.db")]).result()
        #expect(found.end == .exited(0) && found.output.hasSuffix("no difference\n"), "\(found)")
    }
}
