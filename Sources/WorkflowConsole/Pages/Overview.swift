import WorkflowAPI
import WorkflowCalls
import WorkflowTerminal

/// The page that somebody who is woken at night looks at first.
enum Overview {
    /// The most pages of the tally that the overview adds up.
    private static let tallyPages = 20
    private static let shownMachines = 100

    static func content(_ visitor: Visitor) async throws -> PageContent {
        let client = visitor.client
        let status = try await client.status()
        let machines = await ConsolePages.part("Machines", id: "machines") { try await self.machines(client) }
        return PageContent("Overview", ["wfctl", "status"]) {
            ConsolePages.section("wfd", id: "daemon") {
                daemon(status)
                if status.held == true { ConfirmedAct.release.form("effects", visitor) }
            }
            failures(status)
            queues(status)
            runs(status)
            machines
            ConsolePages.section("Upkeep", id: "upkeep") { upkeep(status) }
        }
    }

    private static func daemon(_ status: DaemonStatus) -> Markup {
        let isReady = status.status == .ready
        let word =
            isReady
            ? Tag.span(.class("pill running")) { status.status.rawValue }
            : Tag.span(.class("pill failed")) { status.status.rawValue }
        let late = status.behind.map { behind in
            "\(Words.bounded(status.lateTimers ?? 1)) late, the first by \(Words.span(behind))"
        }
        let counts = status.instances.map { count in
            Tag.li {
                Tag.a(.href(.instances(.init(statuses: [count.status])))) { "\(count.count)" }
                " "
                Words.status(count.status)
            }
        }
        return Words.facts([
            ("Status", word + Markup(text: status.reason.map { " \($0)" } ?? "")),
            ("Version", Markup(text: status.version)),
            ("Effects", status.held == true ? held(status) : nil),
            ("Timers", Markup(text: late ?? "none is late")),
            ("Waiting", Markup(text: Words.count(status.waiting, "command"))),
            (
                "Instances",
                counts.isEmpty ? Markup(text: "none") : Tag.ul(.class("row")) { for count in counts { count } }
            ),
            ("Suspended machines", suspended(status.suspendedMachines ?? [])),
        ])
    }

    private static func held(_ status: DaemonStatus) -> Markup {
        Tag.strong(.class("bad")) { "held" } + Markup(text: status.holdReason.map { " \($0); " } ?? " ")
            + Tag.code { "wfctl release" } + Markup(text: " lets them start")
    }

    private static func suspended(_ machines: [MachineSuspensionItem]) -> Markup? {
        guard !machines.isEmpty else { return nil }
        return Tag.ul(.class("row")) {
            for machine in machines {
                Tag.li {
                    Tag.a(.href(.machine(machine.machine))) { machine.machine }
                    machine.reason.map { " (\($0))" } ?? ""
                }
            }
        }
    }

    /// Returns the groups of failures, the largest first.
    private static func failures(_ status: DaemonStatus) -> Markup {
        var table = DataTable("Groups of failures", "Instances", "Machine", "On", "Since", "Why", "First")
        for failure in status.failures {
            let same = InstanceListParameters(
                machines: [failure.machine], versions: [failure.version], statuses: [.failed],
                failures: [failure.message])
            table.add {
                Tag.a(.href(.instances(same))) { "\(failure.count)" }
                Tag.a(.href(.machine(failure.machine, version: failure.version))) {
                    "\(failure.machine) \(failure.version)"
                }
                Tag.code { failure.event }
                Markup(text: Words.span(failure.sinceInMilliseconds))
                Markup(text: failure.message) + place(failure)
                Tag.a(.href(.instance(failure.instance))) { failure.instance }
            }
        }
        let others = (status.otherFailures ?? 0)
        return ConsolePages.section("What fails", id: "failures") {
            if table.rows.isEmpty {
                if others > 0 {
                    Tag.p { "\(Words.count(others, "group")) of failures, which your role may count and not read." }
                } else {
                    Tag.p { "Nothing has failed." }
                }
            } else {
                table.markup
                if others > 0 {
                    Tag.p(.class("next")) {
                        Tag.a(.href(.instances(.init(statuses: [.failed])))) { "\(Words.count(others, "more group"))" }
                    }
                }
            }
            if let redacted = status.redactedFailures {
                Tag.p { "\(Words.count(redacted, "more failure")) whose reason was erased." }
            }
        }
    }

    private static func place(_ failure: FailureItem) -> Markup {
        guard let line = failure.line, let expression = failure.expression else { return Markup() }
        return Tag.div(.class("note")) {
            "line \(line): "
            Tag.code { expression }
        }
    }

