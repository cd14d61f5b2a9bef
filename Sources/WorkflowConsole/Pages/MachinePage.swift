import Drawing
import WorkflowAPI
import WorkflowCalls

/// The page of a machine: its drawing with the number of instances in each state, its versions and its source.
enum MachinePage {
    static func content(_ name: String, _ request: PageRequest, _ visitor: Visitor) async throws -> PageContent {
        let client = visitor.client
        let (version, against) = (try number("version", in: request), try number("against", in: request))
        let latest = try await client.machine(name)
        let isLatest = version == nil || version == latest.version
        let shown = isLatest ? latest : try await client.machine(name, version: version)
        let tree = StateTree(shown)
        let tally = await tally(of: name, version, tree, client)
        let stats = await StatsPart(name, version: version, request, client)
        let states = await ConsolePages.part("States", id: "states") {
            guard let tree else {
                return Tag.p { "The definition cannot be read by this version of wfd; its source is below." }
            }
            return self.states(of: name, version, tree, try tally.get(), stats.counts(in: tree.machine), request)
        }
        let stays = await stats.markup()
        let versions = await ConsolePages.part("Versions", id: "versions") {
            try await VersionsPart.markup(latest, shown: shown.version, try tally.get(), client)
        }
        let difference = await difference(of: shown, against: against, client)
        let stream = Link.stream(ofMachines: [name], for: request)
        return PageContent(
            "\(name) version \(shown.version)", ["wfctl", "machine", "show", name], stream: stream
        ) {
            facts(latest, shown)
            difference
            states
            stays
            versions
            MachineActions.section(latest, visitor)
            ConsolePages.section("Source of version \(shown.version)", id: "definition") {
                ConsolePages.commandLine(["wfctl", "machine", "source", name, "--version", "\(shown.version)"])
                SourceText.numbered(shown.source ?? "")
            }
        }
    }

    private static func number(_ name: String, in request: PageRequest) throws -> Int64? {
        guard let text = request.values(name).first else { return nil }
        guard let version = Int64(text), version > 0 else {
            throw ClientError.problem(
                Problem(.invalidParameter, detail: "Parameter '\(name)' must be a version: 1, 2, …"))
        }
        return version
    }

    /// Counts the instances; what refuses that is told where the numbers would stand.
    private static func tally(
        of name: String, _ version: Int64?, _ tree: StateTree?, _ client: WorkflowClient
    ) async -> Result<MachineTally, any Error> {
        do {
            return .success(try await MachineTally(of: name, version: version, { tree?.lineage($0) ?? [] }, client))
        } catch {
            return .failure(error)
        }
    }

    private static func facts(_ latest: MachineSummary, _ shown: MachineSummary) -> Markup {
        Words.facts([
            ("New instances take", Markup(text: latest.active.map { "version \($0)" } ?? "the latest version")),
            ("Suspended", latest.suspended.map { Words.suspension($0.at, $0.actor, $0.reason) } ?? Markup(text: "no")),
            (
                "Finished instances are kept",
                Markup(text: latest.retentionInMilliseconds.map { Words.span($0) } ?? "for ever")
            ),
            ("Applied", Words.time(shown.createdAt)), ("Digest", Tag.code { shown.digest }),
            ("Instances", Tag.a(.href(.instances(.init(machines: [latest.machine])))) { "all of this machine" }),
        ])
    }

    private static func difference(
        of shown: MachineSummary, against version: Int64?, _ client: WorkflowClient
    ) async -> Markup {
        guard let version else { return Markup() }
        let title = "What differs from version \(version) to version \(shown.version)"
        return await ConsolePages.part(title, id: "difference") {
            let other = try await client.machine(shown.machine, version: version)
            return SourceText.difference(
                shown.machine, (version, other.source ?? ""), (shown.version, shown.source ?? ""))
        }
    }
}

// MARK: States

extension MachinePage {
    private static func states(
        of machine: String, _ version: Int64?, _ tree: StateTree, _ tally: MachineTally, _ counts: ArrowCounts?,
        _ request: PageRequest
    ) -> Markup {
        let versions = version.map { [$0] } ?? []
        func link(_ path: String, _ statuses: [Instance.Status] = []) -> Link {
            .instances(.init(machines: [machine], versions: versions, statuses: statuses, states: [path]))
        }
        let badges = tally.states.map { path, count in
            let hasFailed = count.failed > 0
            return (
                path,
                SceneNote(
                    text: Words.short(count.all) + (hasFailed ? " !" : ""),
                    title: Words.count(count.all, "instance") + (hasFailed ? ", \(count.failed) failed" : ""),
                    address: link(path).text, isBad: hasFailed)
            )
        }
        let chart = tree.chart(
            active: [], in: request, badges: Dictionary(badges) { first, _ in first }, counts: counts
        ) { path in
            guard let count = tally.states[path] else { return Markup() }
            let all = Markup(text: " ") + Tag.a(.href(link(path)), .class("count")) { "\(count.all)" }
            guard count.failed > 0 else { return all }
            return all + Markup(text: " ")
                + Tag.a(.href(link(path, [.failed])), .class("count bad")) { "\(count.failed) failed" }
        }
        let counted = version.map { "of version \($0)" } ?? "of all versions"
        return (tree.description.map { text in Tag.p { text } } ?? Markup())
            + Tag.p(.class("note")) {
                "A number is of the instances in a state and below it, \(counted); '!' says that some of them failed."
            } + (counts.map(note(on:)) ?? Markup()) + chart
            + (tally.isWhole ? Markup() : Tag.p(.class("note")) { "There are more: 'wfctl tally' has them all." })
    }

    /// Returns the sentences about the numbers at the arrows.
    private static func note(on counts: ArrowCounts) -> Markup {
        Tag.p(.class("note")) {
            "'3×' at an arrow says that its transitions were taken three times, in the rows that are counted below."
            if counts.unexplained > 0 {
                " \(Words.count(counts.unexplained, "step")) fit no arrow of this version; the table below has them."
            }
        }
    }
}
