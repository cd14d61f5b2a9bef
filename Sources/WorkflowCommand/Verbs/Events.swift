import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl events`.
struct Events: Verb {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "List a machine's events, and which of them an instance accepts now.",
        discussion: "$ wfctl events order-1042")

    @Argument(help: "The instance's name.", completion: Completion.instances.kind)
    var instance: String

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        let page = try await session.withClient { try await $0.events(ofInstance: instance) }
        var printer = ListPrinter(session, columns: Self.columns)
        try printer.add(page.items)
        try printer.end()
        if session.format == .table, let tags = page.tags, !tags.isEmpty {
            try session.print("tags: \(tags.joined(separator: ", "))\n")
        }
        if page.status != .running { try session.say(ending(of: page)) }
        if let suspension = page.machineSuspended { try session.say(Self.note(on: suspension)) }
    }

    private static func note(on suspension: MachineSuspensionItem) -> StyledText {
        """
        note: machine '\(suspension.machine)' is suspended\(SuspensionText.text(suspension)): \
        its instances take no events
          'wfctl resume --machine \(suspension.machine)' lets them go on
        """
    }

    /// Returns the reason why the instance takes no event.
    private func ending(of page: AcceptedEvents) -> StyledText {
        if page.status == .suspended {
            return "note: \(instance) is suspended and takes no events\n  'wfctl resume \(instance)' lets it go on"
        }
        guard let failure = page.failure else {
            return "note: \(instance) is \(page.status.rawValue) and takes no more events"
        }
        return """
            note: \(instance) has failed and takes no events: \(failure.detail)
              \(Retry.hint(instance, after: failure.event))
            """
    }

    private static let columns: [Table<EventItem>.Column] = [
        .init("EVENT") { $0.event },
        .init("ACCEPTED", style: { $0.accepted.map { $0 ? .good : .bad } ?? .warning }) { item in
            item.accepted.map { $0 ? "yes" : "no" } ?? "depends on its data"
        },
    ]
}
