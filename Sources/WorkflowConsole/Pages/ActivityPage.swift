import WorkflowAPI
import WorkflowCalls

/// The page of what was done to the whole: the audit, by actor and action.
enum ActivityPage {
    static func content(_ request: PageRequest, _ client: WorkflowClient) async throws -> PageContent {
        var parameters = try AuditParameters(query: request.query(without: "since"))
        let since = request.values("since").first
        if let since {
            guard let beginning = SinceText(since) else {
                throw ClientError.problem(
                    Problem(.invalidParameter, detail: "Parameter 'since' must be \(SinceText.forms)"))
            }
            parameters.since = try await beginning.time(from: client)
        }
        let audit = try await client.audit(parameters)
        let command =
            ["wfctl", "audit"] + (since.map { ["--since", $0] } ?? [])
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
                FilterForm.field("since", "Since (1d, or a date)", in: request)
            }
            Tag.p(.class("note")) {
                "Here is what was done to the whole. What was sent to an instance, and who mended it, is in its history."
            }
            if audit.items.isEmpty {
                Words.emptyPage {
                    request.query.isEmpty ? "Nothing was done here yet." : "Nothing like that was done."
                }
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
