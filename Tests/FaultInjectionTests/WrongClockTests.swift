import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Tests a machine whose clock was ahead while the daemon wrote, and the way out in `docs/operations.md`.
@Suite struct WrongClockTests {
    private static let definition = """
        id: counter
        initial: counting
        states:
          counting: {on: {tick: {}}}
        """

    /// The way in which the daemon ended whose clock was ahead.
    enum End: CaseIterable {
        case inOrder, killed
    }

    private func daemon(in folder: TemporaryFolder, secondsAhead: Int = 0) async throws -> Daemon {
        try await Daemon(
            in: folder,
            environment: secondsAhead == 0
                ? [:]
                : ["LD_PRELOAD": Programs.path("libClockShift.so"), "CLOCK_SHIFT_SECONDS": "\(secondsAhead)"])
    }

    /// Returns a database with an event from tomorrow.
    private func written(in folder: TemporaryFolder, _ end: End) async throws -> String {
        let daemon = try await daemon(in: folder, secondsAhead: 86_400)
        let applied = try await daemon.answer(to: .post("/v1/machines", Self.definition, as: "application/yaml"))
        try #require(applied.status == 201)
        try await succeed(daemon, "start", "counter", "c-1")
        try await succeed(daemon, "send", "c-1", "tick")
        switch end {
        case .inOrder: #expect(try await daemon.stop().end == .exited(0))
        case .killed: try await daemon.kill()
        }
        return daemon.database
    }

    @discardableResult
    private func succeed(_ daemon: Daemon, _ arguments: String...) async throws -> String {
        let result = try await daemon.wfctl(arguments)
        guard result.end == .exited(0) else { throw TestingError("\(arguments): \(result)") }
        return result.output
    }

    private func status(_ name: String, _ daemon: Daemon) async throws -> JSONValue? {
        try JSONReader.value(from: try await succeed(daemon, "show", name, "-o", "json")).object?["status"]
    }

    private func wfd(_ arguments: String...) async throws -> ProgramResult {
        try await Daemon.launch(arguments).result()
    }

