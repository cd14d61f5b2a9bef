import DaemonTesting
import Foundation
import Testing

/// The alerts that `docs/watching.md` brings, as Prometheus reads them.
@Suite(.timeLimit(.minutes(20))) struct AlertRulesTests {
    private static let promtool: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/promtool" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    private static let rules = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "docs/wfd.rules.yml").path

    private static func failed(_ machine: String) -> String {
        """
                  - exp_labels: {machine: \(machine), type: expression-failed, severity: warning}
                    exp_annotations:
                      summary: "Instances of \(machine) have failed: wfctl failures"
        """
    }

    /// Each alert with what makes it and what does not: `new` fails before Prometheus looks for the first time, `old`
    /// later, `well` never.
    private static let cases = """
        rule_files: [\(rules)]
        evaluation_interval: 1m
        tests:
          - interval: 1m
            input_series:
              - {series: 'wfd_failures_total{machine="new",type="expression-failed"}', values: '_x10 5x40'}
              - {series: 'wfd_failures_total{machine="old",type="expression-failed"}', values: '0x10 3x40'}
              - {series: 'wfd_failures_total{machine="well",type="expression-failed"}', values: '0x60'}
              - {series: 'wfd_effect_oldest_due_seconds{queue="task:stock"}', values: '0x10 301x40'}
              - {series: 'wfd_effect_oldest_due_seconds{queue="task:pack"}', values: '20x60'}
              - {series: 'wfd_effect_workers{queue="task:stock"}', values: '1x10 0x40'}
              - {series: 'wfd_effects{queue="task:stock",state="ready"}', values: '2x60'}
              - {series: 'wfd_timers_late_seconds', values: '0x10 61x40'}
            alert_rule_test:
              - eval_time: 9m
                alertname: WfdFailures
              - eval_time: 12m
                alertname: WfdFailures
                exp_alerts:
        \(failed("new"))
        \(failed("old"))
              - eval_time: 40m
                alertname: WfdFailures
              - eval_time: 9m
                alertname: WfdQueueStands
              - eval_time: 13m
                alertname: WfdQueueStands
                exp_alerts:
                  - exp_labels: {queue: 'task:stock', severity: warning}
                    exp_annotations: {summary: "Nothing starts in task:stock: wfctl queues"}
              - eval_time: 13m
                alertname: WfdNoWorkers
              - eval_time: 18m
                alertname: WfdNoWorkers
                exp_alerts:
                  - exp_labels: {queue: 'task:stock', severity: warning}
                    exp_annotations: {summary: "No worker asks for the tasks of task:stock"}
              - eval_time: 14m
                alertname: WfdTimersLate
                exp_alerts:
                  - exp_labels: {severity: warning}
                    exp_annotations: {summary: "61 s after a timer was due it has not fired: wfctl status"}

        """

    @Test(.enabled(if: promtool != nil, "there is no promtool on this system (Debian's package is 'prometheus')"))
    func theAlertsComeWhenTheyShould() async throws {
        let promtool = try #require(Self.promtool)
        let folder = try TemporaryFolder()
        let cases = try folder.write(Self.cases, to: "cases.yml")
        for arguments in [["check", "rules", Self.rules], ["test", "rules", cases]] {
            let result = try await RunningProgram(promtool, arguments, environment: Programs.environment([:])).result()
            #expect(result.end == .exited(0), "\(result)")
        }
    }

    /// An alert on a name that no daemon says never comes.
    @Test func everyMetricOfTheRulesIsOneThatWfdHas() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        let metrics = try await daemon.answer(to: .get("/metrics")).text
        let text = try String(contentsOfFile: Self.rules, encoding: .utf8)
        // Nobody has made a backup here.
        let known = metrics.matches(of: /# TYPE (\w+)/).map { String($0.1) } + ["wfd_last_backup_timestamp_seconds"]
        let named = Set(text.matches(of: /wfd_\w+/).map { String($0.0) })
        #expect(named.count > 8 && Set(named).isSubset(of: known), "\(named.subtracting(known))")
        #expect(try await daemon.stop().end == .exited(0))
    }
}
