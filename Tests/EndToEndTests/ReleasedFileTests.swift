import DaemonTesting
import Foundation
import GRDB
import Statechart
import Testing
import WorkflowJSON
import WorkflowStore

/// Tests that a database from a release opens for ever: each later wfd upgrades it, finds it intact and continues with
/// it.
///
/// `Tests/Fixtures` has one file of every release. The first test here writes the file of the version in work, with
/// `WFD_FIXTURE=FILE swift test --filter ReleasedFileTests`.
@Suite struct ReleasedFileTests {
    private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures").path

    /// The releases that have a file.
    private static let releases = ((try? FileManager.default.contentsOfDirectory(atPath: fixtures)) ?? [])
        .compactMap { $0.wholeMatch(of: /(\d+\.\d+\.\d+)\.db/).map { String($0.1) } }.sorted()

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
          resting: {after: {1h: open}}
          posted: {type: final, output: {stamps: context.stamps}}
          lost: {type: final}
        """

    /// The columns that are NULL in every file: one is unused, and the others tell the progress of an erasure.
    private static let unset: Set = [
        "instance.parent", "erasure.seq", "erasure.next", "erasure.bottom", "erasure.top",
    ]

    @Test(.timeLimit(.minutes(20))) func aFileWithEveryKindOfRowIsWrittenAndGoneOnWith() async throws {
        let folder = try TemporaryFolder()
        try await write(in: folder)
        try expectEveryKindOfRow(in: DatabaseFile(folder.path("wfd.db")))
        if let path = ProcessInfo.processInfo.environment["WFD_FIXTURE"] {
            try FileManager.default.copyItem(atPath: folder.path("wfd.db"), toPath: path)
        }
        try await goOn(in: folder)
    }

    @Test(.timeLimit(.minutes(20)), arguments: releases)
    func theFileOfAReleaseIsOpenedVerifiedAndGoneOnWith(_ release: String) async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(
            atPath: "\(Self.fixtures)/\(release).db", toPath: folder.path("wfd.db"))
        let file = DatabaseFile(folder.path("wfd.db"))
        let before = try file.number("PRAGMA user_version")
        try await goOn(in: folder)
        guard try file.number("PRAGMA user_version") > before else {
            #expect(try folder.names().allSatisfy { !$0.hasPrefix("wfd.db.before-") })
            return
        }
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
        let releases = changes.matches(of: /\n## (\d+\.\d+\.\d+), \d{4}-\d{2}-\d{2}\n/).map { String($0.1) }
        #expect(!releases.isEmpty && releases.sorted() == Self.releases)
    }

    /// Expects that every table has a row, every column a value, and every enum in the file each of its cases.
    private func expectEveryKindOfRow(in file: DatabaseFile) throws {
        try file.read { database in
            let columns = try Row.fetchAll(
                database,
                sql: """
                    SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c
                    WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%'
                    """)
            #expect(columns.count > 100)
            let lacking = try columns.map { (table: $0[0] as String, column: $0[1] as String) }.filter {
                try Int.fetchOne(database, sql: "SELECT count(\"\($0.column)\") FROM \"\($0.table)\"") == 0
            }
            #expect(Set(lacking.map { "\($0.table).\($0.column)" }) == Self.unset)
            // No version makes effects that are 'open', a run that is under way ends before the daemon does, a clock is
            // moved where it is virtual or was wrong, and no request holds all effects.
            for (column, cases) in [
                ("kind FROM journal", Input.Kind.allCases.map(\.rawValue)),
                ("status FROM instance", InstanceStatus.allCases.map(\.rawValue)),
                ("state FROM effect", EffectState.allCases.filter { $0 != .open }.map(\.rawValue)),
                ("state FROM bulk", BulkRecord.State.allCases.filter { $0 != .running }.map(\.rawValue)),
                ("action FROM change", ChangeAction.allCases.filter { ![.clock, .hold].contains($0) }.map(\.rawValue)),
            ] {
                let found = try String.fetchAll(database, sql: "SELECT DISTINCT \(column) ORDER BY 1")
                #expect(found == cases.sorted(), "\(column)")
            }
        }
        #expect(try file.number("SELECT count(DISTINCT version) FROM machine WHERE name = 'parcel'") == 2)
        #expect(try file.number("SELECT count(DISTINCT length(key) = 16) FROM journal WHERE key IS NOT NULL") == 2)
    }

    /// Returns a daemon whose place has a name, so that the file names no machine.
    private func placed(in folder: TemporaryFolder) async throws -> Daemon {
        let database = folder.path("wfd.db")
        let arguments = Daemon.arguments(database: database, listen: ["unix:" + folder.path("wfd.sock")])
        return try await Daemon(arguments: arguments + ["--place", "workshop"], database: database)
    }

    /// Uses every feature of this version. In between, a backup replaces the file.
    private func write(in folder: TemporaryFolder) async throws {
        var daemon = try await placed(in: folder)
        _ = try await daemon.said("apply", folder.write(Self.definition, to: "parcel.yaml"))
        for name in ["p-1", "p-3", "p-4", "p-5", "p-8"] { _ = try await daemon.said("start", "parcel", name) }
        _ = try await daemon.said("start", "parcel", "p-2", "--key", "the second")
        _ = try await daemon.said("send", "p-1", "weigh", "--data", #"{"weight":2.5}"#, "--key", "first")
        _ = try await daemon.said("send", "p-1", "stamp")
        _ = try await daemon.said("send", "p-1", "nap")
        // The snapshot of seq 256 has an output for 'p-8', and is followed by rows for 'p-4'.
        let lines = [("p-4", 260), ("p-8", 254)].flatMap { name, count in
            (1...count).map {
                #"{"instance":"\#(name)","event":"weigh","data":{"weight":\#($0).5},"key":"line \#($0)"}"#
            }
        }
        _ = try await daemon.saidInTime("send", "--batch", folder.write(lines.joined(separator: "\n"), to: "lines"))
        _ = try await daemon.said("send", "p-8", "post")
        let soon = try await fail("p-2-late", daemon)
        _ = try await fail("p-3-late", daemon)
        // A retry that fails again is a row too.
        _ = try await daemon.wfctl("retry", "p-2-late")
        try await eventually("its time has come") { Date.now > soon }
        _ = try await daemon.said("retry", "p-2-late")
        _ = try await daemon.said("send", "p-5", "rest")
        // The nap of 'p-1' is over as soon as it takes an event.
        try await untilItSucceeds("send", "p-1", "stamp", on: daemon)
        _ = try await daemon.saidInTime("backup", folder.path("copy.db"))
        _ = try await daemon.said("send", "p-1", "stamp")
        // The restore erases the first again, and remembers the second, which the backup does not have.
        _ = try await daemon.said("redact", "p-2", "--reason", "asked for")
        _ = try await daemon.said("start", "parcel", "p-0")
        _ = try await daemon.said("redact", "p-0", "--reason", "asked for")
        _ = try await daemon.stop()
        let restored = try await Daemon.launch(
            ["restore", "--database", folder.path("wfd.db"), folder.path("copy.db")]
        ).result()
        #expect(restored.end == .exited(0), "\(restored)")
        daemon = try await placed(in: folder)
        _ = try await daemon.said("release")
        let second = "description: the second version\n" + Self.definition
        _ = try await daemon.said("apply", folder.write(second, to: "parcel.yaml"))
        _ = try await daemon.said("start", "parcel", "p-6")
        _ = try await daemon.said("send", "p-6", "post")
        try await ReleasedFileJobs(daemon: daemon, folder: folder).write()
        _ = try await daemon.saidInTime("backup", folder.path("last.db"))
        _ = try await daemon.stop()
    }

    /// Lets an instance fail on an event that it takes from a time on that comes soon, and returns the time.
    private func fail(_ name: String, _ daemon: Daemon) async throws -> Date {
        let soon = Date(timeIntervalSinceNow: 15)
        let until = soon.formatted(.iso8601)
        _ = try await daemon.said("start", "parcel", name, "--data", #"{"until":"\#(until)"}"#)
        let failing = try await daemon.wfctl("send", name, "guess")
        #expect(failing.end == .exited(5) && failing.output.hasSuffix(", failed)\n"), "\(failing)")
        return soon
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
    private func goOn(in folder: TemporaryFolder) async throws {
        try await verify(folder)
        // An overdue timer fires at the start.
        let due = try DatabaseFile(folder.path("wfd.db")).number(
            "SELECT max(due_ms) FROM timer WHERE event LIKE 'after.%.resting'")
        let isRested = Date.now.timeIntervalSince1970 * 1000 > Double(due)
        let daemon = try await Daemon(in: folder)
        _ = try await daemon.said("release")
        let failed = try await daemon.json("list", "--machine", "parcel", "--status", "failed").elements
        #expect(failed.map { $0["instance"] } == ["p-3-late"])
        try await untilItSucceeds("retry", "p-3-late", on: daemon)
        #expect(try await daemon.json("show", "p-3-late")["context"]["stamps"] == 7)
        _ = try await daemon.said("send", "p-1", "weigh", "--data", #"{"weight":3}"#)
        #expect(try await daemon.json("show", "p-1")["context"]["weight"] == 3.0)
        #expect(try await daemon.json("show", "p-6")["output"]["stamps"] == 0)
        let rest = try await daemon.wfctl("send", "p-5", "stamp")
        #expect(rest.end == .exited(isRested ? 0 : 5), "\(rest)")
        _ = try await daemon.said("start", "parcel", "p-7")
        if try await daemon.json("machines").elements.contains(where: { $0["machine"] == "job" }) {
            try await ReleasedFileJobs(daemon: daemon, folder: folder).goOn()
        }
        #expect(try await daemon.saidInTime("verify", "--all").hasSuffix("no difference\n"))
        _ = try await daemon.stop()
        try await verify(folder)
    }

    private func verify(_ folder: TemporaryFolder) async throws {
        let found = try await Daemon.launch(["verify", folder.path("wfd.db")]).result()
        #expect(found.end == .exited(0) && found.output.hasSuffix("no difference\n"), "\(found)")
    }
}
