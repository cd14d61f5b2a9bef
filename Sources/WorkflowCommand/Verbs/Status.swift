import ArgumentParser
import WorkflowAPI
import WorkflowClient
import WorkflowTerminal

/// `wfctl status`.
struct Status: Verb {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show whether wfd accepts requests, what has failed, and what is late.",
        discussion: """
            $ wfctl status

            The exit code is 0 if wfd accepts events. 'wfctl failures' shows all failure reasons. A queue is shown if \
            an effect in it has been due for a minute without beginning, is held, or has failed.
            """)

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        let isForPeople = session.format == .table
        let (status, permissions) = try await session.withClient { client in
            // Without an answer, the commands stand there as for a caller who may run them.
            (try await client.status(), isForPeople ? try? await client.whoami().permissions : nil)
        }
        try session.print(status) { Self.lines(for: status, Remedies(permissions: permissions)) }
        // `ready` throws the reason, with its exit code.
        if status.status != .ready { _ = try await session.withClient { try await $0.ready() } }
    }

    /// The commands that help, with the role that the caller lacks.
    private struct Remedies {
        /// The caller's permissions; `nil` if they are unknown.
        let permissions: [Route.Permission]?

        func callAsFunction(_ line: String, _ need: Route.Permission) -> String {
            guard let permissions, !permissions.contains(need), let role = Role.having(need).first else {
                return "'\(line)'"
            }
            return "'\(line)' (needs the role '\(role.rawValue)')"
        }
    }

    private static func lines(for status: DaemonStatus, _ remedies: Remedies) -> StyledText {
        let isReady = status.status == .ready
        var text: StyledText = "status:    \(status.status.rawValue, isReady ? nil : .bad)"
        if let reason = status.reason { text = text + ": \(reason)" }
        text = text + "\nversion:   \(status.version)\n"
        if status.held == true {
            text = text + "effects:   \("held", .bad): \(remedies("wfctl release", .operate)) lets them start\n"
            if let reason = status.holdReason { text = text + "           \(reason)\n" }
        }
        if let machines = status.suspendedMachines {
            text = text + suspensions(machines, remedies)
        }
        let late = status.behind.map { self.late($0, timers: status.lateTimers ?? 1) } ?? "nothing is late"
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
            let all = remedies("wfctl failures", .read)
            text = text + rest(others, "reason", after: status.failures.count, "failed:    ", all)
        }
        if let redacted = status.redactedFailures {
            text = text + (status.failures.isEmpty && status.otherFailures == nil ? "failed:    " : "           ")
            let list = remedies("wfctl list --status failed", .read)
            text = text + "\(String(redacted), .bad) for a redacted reason: \(list)\n"
        }
        text = text + queues(status, remedies)
        if let rows = status.deleting { text = text + "deleting:  \(plural(rows, "row")) left\n" }
        for (place, run) in (status.runs ?? []).enumerated() {
            let state: StyledText = "\(run.state.rawValue, run.state == .stopped ? .bad : nil)"
            let turns = "\(BulkText.grouped(run.counts.total)) of \(BulkText.grouped(run.selected))"
            text =
                text + (place == 0 ? "runs:      " : "           ") + "\(run.run): \(run.action.verb.rawValue), "
                + "\(turns), " + state + "\(run.paused.map { ", pauses: \($0)" } ?? "")\n"
        }
        if let others = status.otherRuns {
            let all = remedies("wfctl bulk list", .read)
            text = text + rest(others, "run", after: status.runs?.count ?? 0, "runs:      ", all)
        }
        if let disk = status.disk { text = text + "disk:      " + self.disk(disk) + "\n" }
        let backup = status.lastBackupAt?.text ?? "none is known of"
        text = text + "backup:    \(backup)\n"
        if let end = status.certificateEndsAt {
            text = text + "TLS:       \("the certificate expires at \(end.text)", .bad): renew it\n"
        }
        for token in status.tokensEnding ?? [] {
            text = text + "token:     \("\(token.name) expires at \(token.expiresAt.text)", .bad): create another\n"
        }
        return text
    }

    /// The number of suspended machines with a line of their own.
    private static let shownMachines = 5

    /// Returns the line for items without a line of their own: `           2 more reasons: 'wfctl failures'`.
    ///
    /// - Parameter shown: The number of items with a line. A caller who may not read has none, and sees the number.
    private static func rest(
        _ count: Int64, _ what: String, after shown: Int, _ label: String, _ remedy: String
    ) -> StyledText {
        shown == 0
            ? "\(label)\(plural(count, what)): \(remedy)\n"
            : "           \(plural(count, "more \(what)")): \(remedy)\n"
    }

    private static func suspensions(_ machines: [MachineSuspensionItem], _ remedies: Remedies) -> StyledText {
        var text: StyledText = ""
        for (place, machine) in machines.prefix(shownMachines).enumerated() {
            text =
                text + (place == 0 ? "suspended: " : "           ") + "\(machine.machine, .bad)"
                + "\(SuspensionText.text(machine)): "
                + "\(remedies("wfctl resume --machine \(machine.machine)", .operate))\n"
        }
        let others = machines.count - shownMachines
        guard others > 0 else { return text }
        return text + "           \(plural(Int64(others), "more machine")): \(remedies("wfctl machines", .read))\n"
    }

    private static func late(_ milliseconds: Int64, timers: Int64) -> String {
        let time = DurationText.rough(milliseconds: milliseconds)
        return timers == 1 ? "a timer is \(time) late" : "\(count(timers)) timers are late, the first by \(time)"
    }

    /// Returns a line for each queue that does not advance.
    private static func queues(_ status: DaemonStatus, _ remedies: Remedies) -> StyledText {
        var text: StyledText = ""
        for (place, queue) in (status.queues ?? []).enumerated() {
            let standing = standing(queue).joined(separator: ", ")
            text = text + (place == 0 ? "queues:    " : "           ") + "\(queue.queue, .bad): \(standing)\n"
        }
        if let others = status.otherQueues {
            text = text + "           \(plural(others, "more queue")): \(remedies("wfctl queues", .read))\n"
        }
        return text
    }

    private static func standing(_ queue: QueueItem) -> [String] {
        var parts: [String] = []
        if queue.ready > 0 {
            let since = queue.oldestDueInMilliseconds.map { due in
                ", since \(DurationText.rough(milliseconds: due > 0 ? 0 : -max(due, -.max)))"
            }
            parts.append("\(count(queue.ready)) ready\(since ?? "")")
            if queue.settings.paused { parts.append("paused") }
            if queue.workers == 0 { parts.append("no worker asks") }
        }
        if queue.failed > 0 { parts.append("\(count(queue.failed)) failed") }
        if queue.held > 0 { parts.append("\(count(queue.held)) held") }
        return parts
    }

    /// Returns a count as text; counting ends at a bound.
    private static func count(_ number: Int64) -> String {
        number >= APILimits.countedEffects ? "\(APILimits.countedEffects)+" : "\(number)"
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

    private static func disk(_ disk: DaemonStatus.Disk) -> StyledText {
        let pages = disk.pages.map { " (\($0) pages, \(disk.freePages ?? 0) of them unused)" } ?? ""
        let held: StyledText
        if let age = disk.logHeld {
            let time = DurationText.rough(milliseconds: age)
            held = " (\("a reader has held it for \(time)", age > heldTooLong ? .bad : nil))"
        } else {
            held = ""
        }
        let erased: StyledText
        if let age = disk.logErased {
            let time = DurationText.rough(milliseconds: age)
            erased = " (\("erased data has been in it for \(time)", age > heldTooLong ? .bad : nil))"
        } else {
            erased = ""
        }
        let free = disk.free.map { ", \(ByteText.text($0)) free" } ?? ""
        return "\(ByteText.text(disk.file))\(pages), log \(ByteText.text(disk.log))" + held + erased + "\(free)"
    }

    /// The milliseconds after which the age of a reader, or of erased data in the log, is shown in red.
    private static let heldTooLong: Int64 = 60_000

    private static func plural(_ count: Int64, _ what: String) -> String { "\(count) \(what)\(count == 1 ? "" : "s")" }
}
