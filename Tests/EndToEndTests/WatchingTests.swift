import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Tests the view of operators and monitoring on a daemon that is killed again and again.
@Suite(.timeLimit(.minutes(20))) struct WatchingTests {
    private static let machine = """
        id: parcel
        initial: packing
        context: {weight: null, price: null}
        states:
          packing:
            on:
              weigh: {actions: {assign: {weight: event.data.weight}}}
            after:
              2d: {target: shipped, actions: {assign: {price: context.weight + 10}}}
          shipped: {}
        """

    private static func daemon(in folder: TemporaryFolder, _ options: [String] = []) async throws -> Daemon {
        let database = folder.path("wfd.db")
        let arguments = Daemon.arguments(database: database, listen: ["unix:" + folder.path("wfd.sock")])
        return try await Daemon(arguments: arguments + ["--clock", "virtual"] + options, database: database)
    }

    /// The counts of the tally are those of the instances, also after a kill in a stream of events.
    @Test func theTallyIsTrueAfterEveryKill() async throws {
        let folder = try TemporaryFolder()
        var daemon = try await Self.daemon(in: folder)
        _ = try await daemon.said("apply", try folder.write(Self.machine, to: "parcel.yaml"))
        for round in 1...4 {
            for number in 1...5 {
                let name = "p-\(round)-\(number)"
                _ = try await daemon.said("start", "parcel", name)
                let weight = number % 2 == 0 ? "\"heavy\"" : "4"
                _ = try await daemon.said("send", name, "weigh", "--data", "{\"weight\": \(weight)}")
            }
            // The kill comes while timers fire, or before, or after. The rows on disk must fit in each case.
            let client = try RunningProgram(
                Programs.path("wfctl"), ["clock", "advance", "2d"],
                environment: Programs.environment(["WFCTL_ADDRESS": "\(daemon.address)"]))
            if round % 2 == 0 { _ = try await client.result() }
            try await daemon.kill()
            _ = try await client.result()
            daemon = try await Self.daemon(in: folder)
            try await expectTrueTally(daemon)
        }
        _ = try await daemon.said("clock", "advance", "4d")
        try await expectTrueTally(daemon)
        let tally = try await daemon.said("tally", "parcel", "-o", "jsonl").split(separator: "\n")
        #expect(tally.contains { $0.contains(#""status":"failed","configuration":["packing"],"count":8"#) }, "\(tally)")
        #expect(tally.contains { $0.contains(#""status":"running","configuration":["shipped"],"count":12"#) })
        #expect(try await daemon.saidInTime("verify", "--all").hasSuffix("no difference\n"))
        #expect(try await daemon.stop().end == .exited(0))
    }

    private func expectTrueTally(_ daemon: Daemon) async throws {
        let file = DatabaseFile(daemon.database)
        let wrong = try file.number(
            """
            SELECT count(*) FROM (
                SELECT machine_id, status, configuration AS state, count(*) AS n FROM instance GROUP BY 1, 2, 3
            ) AS counted FULL JOIN tally USING (machine_id, status, state) WHERE counted.n IS NOT tally.n
            """)
        #expect(wrong == 0)
    }

    private static let restless = """
        id: restless
        initial: a
        states:
          a:
            after: {0: {target: a, reenter: true}}
            on: {stop: b}
          b: {}
        """

    @Test func aRunawayIsSuspendedAndToldOf() async throws {
        let folder = try TemporaryFolder()
        var daemon = try await Self.daemon(in: folder, ["--brake", "50/1m"])
        _ = try await daemon.saidInTime("apply", try folder.write(Self.restless, to: "restless.yaml"))
        _ = try await daemon.said("start", "restless", "r")
        // The command returns when nothing is due any more.
        _ = try await daemon.said("clock", "advance", "1s")
        let history = try await daemon.said("history", "r", "-o", "jsonl").split(separator: "\n")
        #expect(history.count == 1 + 51 + 1)
        #expect(history.last?.contains(#""kind":"suspended","event":"suspend""#) == true, "\(history.last ?? "")")
        #expect(history.last?.contains(#""actor":"brake""#) == true)
        #expect(try await daemon.said("status").contains("instances: 1 suspended"))
        let metrics = try await daemon.answer(to: .get("/metrics")).text
        #expect(metrics.contains(#"wfd_brakes_total{machine="restless"} 1"#))
        _ = try await daemon.program.errorLines(containing: "was suspended: 'wfctl resume' lets it go on")
        try await daemon.kill()
        daemon = try await Self.daemon(in: folder, ["--brake", "0"])
        let refused = try await daemon.wfctl("send", "r", "stop")
        #expect(refused.end == .exited(5) && refused.errors.contains("is suspended"))
        #expect(try await daemon.saidInTime("verify", "--all").hasSuffix("no difference\n"))
        #expect(try await daemon.stop().end == .exited(0))
    }

    @Test(arguments: ["", "many", "0/1m", "10", "10/often", "-5/1m", "10/1m/2"]) func whatIsNoBrakeIsRefused(
        text: String
    ) async throws {
        let result = try await Daemon.launch(["--brake", text]).result()
        #expect(
            result.end == .exited(64) && result.errors.contains("brake") || result.errors.contains("delay"), "\(result)"
        )
    }

    @Test(.enabled(if: TestService.python != nil, "there is no python3 on this system"))
    func prometheusReadsTheMetrics() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", try folder.write(Self.machine, to: "parcel.yaml"))
        _ = try await daemon.said("start", "parcel", "p")
        _ = try await daemon.wfctl("send", "p", "nothing")
        let answer = try await daemon.answer(to: .get("/metrics"))
        let metrics = try folder.write(answer.text, to: "metrics.txt")
        let script = try folder.write(
            """
            import sys
            from prometheus_client.parser import text_string_to_metric_families as parse
            for family in parse(open(sys.argv[1]).read()):
                for sample in family.samples:
                    if sample.name in ("wfd_instances", "wfd_refusals_total", "wfd_commit_seconds_count"):
                        print(family.type, sample.name, sorted(sample.labels.items()), int(sample.value))
            """, to: "read.py")
        let python = try #require(TestService.python)
        let packages = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: ".build/python").path
        let program = try RunningProgram(
            python, [script, metrics], environment: Programs.environment(["PYTHONPATH": packages]))
        let result = try await program.result()
        #expect(result.end == .exited(0), "\(result)")
        let lines = result.output.split(separator: "\n")
        #expect(
            lines.contains("gauge wfd_instances [('machine', 'parcel'), ('status', 'running'), ('version', '1')] 1"))
        #expect(lines.contains("counter wfd_refusals_total [('type', 'unknown-event')] 1"))
        #expect(lines.contains { $0.hasPrefix("histogram wfd_commit_seconds_count [] ") })
        #expect(try await daemon.stop().end == .exited(0))
    }
}