    private static func queues(_ status: DaemonStatus) -> Markup {
        guard let queues = status.queues, !queues.isEmpty else { return Markup() }
        return ConsolePages.section("Queues that stand", id: "queues") {
            EffectPages.table(of: queues, "Queues in which nothing goes on").markup
            if let others = status.otherQueues {
                Tag.p(.class("next")) { Tag.a(.href(Link("queues"))) { Words.count(others, "more queue") } }
            }
        }
    }

    private static func runs(_ status: DaemonStatus) -> Markup {
        guard let runs = status.runs, !runs.isEmpty else { return Markup() }
        return ConsolePages.section("Runs", id: "runs") {
            RunPages.table(of: runs, "Runs that have not ended").markup
            if let others = status.otherRuns {
                Tag.p(.class("next")) { Tag.a(.href(Link("runs"))) { Words.count(others, "more run") } }
            }
        }
    }

    /// Returns the number of instances by machine and status.
    private static func machines(_ client: WorkflowClient) async throws -> Markup {
        var counts: [String: [Instance.Status: Int64]] = [:]
        var page: String?
        var pages = 0
        repeat {
            let tally = try await client.tally(TallyParameters(limit: APILimits.largestPageItems, page: page))
            for item in tally.items {
                let (sum, _) = (counts[item.machine]?[item.status] ?? 0).addingReportingOverflow(item.count)
                counts[item.machine, default: [:]][item.status] = sum
            }
            page = tally.nextPage
            pages += 1
        } while page != nil && pages < tallyPages
        guard !counts.isEmpty else {
            let machines = try await client.machines(PageParameters(limit: 1))
            return machines.items.isEmpty ? noMachine : noInstance
        }
        let statuses = Instance.Status.allCases
        var table = DataTable(
            "Instances by machine and status", ["Machine"] + statuses.map(\.rawValue))
        for (machine, own) in counts.sorted(by: { $0.key < $1.key }).prefix(shownMachines) {
            let cells = statuses.map { status -> Markup in
                guard let count = own[status] else { return Markup(text: "–") }
                return Tag.a(.href(.instances(.init(machines: [machine], statuses: [status])))) { "\(count)" }
            }
            table.rows.append([Tag.a(.href(.machine(machine))) { machine }] + cells)
        }
        let left = counts.count - table.rows.count
        return table.markup
            + (left > 0
                ? Tag.p(.class("next")) { Tag.a(.href(Link("machines"))) { Words.count(Int64(left), "more machine") } }
                : Markup())
            + (page == nil
                ? Markup()
                : Tag.p(.class("note")) {
                    "Only the first \(tallyPages * APILimits.largestPageItems) rows of the tally are counted here: "
                        + "'wfctl tally' has them all."
                })
    }

    /// The text where there is no machine.
    static let noMachine = Words.emptyPage {
        "There is no machine yet. A definition makes one: "
        Tag.code { "wfctl apply order.yaml" }
    }

    private static let noInstance = Words.emptyPage {
        "There is no instance yet. This starts one: "
        Tag.code { "wfctl start order order-1" }
    }

    private static func upkeep(_ status: DaemonStatus) -> Markup {
        Words.facts([
            ("Disk", status.disk.map { Markup(text: disk($0)) }),
            ("Deleted rows to remove", status.deleting.map { Markup(text: "\($0)") }),
            ("Last backup", status.lastBackupAt.map { Words.time($0) } ?? Markup(text: "none is known of")),
            (
                "Last verification",
                status.lastVerificationAt.map { Words.time($0) } ?? Markup(text: "none is known of")
            ),
            ("Certificate", status.certificateEndsAt.map { Markup(text: "expires at ") + Words.time($0) }),
            (
                "Tokens that end",
                status.tokensEnding.map { tokens in
                    Tag.ul(.class("row")) {
                        for token in tokens {
                            Tag.li {
                                "\(token.name) at "
                                Words.time(token.expiresAt)
                            }
                        }
                    }
                }
            ),
        ])
    }

    private static func disk(_ disk: DaemonStatus.Disk) -> String {
        var parts = [ByteText.text(disk.file), "log \(ByteText.text(disk.log))"]
        if let held = disk.logHeld { parts.append("a reader has held the log for \(Words.span(held))") }
        if let erased = disk.logErased { parts.append("erased data has been in the log for \(Words.span(erased))") }
        if let free = disk.free { parts.append("\(ByteText.text(free)) free") }
        return parts.joined(separator: ", ")
    }
}