    private func time(_ text: Substring) throws -> Date {
        try Date(String(text), strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))
    }

    /// Expects that a daemon refuses the machine's clock and changes nothing.
    private func expectRefused(_ database: String, in folder: TemporaryFolder) async throws {
        let before = try Data(contentsOf: URL(filePath: database))
        let refused = try await wfd("--database", database, "--listen", "unix:" + folder.path("wfd.sock"))
        #expect(refused.end == .exited(71), "\(refused)")
        let text =
            #/its last event is of (\S+Z), but this machine's clock says (\S+Z); set the clock, or accept it with /#
        let times = try #require(refused.errors.firstMatch(of: text), "\(refused)")
        let (last, clock) = (try time(times.1), try time(times.2))
        #expect(abs(clock.timeIntervalSinceNow) < 300 && abs(last.timeIntervalSince(clock) - 86_400) < 300)
        #expect(try Data(contentsOf: URL(filePath: database)) == before)
    }

    @Test(.timeLimit(.minutes(20)), arguments: End.allCases)
    func anAcceptedClockIsAcceptedForGood(_ end: End) async throws {
        let folder = try TemporaryFolder()
        let database = try await written(in: folder, end)
        // Each start is refused, as when systemd tries again.
        try await expectRefused(database, in: folder)
        try await expectRefused(database, in: folder)
        if end == .inOrder {
            let copied = try await wfd("restore", database, "--database", folder.path("other.db"), "--dry-run")
            #expect(copied.end == .exited(0), "\(copied)")
        }

        let accepted = try await wfd("clock", "accept", "--database", database)
        #expect(accepted.end == .exited(0), "\(accepted)")
        #expect(
            accepted.output
                == """
                \(database): the clock is accepted
                  running instances of a later time: 1 (c-1)
                  their next delays count from that time; 'wfd clock accept --lower' brings them down to now

                """)
        #expect(try await wfd("verify", database).end == .exited(0))
        let copied = try await wfd("restore", database, "--database", folder.path("other.db"), "--dry-run")
        #expect(copied.end == .exited(0), "\(copied)")

        // An instance from tomorrow goes on, and does not carry the daemon back there.
        for seq in [3, 4] as [Int64] {
            let daemon = try await daemon(in: folder)
            let sent = try JSONReader.value(from: try await succeed(daemon, "send", "c-1", "tick", "-o", "json"))
            #expect(sent.object?["seq"] == .int(seq))
            #expect(try await succeed(daemon, "verify", "--all").hasSuffix("no difference\n"))
            if seq == 4 { try await succeed(daemon, "backup", folder.path("copy.db")) }
            #expect(try await daemon.stop().end == .exited(0))
        }
        #expect(try await wfd("verify", database).end == .exited(0))
        let restored = try await wfd("restore", folder.path("copy.db"), "--database", database)
        #expect(restored.end == .exited(0), "\(restored)")
        let daemon = try await daemon(in: folder)
        try await succeed(daemon, "send", "c-1", "tick")
        #expect(try await daemon.stop().end == .exited(0))
    }

    private static let years = 3 * 365 * 86_400
    private static let egg = """
        id: egg
        initial: raw
        states:
          raw: {on: {heat: boiling, look: {}}}
          boiling: {after: {2s: done}}
          done: {type: final}
        """

    /// The test follows the messages from the accident to the end: instances three years ahead are brought down to now,
    /// and their timers come in time.
    @Test(.timeLimit(.minutes(20))) func instancesOfTheFutureComeDownToNow() async throws {
        let folder = try TemporaryFolder()
        let wrong = try await daemon(in: folder, secondsAhead: Self.years)
        let database = wrong.database
        #expect(try await wrong.answer(to: .post("/v1/machines", Self.egg, as: "application/yaml")).status == 201)
        // The requests are sent without wfctl's key, which would be too old for that daemon.
        for name in ["e-1", "e-2"] {
            let start = #"{"machine": "egg", "instance": "\#(name)"}"#
            let answer = try await wrong.answer(to: .post("/v1/instances", start, as: "application/json"))
            #expect(answer.status == 201)
        }
        try await wrong.kill()
        #expect(try await wfd("clock", "accept", "--database", database).end == .exited(0))

        // Nothing that operators try brings the instances back from the future.
        let right = try await daemon(in: folder)
        try await succeed(right, "send", "e-1", "heat")
        try await succeed(right, "send", "e-2", "look")
        try await succeed(right, "reset", "e-1", "--to", "2", "--reason", "r")
        let ahead = try await succeed(right, "list", "--ahead", "-o", "jsonl")
        #expect(ahead.split(separator: "\n").count == 2)
        let busy = try await wfd("clock", "accept", "--lower", "--database", database)
        #expect(busy.end == .exited(75), "\(busy)")
        let rehearsed = try await wfd("clock", "accept", "--lower", "--dry-run", "--database", database)
        #expect(rehearsed.end == .exited(0), "\(rehearsed)")
        #expect(
            rehearsed.output.hasPrefix(
                """
                \(database): the clock would be accepted
                  instances that would be brought down to now: 2 (e-1, e-2)

                """), "\(rehearsed)")
        #expect(rehearsed.output.contains("  ahead by up to: 109"), "\(rehearsed)")
        #expect(rehearsed.output.contains("  timers of theirs that are due earlier: 1\n"), "\(rehearsed)")
        #expect(try await right.stop().end == .exited(0))

        let lowered = try await wfd("clock", "accept", "--lower", "--database", database)
        #expect(lowered.end == .exited(0), "\(lowered)")
        #expect(lowered.output.contains("  instances brought down to now: 2 (e-1, e-2)\n"), "\(lowered)")
        #expect(try await wfd("verify", database).end == .exited(0))
        let again = try await daemon(in: folder)
        #expect(try await succeed(again, "list", "--ahead", "-o", "jsonl").isEmpty)
        try await eventually("the timer has fired") { try await self.status("e-1", again) == "done" }
        try await succeed(again, "send", "e-2", "heat")
        try await eventually("the next one has") { try await self.status("e-2", again) == "done" }
        #expect(try await succeed(again, "verify", "--all").hasSuffix("no difference\n"))
        #expect(try await again.stop().end == .exited(0))
        let none = try await wfd("clock", "accept", "--lower", "--database", database)
        #expect(none.output == "\(database): the clock is accepted\n  no instance is of a later time\n", "\(none)")
    }

    /// The command is killed before its first flush, its second and so on: running it again completes it.
    @Test(.timeLimit(.minutes(20))) func whereverItIsKilledItIsFinishedByRunningItAgain() async throws {
        let template = try TemporaryFolder()
        let daemon = try await daemon(in: template, secondsAhead: Self.years)
        #expect(try await daemon.answer(to: .post("/v1/machines", Self.egg, as: "application/yaml")).status == 201)
        // So many instances need several transactions.
        let lines = (1...1_200).map { #"{"instance": "e-\#($0)", "start": {"machine": "egg"}}"# }
        let started = try await daemon.answer(
            to: .post("/v1/events", lines.joined(separator: "\n"), as: "application/x-ndjson"))
        #expect(started.status == 200)
        #expect(try await daemon.stop().end == .exited(0))
        var (step, left) = (0, Set<String>())
        while true {
            step += 1
            try #require(step < 200, "it never gets through")
            let folder = try TemporaryFolder()
            try FileManager.default.copyItem(atPath: daemon.database, toPath: folder.path("wfd.db"))
            let faults = try SyncFaults(in: folder)
            try faults.kill(before: step)
            let arguments = ["clock", "accept", "--lower", "--database", folder.path("wfd.db")]
            let end = try await Daemon.launch(arguments, environment: try faults.environment).result().end
            if end != .exited(0) {
                #expect(end == .killed(by: SIGKILL), "step \(step)")
                let again = try await Daemon.launch(arguments).result()
                #expect(again.end == .exited(0), "step \(step): \(again)")
                let count = again.output.firstMatch(of: /down to now: (\d+)/)?.1
                left.insert(count.map(String.init) ?? "0")
            }
            let verified = try await wfd("verify", folder.path("wfd.db"))
            #expect(verified.end == .exited(0), "step \(step): \(verified)")
            let done = try await wfd("clock", "accept", "--lower", "--database", folder.path("wfd.db"))
            #expect(done.output.hasSuffix("  no instance is of a later time\n"), "step \(step): \(done)")
            if end == .exited(0) { break }
        }
        // Some kills came between two transactions.
        #expect(left.count > 2, "\(left)")
    }

    /// A virtual clock is never the machine's: nothing is accepted, and no dry run promises it.
    @Test(.timeLimit(.minutes(20))) func aDatabaseOfAVirtualClockIsRefused() async throws {
        let folder = try TemporaryFolder()
        let database = folder.path("wfd.db")
        let arguments = Daemon.arguments(database: database, listen: ["unix:" + folder.path("wfd.sock")])
        let daemon = try await Daemon(arguments: arguments + ["--clock", "virtual"], database: database)
        #expect(try await daemon.stop().end == .exited(0))
        let before = try Data(contentsOf: URL(filePath: database))
        for flags in [[], ["--lower"], ["--lower", "--dry-run"]] {
            let refused = try await Daemon.launch(["clock", "accept", "--database", database] + flags).result()
            #expect(refused.end == .exited(65), "\(flags): \(refused)")
            #expect(refused.output.isEmpty, "\(flags): \(refused)")
            #expect(
                refused.errors
                    == "error: Cannot open '\(database)' on the real clock: its events have times of a virtual clock; "
                    + "serve it with '--clock virtual'\n", "\(flags)")
        }
        #expect(try Data(contentsOf: URL(filePath: database)) == before)
    }

    /// A machine boots with a slow clock, and systemd starts the daemon again: it comes up when the clock is right.
    @Test(.timeLimit(.minutes(20))) func aSlowClockThatIsSetRightNeedsNobody() async throws {
        let folder = try TemporaryFolder()
        let database = try await written(in: folder, .inOrder)
        try await expectRefused(database, in: folder)
        let daemon = try await daemon(in: folder, secondsAhead: 86_400)
        try await succeed(daemon, "send", "c-1", "tick")
        #expect(try await daemon.stop().end == .exited(0))
    }
}
