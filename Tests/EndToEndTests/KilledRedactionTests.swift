import DaemonTesting
import Foundation
import Testing
import ThreadTesting
import WorkflowJSON

/// Tests redactions while the daemon is killed again and again, and their remains in files.
///
/// `REDACTION_KILLS` sets the number of kills (6). `CRASH_SEED` repeats a run.
@Suite(.tags(.heavy)) struct KilledRedactionTests {
    private static let claim = """
        id: claim
        initial: open
        context: {who: null}
        states:
          open:
            on:
              name: {actions: {assign: {who: event.data}}}
              ask: asked
          asked:
            invoke: {task: check, input: {who: context.who}, onDone: closed, onError: closed}
          closed: {type: final, output: {who: context.who}}
        """
    /// The kills on one file. A file is verified whole after each kill, so it must not grow for ever.
    private static let killsPerFile = 10
    /// The number of an instance's rows: more than one slice.
    private static let rows = 1_200

    /// Texts that appear nowhere by chance.
    private let markers = (0..<3).map { _ in
        (0..<32).map { _ in String(UInt8.random(in: 0...15), radix: 16) }.joined()
    }

    private func write(_ name: String, to daemon: Daemon) async throws {
        _ = try await daemon.said("start", "claim", name, "--data", #"{"who": "\#(markers[0])"}"#)
        let lines = (1..<Self.rows).map { number in
            #"{"instance": "\#(name)", "event": "name", "data": "\#(markers[number % 3])"}"#
        }
        let answer = try await daemon.answer(
            to: .post("/v1/events", lines.joined(separator: "\n"), as: "application/x-ndjson"))
        #expect(answer.status == 200)
    }

    /// Returns the number of markers in a file; 0 if the file does not exist.
    private func count(in path: String) -> Int {
        guard let data = FileManager.default.contents(atPath: path) else { return 0 }
        return markers.reduce(0) { count, marker in
            var (count, start) = (count, data.startIndex)
            while let found = data.range(of: Data(marker.utf8), in: start..<data.endIndex) {
                count += 1
                start = found.upperBound
            }
            return count
        }
    }

    private static func next(
        _ name: String, _ markers: [String], _ random: inout SeededRandom
    ) -> (target: String, body: String?) {
        guard Int.random(in: 0..<8, using: &random) > 0 else {
            return (name + "/redact", #"{"reason": "r", "paths": ["who"]}"#)
        }
        let marker = markers.randomElement(using: &random) ?? ""
        return (name + "/events", #"{"event": "name", "data": "\#(marker)"}"#)
    }

    private func wfd(_ arguments: String...) async throws -> ProgramResult {
        try await Daemon.launch(arguments).result()
    }

    @Test(.timeLimit(.minutes(180))) func aKilledRedactionGoesOn() async throws {
        let environment = ProcessInfo.processInfo.environment
        let kills = environment["REDACTION_KILLS"].flatMap { Int($0) } ?? 6
        let seed = environment["CRASH_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
        var folder = try TemporaryFolder()
        var daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", folder.write(Self.claim, to: "claim.yaml"))
        var (interrupted, redactions, events) = (0, 0, 0)
        for round in 0..<kills {
            if round > 0, round % Self.killsPerFile == 0 {
                try await end(daemon, seed)
                folder = try TemporaryFolder()
                daemon = try await Daemon(in: folder)
                _ = try await daemon.said("apply", folder.write(Self.claim, to: "claim.yaml"))
            }
            let file = DatabaseFile(daemon.database)
            let name = "c-\(round)"
            try await write(name, to: daemon)
            let made = try await daemon.killed(round: round, seed: seed, clients: 4, mostSteps: 100) { [markers] in
                Self.next(name, markers, &$0)
            }
            // After its start, the daemon soon goes on with what was begun.
            if try file.number("SELECT count(*) FROM erasure WHERE seq IS NOT NULL") > 0 { interrupted += 1 }
            daemon = try await Daemon(in: folder)
            // With its key each is carried out once, whether it was begun or not. What was redacted since is told so.
            let (again, mistakes) = try await daemon.repeated(made) { request, told in
                told.status == 410 || request.told?.isSame(as: told) == true
            }
            #expect(mistakes == [], "\(name), seed \(seed)")
            _ = try await daemon.said("redact", name, "--path", "who", "--reason", "r", "--key", "last")
            #expect(try file.number("SELECT count(*) FROM erasure WHERE seq IS NOT NULL") == 0, "seed \(seed)")
            let rows = try await daemon.json("history", name, "--limit", "5000").elements
            let done = again.filter { $0.told?.isAccepted == true || $0.told?.status == 410 }
            let redacted = done.count(where: \.isRedaction)
            #expect(rows.count { $0["kind"] == "redacted" } == redacted + 1, "\(name), seed \(seed)")
            let others = Self.rows - 1 + done.count - redacted
            #expect(rows.count { $0["kind"] == "event" } == others, "\(name), seed \(seed)")
            #expect(rows.dropLast().allSatisfy { $0["redacted"] == true }, "\(name), seed \(seed)")
            #expect(try await daemon.saidInTime("verify", "--all").hasSuffix("no difference\n"), "seed \(seed)")
            #expect(count(in: daemon.database + "-wal") == 0, "seed \(seed)")
            redactions += redacted
            events += done.count - redacted
        }
        try await end(daemon, seed)
        print(
            "redactions: seed \(seed), \(interrupted) of \(kills) kills came while rows were erased, "
                + "\(redactions) redactions and \(events) events carried out once")
    }

    /// Compacts the file of a daemon, and expects that no marker is left.
    private func end(_ daemon: Daemon, _ seed: UInt64) async throws {
        #expect(try await daemon.stop().end == .exited(0))
        let found = count(in: daemon.database)
        let compacted = try await wfd("compact", daemon.database)
        #expect(compacted.end == .exited(0), "\(compacted)")
        #expect(count(in: daemon.database) == 0, "\(found) before, seed \(seed)")
        #expect(try await wfd("verify", daemon.database).end == .exited(0))
    }

    @Test(.timeLimit(.minutes(20))) func nothingIsLeftInFilesAndBackups() async throws {
        let folder = try TemporaryFolder()
        var daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", folder.write(Self.claim, to: "claim.yaml"))
        let empty = folder.path("empty.db")
        _ = try await daemon.saidInTime("backup", empty)
        _ = try await daemon.said("start", "claim", "c")
        // This text is long enough for pages of its own.
        let long = String(repeating: markers[2], count: 400)
        let names = ["a", "b", markers[1]]
        for name in names {
            _ = try await daemon.said("start", "claim", name, "--data", #"{"who": "\#(markers[0])"}"#)
            _ = try await daemon.said("send", name, "name", "--data", #""\#(markers[2])""#)
        }
        let short = folder.path("short.db")
        _ = try await daemon.saidInTime("backup", short)
        for name in names {
            for _ in 1...19 { _ = try await daemon.said("send", name, "name", "--data", #""\#(long)""#) }
        }
        _ = try await daemon.said("send", "a", "ask")
        let early = folder.path("early.db")
        _ = try await daemon.saidInTime("backup", early)
        let open = try await daemon.wfctl("redact", "a", "--reason", "r")
        #expect(open.errors.contains("waits for effects that need what would be redacted: 'asked' (seq 22)"))
        _ = try await daemon.said("effects", "cancel", "a", "asked", "--reason", "r")
        _ = try await daemon.said("redact", "a", "--reason", "r")
        _ = try await daemon.said("redact", "b", "--path", "who", "--reason", "r")
        _ = try await daemon.said("delete", "c", "--confirm", "c", "--reason", "r")
        _ = try await daemon.said("redact", markers[1], "--path", "who", "--rename", "c", "--reason", "r")
        #expect(try await daemon.said("show", "a").contains("context:   (redacted)\n"))
        let late = folder.path("late.db")
        _ = try await daemon.saidInTime("backup", late)
        let held = try await wfd("compact", daemon.database)
        #expect(held.end == .exited(75) && held.errors.contains("it is in use by process"), "\(held)")
        #expect(try await daemon.stop().end == .exited(0))
        // A compaction removes the copies that are left in the file.
        for file in [daemon.database, late] {
            #expect(try await wfd("compact", file).end == .exited(0))
            #expect(count(in: file) == 0, "\(file)")
        }
        try await restore([empty, short, early], in: daemon.database)
        daemon = try await Daemon(in: folder)
        #expect(try await daemon.saidInTime("verify", "--all").hasSuffix("no difference\n"))
        // The instance that has its new name in the backup was deleted since, and is again.
        let listed = try await daemon.json("list").elements.compactMap { $0["instance"].string }
        #expect(listed.sorted() == ["a", "b", "c"])
        #expect(try await daemon.json("show", "c")["context"] == ["who": .null])
        #expect(try await daemon.json("audit", "--action", "delete").elements.map { $0["reason"] } == ["r"])
        #expect(try await daemon.json("effects").elements.map { $0["state"] } == ["failed"])
        // No effect may be tried whose request was redacted.
        let again = try await daemon.wfctl("effects", "retry", "a", "asked")
        #expect(again.end == .exited(5) && again.errors.contains("What 'asked' of 'a' asks was redacted"), "\(again)")
        _ = try await daemon.said("effects", "skip", "a", "asked", "--result", "null", "--reason", "r")
        #expect(try await daemon.stop().end == .exited(0))
    }

    /// Restores earlier backups, one in the place of another that has fewer rows, and expects that each is redacted
    /// again.
    ///
    /// - Parameter backups: The backups, from one without instances to one with all rows.
    private func restore(_ backups: [String], in database: String) async throws {
        let (empty, early) = (backups[0], backups[backups.endIndex - 1])
        let trial = try await wfd("restore", early, "--database", database, "--dry-run")
        #expect(
            trial.output.contains(
                "\n  1 instance that was deleted since would be deleted again; to be compacted then: wfd compact "),
            "\(trial)")
        let without = try await wfd("restore", empty, "--database", database)
        #expect(
            without.output.contains(
                "3 erasures of instances that the backup does not have: remembered for a later restore"), "\(without)")
        #expect(
            without.output.contains(
                "1 deletion of instances that the backup does not have: remembered for a later restore"), "\(without)")
        #expect(try await wfd("verify", database).end == .exited(0))
        for backup in backups.dropFirst() {
            #expect(count(in: backup) > 0)
            let restored = try await wfd("restore", backup, "--database", database)
            #expect(restored.output.contains("3 erasures of before were carried out"), "\(restored)")
            #expect(restored.output.contains("1 instance that was deleted since is deleted again"), "\(restored)")
            #expect(!restored.output.contains("is taken in the backup"), "\(restored)")
            #expect(try await wfd("compact", database).end == .exited(0))
            #expect(count(in: database) == 0)
        }
    }
}

extension KeyedRequest {
    fileprivate var isRedaction: Bool { target.hasSuffix("/redact") }
}

extension KeyedRequest.Told {
    /// Returns true if an answer repeats another one. A redaction also reports whether it repeats an answer, which is
    /// ignored.
    fileprivate func isSame(as other: KeyedRequest.Told) -> Bool {
        status == other.status && text == other.text.replacing(#","repeated":true"#, with: "")
            || text == other.text
    }
}
