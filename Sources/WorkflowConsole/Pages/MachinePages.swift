import WorkflowAPI
import WorkflowClient

/// The pages of machines.
enum MachinePages {
    /// The versions that a machine's page leads to.
    private static let shownVersions: Int64 = 20
    /// The most pages of the tally that a machine's page adds up.
    private static let tallyPages = 20

    static func list(_ request: PageRequest, _ client: WorkflowClient) async throws -> PageContent {
        let machines = try await client.machines(PageParameters(query: request.query))
        var table = DataTable(
            "Machines", "Machine", "Latest", "Active", "Suspended", "Finished ones are kept", "Applied")
        for machine in machines.items {
            table.add {
                Tag.a(.href(.machine(machine.machine))) { machine.machine }
                "\(machine.version)"
                machine.active.map { "\($0)" } ?? "the latest"
                machine.suspended.map { suspension($0) } ?? "no"
                machine.retentionInMilliseconds.map { Words.span($0) } ?? "for ever"
                Words.time(machine.createdAt)
            }
        }
        return PageContent("Machines", ["wfctl", "machines"]) {
            if machines.items.isEmpty { Overview.noMachine } else { table.markup }
            Words.next(machines.nextPage, "machines", nil, request)
        }
    }

    static func machine(
        _ name: String, _ request: PageRequest, _ visitor: Visitor
    ) async throws -> PageContent {
        let client = visitor.client
        let version = try version(in: request)
        let latest = try await client.machine(name)
        let isLatest = version == nil || version == latest.version
        let shown = isLatest ? latest : try await client.machine(name, version: version)
        let counted = await ConsolePages.part("States", id: "states") {
            guard let tree = StateTree(shown) else {
                return Tag.p { "The definition cannot be read by this version of wfd; its source is below." }
            }
            return states(of: name, tree, try await counts(of: name, in: tree, client), request.drawn)
        }
        let stream = Link.stream(ofMachines: [name], after: request.cursor)
        return PageContent(
            "\(name) version \(shown.version)", ["wfctl", "machine", "show", name], stream: stream
        ) {
            Words.facts([
                ("Version", versions(of: latest, shown: shown.version)),
                ("New instances take", Markup(text: latest.active.map { "version \($0)" } ?? "the latest version")),
                ("Suspended", Markup(text: latest.suspended.map { suspension($0) } ?? "no")),
                (
                    "Finished instances are kept",
                    Markup(text: latest.retentionInMilliseconds.map { Words.span($0) } ?? "for ever")
                ),
                ("Applied", Words.time(shown.createdAt)),
                ("Digest", Tag.code { shown.digest }),
                ("Instances", Tag.a(.href(.instances(.init(machines: [name])))) { "all of this machine" }),
            ])
            counted
            MachineActions.section(latest, visitor)
            ConsolePages.section("Definition", id: "definition") {
                ConsolePages.commandLine(["wfctl", "machine", "source", name, "--version", "\(shown.version)"])
                Tag.details {
                    Tag.summary { "Source of version \(shown.version)" }
                    Tag.pre { shown.source ?? "" }
                }
            }
        }
    }

    private static func version(in request: PageRequest) throws -> Int64? {
        guard let text = request.values("version").first else { return nil }
        guard let version = Int64(text), version > 0 else {
            throw ClientError.problem(
                Problem(.invalidParameter, detail: "Parameter 'version' must be a version: 1, 2, …"))
        }
        return version
    }

    private static func suspension(_ item: MachineSuspensionItem) -> String {
        "since \(item.at.text)" + (item.actor.map { " by \($0)" } ?? "") + (item.reason.map { ": \($0)" } ?? "")
    }

    private static func versions(of latest: MachineSummary, shown: Int64) -> Markup {
        let first = max(1, latest.version - shownVersions + 1)
        return Tag.ul(.class("row")) {
            for version in (first...max(first, latest.version)).reversed() {
                Tag.li {
                    Tag.a(.href(.machine(latest.machine, version: version)), .current(version == shown)) {
                        "\(version)"
                    }
                }
            }
        }
    }

    /// The instances in a state and below it.
    private struct Count {
        var all: Int64 = 0
        var failed: Int64 = 0
    }

    /// Returns the numbers of instances in each state, over all versions.
    private static func counts(
        of machine: String, in tree: StateTree, _ client: WorkflowClient
    ) async throws -> (states: [String: Count], isWhole: Bool) {
        var counts: [String: Count] = [:]
        var page: String?
        var pages = 0
        repeat {
            let tally = try await client.tally(
                TallyParameters(machines: [machine], limit: APILimits.largestPageItems, page: page))
            for item in tally.items {
                for path in Set(item.configuration.flatMap(tree.lineage)) {
                    counts[path, default: Count()].all &+= item.count
                    if item.status == .failed { counts[path, default: Count()].failed &+= item.count }
                }
            }
            page = tally.nextPage
            pages += 1
        } while page != nil && pages < tallyPages
        return (counts, page == nil)
    }

    private static func states(
        of machine: String, _ tree: StateTree, _ counted: (states: [String: Count], isWhole: Bool),
        _ drawn: String?
    ) -> Markup {
        let chart = tree.chart(active: [], drawn: drawn) { path in
            guard let count = counted.states[path] else { return Markup() }
            return Markup(text: " ")
                + Tag.a(.href(.instances(.init(machines: [machine], states: [path]))), .class("count")) {
                    "\(count.all)"
                }
                + (count.failed == 0
                    ? Markup()
                    : Markup(text: " ")
                        + Tag.a(
                            .href(.instances(.init(machines: [machine], statuses: [.failed], states: [path]))),
                            .class("count bad")
                        ) { "\(count.failed) failed" })
        }
        return (tree.description.map { text in Tag.p { text } } ?? Markup())
            + Tag.p(.class("note")) { "A number is of the instances in a state and below it, of all versions." } + chart
            + (counted.isWhole ? Markup() : Tag.p(.class("note")) { "There are more: 'wfctl tally' has them all." })
    }
}
