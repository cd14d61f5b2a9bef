import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Tests a machine that is suspended at night, and resumed, by a daemon that is killed.
@Suite(.timeLimit(.minutes(20))) struct SuspendedMachineTests {
    private static let definition = """
        id: job
        initial: idle
        context: {n: 0}
        states:
          idle:
            after: {1h: {actions: {assign: {n: context.n + 1}}}}
            on: {go: busy}
          busy: {}
        """
    private static let instances = 600

    private static func daemon(in folder: TemporaryFolder) async throws -> Daemon {
        let database = folder.path("wfd.db")
        let arguments = Daemon.arguments(database: database, listen: ["unix:" + folder.path("wfd.sock")])
        return try await Daemon(arguments: arguments + ["--clock", "virtual"], database: database)
    }

    @Test func nothingStartsUntilItIsResumedAndWhatWasDueComesOnceOverKills() async throws {
        let folder = try TemporaryFolder()
        var daemon = try await Self.daemon(in: folder)
        _ = try await daemon.said("apply", folder.write(Self.definition, to: "job.yaml"))
        for number in 0..<Self.instances {
            let start = #"{"machine":"job","instance":"j-\#(number)"}"#
            #expect(try await daemon.answer(to: .post("/v1/instances", start)).status == 201)
        }
        _ = try await daemon.said("suspend", "j-0")
        #expect(
            try await daemon.said("suspend", "--machine", "job", "--dry-run")
                == "job: would be suspended; 599 running instances would take nothing\n")
        #expect(
            try await daemon.said("suspend", "--machine", "job", "--reason", "OPS-14")
                == "job: suspended; 599 running instances take nothing\n")
        try await expectRefusals(of: daemon)
        try await daemon.kill()
        daemon = try await Self.daemon(in: folder)
        try await expectRefusals(of: daemon)
        // The first due timer of each is a row instead.
        _ = try await daemon.said("clock", "advance", "2h")
        #expect(try daemon.rows("kind = 'suspended' AND actor = 'machine'") == 599)
        #expect(
            try await daemon.said("resume", "--machine", "job", "--dry-run")
                == "job: would be resumed; 599 suspended instances would go on\n")
        try await resume(&daemon, in: folder)
        #expect(try daemon.rows("kind = 'resumed'") == 599)
        #expect(try await daemon.json("show", "j-0")["status"] == "suspended")
        _ = try await daemon.said("start", "job", "new")
        _ = try await daemon.said("clock", "advance", "0s")
        #expect(try daemon.rows("kind = 'timer'") == 599)
        _ = try await daemon.saidInTime("verify", "--all")
        #expect(try await daemon.stop().end == .exited(0))
    }

    private func expectRefusals(of daemon: Daemon) async throws {
        let start = try await daemon.wfctl("start", "job", "late")
        #expect(
            start.errors
                == "error: Machine 'job' is suspended: nothing starts until it is resumed (OPS-14)\n"
                + "  'wfctl resume --machine job' lets it go on\n")
        #expect(start.end == .exited(5))
        let send = try await daemon.wfctl("send", "j-1", "go")
        #expect(
            send.errors
                == "error: j-1, in state 'idle' (seq 1), takes no events: machine 'job' is suspended until it is "
                + "resumed (OPS-14)\n  'wfctl resume --machine job' lets it go on\n")
        #expect(send.end == .exited(5))
        let lines = #"{"instance":"j-1","event":"go"}"# + "\n"
        let batch = try await daemon.answer(to: .post("/v1/events", lines, as: "application/x-ndjson"))
        #expect(batch.text.contains(#""type":"machine-suspended""#), "\(batch.text)")
        let status = try await daemon.said("status").split(separator: "\n").first { $0.hasPrefix("suspended: ") } ?? ""
        #expect(status.hasPrefix("suspended: job since 20"), "\(status)")
        #expect(status.hasSuffix(" (OPS-14): 'wfctl resume --machine job'"), "\(status)")
        #expect(try await daemon.said("machines").contains("latest, suspended"))
        let shown = try await daemon.wfctl("machine", "show", "job")
        #expect(shown.output.contains("1         suspended       599"), "\(shown)")
        #expect(shown.errors.hasPrefix("job is suspended since 20"), "\(shown)")
        #expect(shown.errors.hasSuffix(" (OPS-14): 'wfctl resume --machine job' lets it go on\n"), "\(shown)")
        let metrics = try await daemon.answer(to: RawRequest("GET", "/metrics")).text
        #expect(metrics.contains("wfd_suspended_machines{machine=\"job\"} 1\n"))
    }

    /// Resumes the machine. The daemon is killed twice during the run.
    private func resume(_ daemon: inout Daemon, in folder: TemporaryFolder) async throws {
        // The answer may be lost with the daemon: nobody waits for it.
        let first = Task { [daemon] in
            try? await daemon.answer(to: .post("/v1/machines/job/resume", #"{"run":"on","reason":"OPS-15"}"#))
        }
        for _ in 1...2 {
            let before = try daemon.rows("kind = 'resumed'")
            try await eventually("a part of the run") { [daemon] in
                let now = try daemon.rows("kind = 'resumed'")
                return now > before || now == 599
            }
            try await daemon.kill()
            daemon = try await Self.daemon(in: folder)
        }
        _ = await first.value
        let said = try await daemon.wfctl("resume", "--machine", "job", "--run", "on", "--reason", "OPS-15")
        #expect(said.output == "on: 599 of 599: 599 went on\n", "\(said)")
        #expect(said.end == .exited(0))
        #expect(try await daemon.json("status")["suspendedMachines"] == .null)
    }
}

extension Daemon {
    /// Returns the number of rows of the history that meet a condition.
    fileprivate func rows(_ condition: String) throws -> Int {
        Int(try DatabaseFile(database).number("SELECT count(*) FROM journal WHERE \(condition)"))
    }
}
