import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl status`.
struct Status: Verb {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show whether the daemon takes requests, what has failed, and what is late.",
        discussion: """
            $ wfctl status

            The exit code is 0 when the daemon takes events. 'wfctl failures' shows all reasons of failures.
            """)

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        let status = try await session.withClient { try await $0.status() }
        try session.print(status) { Self.lines(for: status) }
        // Says what is wrong, and ends with its exit code.
        if status.status != .ready { _ = try await session.withClient { try await $0.ready() } }
    }

    private static func lines(for status: DaemonStatus) -> StyledText {
        let isReady = status.status == .ready
        var text: StyledText = "status:    \(status.status.rawValue, isReady ? nil : .bad)"
        if let reason = status.reason { text = text + ": \(reason)" }
        text = text + "\nversion:   \(status.version)\n"
        if status.held == true {
            text = text + "effects:   \("held", .bad): 'wfctl release' lets them start\n"
        }
        if let machines = status.suspendedMachines {
            text = text + suspensions(machines)
        }
        let late = status.behind.map { "a timer is \(DurationText.rough(milliseconds: $0)) late" } ?? "nothing is late"
        let waiting = status.waiting == 0 ? "" : ", \(plural(status.waiting, "command")) wait"
        text = text + "behind:    \(late, (status.behind ?? 0) > 60_000 ? .bad : nil)\(waiting)\n"
        text = text + "instances: \(instances(status.instances))\n"
        for (place, failure) in status.failures.enumerated() {
            text =
                text + (place == 0 ? "failed:    " : "           ")
                + "\(String(failure.count), .bad) of \(failure.machine) "
                + "version \(failure.version) on \(failure.event), since "
                + "\(DurationText.rough(milliseconds: failure.sinceInMilliseconds)): \(failure.message)\n"
        }
        if let others = status.otherFailures {
            text = text + "           \(plural(others, "more reason")): 'wfctl failures'\n"
        }
        if let rows = status.deleting { text = text + "deleting:  \(plural(rows, "row")) left\n" }
        for (place, run) in (status.runs ?? []).enumerated() {
            let state: StyledText = "\(run.state.rawValue, run.state == .stopped ? .bad : nil)"
            let turns = "\(BulkText.grouped(run.counts.total)) of \(BulkText.grouped(run.selected))"
            text =
                text + (place == 0 ? "runs:      " : "           ") + "\(run.run): \(run.action.verb.rawValue), "
                + "\(turns), " + state + "\(run.paused.map { ", pauses: \($0)" } ?? "")\n"
        }
        if let others = status.otherRuns {
            text = text + "           \(plural(others, "more run")): 'wfctl bulk list'\n"
        }
        if let disk = status.disk { text = text + "disk:      \(self.disk(disk))\n" }
        let backup = status.lastBackupAt?.text ?? "none since wfd began"
        return text + "backup:    \(backup)\n"
    }

    /// How many suspended machines have a line of their own.
    private static let shownMachines = 5

    private static func suspensions(_ machines: [MachineSuspensionItem]) -> StyledText {
        var text: StyledText = ""
        for (place, machine) in machines.prefix(shownMachines).enumerated() {
            text =
                text + (place == 0 ? "suspended: " : "           ") + "\(machine.machine, .bad)"
                + "\(SuspensionText.text(machine)): 'wfctl resume --machine \(machine.machine)'\n"
        }
        let others = machines.count - shownMachines
        return others > 0 ? text + "           \(plural(Int64(others), "more machine")): 'wfctl machines'\n" : text
    }

    private static func instances(_ counts: [DaemonStatus.Count]) -> StyledText {
        var text: StyledText = ""
        for (place, count) in counts.enumerated() {
            text =
                text + (place == 0 ? "" : ", ") + "\(count.count) "
                + "\(count.status.rawValue, StateText.style(of: count.status))"
        }
        return counts.isEmpty ? "none" : text
    }

    private static func disk(_ disk: DaemonStatus.Disk) -> String {
        let free = disk.free.map { ", \(ByteText.text($0)) free" } ?? ""
        return "\(ByteText.text(disk.file)), log \(ByteText.text(disk.log))" + free
    }

    private static func plural(_ count: Int64, _ what: String) -> String { "\(count) \(what)\(count == 1 ? "" : "s")" }
}
