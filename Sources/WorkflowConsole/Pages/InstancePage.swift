import WorkflowAPI
import WorkflowCalls
import WorkflowJSON

/// The page of one instance, as it is or as it was after a macrostep.
enum InstancePage {
    static func content(
        _ name: String, _ request: PageRequest, _ visitor: Visitor
    ) async throws -> PageContent {
        let client = visitor.client
        let now = try await client.instance(name)
        guard let seq = try await askedSeq(in: request, of: now, client) else {
            return await present(now, request, visitor)
        }
        return await past(try await Moment(of: now, after: seq, client), request, visitor)
    }

    private static func present(
        _ now: Instance, _ request: PageRequest, _ visitor: Visitor
    ) async -> PageContent {
        let client = visitor.client
        let tree = await tree(of: now.machine, version: now.version, client)
        let actions = await InstanceActions.section(now, tree, visitor)
        let events = await accepted(now, tree, client)
        let waits = await waiting(now, client)
        let history = await history(of: now.instance, newest: now.seq, around: nil, request, client)
        let stream = Link.stream(ofInstance: now.instance, for: request)
        return PageContent(now.instance, command(["show"], now.instance), stream: stream) {
            SeqSlider.markup(now.instance, seq: nil, newest: now.seq)
            facts(now)
            if let failure = now.failure { self.failure(failure, now) }
            state(now, tree, taken: [], request)
            actions
            events
            waits
            ConsolePages.section("Context", id: "context") { Words.json(now.context) }
            output(of: now)
            history
        }
    }

    // MARK: Parts

    /// Returns the states of a version of a machine; `nil` if the definition cannot be read.
    static func tree(of machine: String, version: Int64, _ client: WorkflowClient) async -> StateTree? {
        // Without its drawing, the rest of the page is still of use.
        let summary = try? await client.machine(machine, version: version)
        return summary.flatMap { StateTree($0) }
    }

    /// Returns the drawing with the active states and the transitions that were taken.
    static func state(
        _ instance: Instance, _ tree: StateTree?, taken: [ReplayMicrostep.Taken], _ request: PageRequest
    ) -> Markup {
        ConsolePages.section("State", id: "state") {
            if let tree {
                tree.chart(
                    active: instance.configuration, taken: tree.numbers(of: taken), in: request
                ) { _ in Markup() }
            } else {
                Tag.p { "The definition of version \(instance.version) cannot be read, so it is not drawn." }
            }
        }
    }

    static func output(of instance: Instance) -> Markup {
        instance.output.map { output in
            ConsolePages.section("Output", id: "output") { Words.json(output) }
        } ?? Markup()
    }

    /// Returns the command line of a verb for an instance, whose name may begin like an option.
    static func command(_ verb: [String], _ name: String) -> [String] {
        ["wfctl"] + verb + (name.hasPrefix("-") ? ["--"] : []) + [name]
    }

    static func facts(_ instance: Instance) -> Markup {
        Words.facts([
            ("Status", Words.status(instance.status) + (instance.suspended.map(suspension) ?? Markup())),
            (
                "Machine",
                Tag.a(.href(.machine(instance.machine, version: instance.version))) {
                    "\(instance.machine) version \(instance.version)"
                }
            ),
            (
                "Machine suspended",
                instance.machineSuspended.map { Words.suspension($0.at, $0.actor, $0.reason) }
            ),
            ("Active", Words.states(instance.configuration)),
            ("Tags", instance.tags.map { Markup(text: $0.joined(separator: ", ")) }),
            ("Seq", Markup(text: "\(instance.seq)")), ("In it since", instance.enteredAt.map { Words.time($0) }),
            ("Started", Words.time(instance.createdAt)), ("Last step", Words.time(instance.updatedAt)),
            ("Erased", instance.redacted == true ? Markup(text: "a part of its history") : nil),
        ])
    }

    private static func suspension(_ item: InstanceSuspensionItem) -> Markup {
        Markup(text: " ") + Words.suspension(item.at, item.actor, item.reason)
    }

    /// Returns what the instance takes now, and of the rest why not.
    private static func accepted(
        _ instance: Instance, _ tree: StateTree?, _ client: WorkflowClient
    ) async -> Markup {
        let name = instance.instance
        return await ConsolePages.part("What it takes now", id: "events") {
            let events = try await client.events(ofInstance: name)
            guard events.status == .running else {
                return Tag.p { "Nothing: it is \(events.status.rawValue)." }
            }
            guard !events.items.isEmpty else { return Tag.p { "Its machine takes no events." } }
            var table = DataTable("Events of its machine", "Event", "Taken", "Why")
            let order = events.items.filter { $0.accepted != false } + events.items.filter { $0.accepted == false }
            for item in order {
                let why: Markup? =
                    switch item.accepted {
                    case true?: nil
                    case nil: Markup(text: "it depends on the data")
                    case false?: tree?.reason(against: item.event, in: instance.configuration)
                    }
                table.add {
                    InstanceActions.link(event: item.event, of: name)
                    item.accepted.map { $0 ? "yes" : "no" } ?? "perhaps"
                    why ?? Markup()
                }
            }
            let pause = Tag.p(.class("bad")) { "Its machine is suspended: until it is resumed, no event is taken." }
            return (instance.machineSuspended == nil ? Markup() : pause) + table.markup
                + ConsolePages.commandLine(command(["events"], name))
        }
    }
}
