import WorkflowAPI
import WorkflowClient

/// The page of what was done to the whole: the audit, by actor and action.
enum ActivityPage {
    static func content(_ request: PageRequest, _ client: WorkflowClient) async throws -> PageContent {
        let parameters = try AuditParameters(query: request.query)
        let audit = try await client.audit(parameters)
        let command =
            ["wfctl", "audit"] + (parameters.since.map { ["--since", $0.text] } ?? [])
            + (parameters.actor.map { ["--actor", $0] } ?? [])
            + (parameters.action.map { ["--action", $0.rawValue] } ?? [])
        var table = DataTable("What was done, the latest first", "At", "By", "Action", "On", "What", "Reason")
        for item in audit.items {
            table.add {
                Words.time(item.at)
                by(item.actor)
                Tag.a(.href(Link("activity", nil, [("action", item.action.rawValue)]))) { item.action.rawValue }
                object(of: item)
                Markup(text: item.detail ?? "–")
                Markup(text: item.reason ?? "–")
            }
        }
        return PageContent("Activity", command) {
            FilterForm(link: Link("activity"), request: request).markup {
                FilterForm.field("actor", "By", in: request)
                FilterForm.choice("action", "Action", AuditItem.Action.allCases.map(\.rawValue), in: request)
                FilterForm.field("since", "Since", in: request)
            }
            if audit.items.isEmpty {
                Words.emptyPage { "Nothing was done here yet. What was done to one instance is in its history." }
            } else {
                table.markup
                Words.next(audit.nextPage, "activity", nil, request)
            }
        }
    }

    private static func by(_ actor: String?) -> Markup {
        guard let actor else { return Markup(text: "–") }
        return Tag.a(.href(Link("activity", nil, [("actor", actor)]))) { actor }
    }

    /// Returns what an action was about, with a link where the console has a page of it.
    private static func object(of item: AuditItem) -> Markup {
        let name = item.object ?? item.uuid ?? "–"
        let text = item.version.map { "\(name) \($0)" } ?? name
        switch item.action {
        case .apply, .activate, .suspend, .resume, .retention: return Tag.a(.href(.machine(name))) { text }
        case .runBegin, .runStop, .runResume: return Tag.a(.href(Link("runs", name))) { text }
        case .queue: return Tag.a(.href(Link("effects", nil, [("queue", name)]))) { text }
        case .delete, .hold, .release, .backup, .clock, .token: return Markup(text: text)
        }
    }
}
