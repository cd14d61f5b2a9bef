import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Tests a program that kills the daemon that runs it, again after each start.
@Suite struct DeadlyProgramTests {
    private static func definition(_ script: String) -> String {
        """
        id: job
        initial: idle
        states:
          idle: {on: {go: working}}
          working: {invoke: {exec: {program: shell, args: ["'\(script)'"]}, onDone: idle, onError: lost}}
          lost: {}
        """
    }

    @Test(.timeLimit(.minutes(20))) func aProgramThatKillsTheDaemonIsHeldAfterThreeAttempts() async throws {
        let folder = try TemporaryFolder()
        let database = folder.path("wfd.db")
        let arguments =
            ["--exec", "shell=/bin/sh"]
            + Daemon.arguments(database: database, listen: ["unix:" + folder.path("wfd.sock")])
        let script = try folder.write(
            #"echo "$WFD_ATTEMPT" >> \#(folder.path("runs")); [ "$WFD_ATTEMPT" = 4 ] || kill -9 $PPID; echo 1"#,
            to: "deadly.sh")
        func runs() throws -> String { try String(contentsOfFile: folder.path("runs"), encoding: .utf8) }
        let first = try await Daemon(arguments: arguments, database: database)
        _ = try await first.said("apply", folder.write(Self.definition(script), to: "job.yaml"))
        _ = try await first.said("start", "job", "j")
        // The answer and the kill race.
        _ = try await first.wfctl("send", "j", "go")
        #expect(try await first.program.result().end == .killed(by: SIGKILL))
        for _ in 2...3 {
            #expect(try await Daemon.launch(arguments).result().end == .killed(by: SIGKILL))
        }
        // A start neither runs it nor loses what is known of it.
        for _ in 0..<2 {
            let daemon = try await Daemon(arguments: arguments, database: database)
            try await eventually("the effect to be held") {
                try await daemon.json("effects").elements.map { $0["state"] } == ["held"]
            }
            let attempts = try await daemon.json("attempts", "j").elements
            #expect(attempts.count == 3 && attempts.allSatisfy { $0["outcome"] == "interrupted" })
            for number in 1...3 as ClosedRange<Int64> {
                #expect(attempts.contains { $0["attempt"] == .int(number) })
            }
            #expect(try await daemon.said("show", "j").contains("wfd ended 3 times in a row while the program ran"))
            #expect(try await daemon.answer(to: .get("/readyz")).status == 200)
            #expect(try await daemon.stop().end == .exited(0))
        }
        #expect(try runs() == "1\n2\n3\n")
        let last = try await Daemon(arguments: arguments, database: database)
        _ = try await last.said("effects", "retry", "j", "working", "--reason", "the script is mended")
        try await eventually("the program to end") { try await last.json("show", "j")["configuration"] == ["idle"] }
        #expect(try runs() == "1\n2\n3\n4\n")
        #expect(try await last.stop().end == .exited(0))
        #expect(try !folder.names().contains("wfd.db.begun"))
        let verified = try await Daemon.launch(["verify", database]).result()
        #expect(verified.end == .exited(0), "\(verified)")
    }
}
