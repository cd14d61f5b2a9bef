import DaemonTesting
import Foundation
import Testing

/// Tests the alerts of `docs/watching.md` in Prometheus.
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

    /// Each alert with values that raise it and values that do not. `new` fails before Prometheus looks for the first
    /// time, `old` fails later, `well` never.
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
              - {series: 'wfd_timers_skipped_total{machine="new"}', values: '_x10 5x90'}
              - {series: 'wfd_timers_skipped_total{machine="old"}', values: '0x10 3x90'}
              - {series: 'wfd_timers_skipped_total{machine="well"}', values: '0x100'}
              - {series: 'wfd_ready', values: '1x10 0x40'}
              - {series: 'up{job="wfd"}', values: '1x10 0x40'}
              - {series: 'wfd_effects{queue="task:stock",state="failed"}', values: '0x10 3x40'}
              - {series: 'wfd_effects{queue="task:stock",state="leased"}', values: '2x60'}
              - {series: 'wfd_effects_held', values: '0x10 1x40'}
              - {series: 'wfd_disk_free_bytes', values: '2000000000x10 500000000x40'}
              - {series: 'wfd_last_backup_timestamp_seconds', values: '0x1700'}
              - {series: 'wfd_ready{instance="new"}', values: '1x1700'}
              - {series: 'wfd_ready{instance="kept"}', values: '1x1700'}
              - {series: 'wfd_last_backup_timestamp_seconds{instance="kept"}', values: '0+60x1700'}
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
              - eval_time: 9m
                alertname: WfdTimersSkipped
              - eval_time: 12m
                alertname: WfdTimersSkipped
                exp_alerts:
        \(skipped("new"))
        \(skipped("old"))
              - eval_time: 90m
                alertname: WfdTimersSkipped
        \(others)
        """

    private static func skipped(_ machine: String) -> String {
        """
                  - exp_labels: {machine: \(machine), severity: warning}
                    exp_annotations: {summary: "Timers of \(machine) came too late and were skipped"}
        """
    }

    /// The other alerts, each raised once after a while: none before, and one at a time.
    private static let others = [
        ("WfdNotReady", "11m", "13m", "severity: critical", "wfd takes no events: wfctl status"),
        ("WfdDown", "11m", "13m", "job: wfd, severity: critical", "wfd does not answer"),
        (
            "WfdEffectsWait", "14m", "18m", "queue: 'task:stock', state: failed, severity: warning",
            "3 effects of task:stock are failed: wfctl effects"
        ),
        ("WfdEffectsHeld", "24m", "28m", "severity: warning", "No effect starts: wfctl release"),
        (
            "WfdDiskFull", "14m", "18m", "severity: critical", "476.8MiB are left on the disk of the database"
        ),
        ("WfdBackupOld", "26h5m", "26h15m", "severity: warning", "The last backup is 1d 2h 15m 0s old"),
        (
            "WfdNoBackup", "26h5m", "26h15m", "instance: new, severity: warning",
            "wfd has run for a day and knows of no backup: wfctl backup"
        ),
    ].map { name, before, behind, labels, summary in
        """
              - eval_time: \(before)
                alertname: \(name)
              - eval_time: \(behind)
                alertname: \(name)
                exp_alerts:
                  - exp_labels: {\(labels)}
                    exp_annotations: {summary: "\(summary)"}

        """
    }.joined()

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

    /// An alert on a metric that no daemon has would never be raised.
    @Test func everyMetricOfTheRulesIsOneThatWfdHas() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        let metrics = try await daemon.answer(to: .get("/metrics")).text
        let text = try String(contentsOfFile: Self.rules, encoding: .utf8)
        // This metric is missing here, because nobody has made a backup.
        let known = metrics.matches(of: /# TYPE (\w+)/).map { String($0.1) } + ["wfd_last_backup_timestamp_seconds"]
        let named = Set(text.matches(of: /wfd_\w+/).map { String($0.0) })
        #expect(named.count > 8 && Set(named).isSubset(of: known), "\(named.subtracting(known))")
        #expect(try await daemon.stop().end == .exited(0))
    }
}
