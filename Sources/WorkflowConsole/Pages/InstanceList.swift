import WorkflowAPI
import WorkflowCalls

/// The page that finds instances; its address is the query.
enum InstanceList {
    static func content(_ request: PageRequest, _ visitor: Visitor) async throws -> PageContent {
        let parameters = try InstanceListParameters(query: request.query)
        let found = try await visitor.client.instances(parameters)
        let withReason = found.items.contains { $0.failure != nil }
        var table = DataTable(
            "Instances", ["Instance", "Machine", "Status", "State", "In state", "Seq"] + (withReason ? ["Why"] : []))
        for item in found.items {
            table.rows.append(
                [
                    SelectionForm.box(item.instance)
                        + Tag.a(.href(.instance(item.instance))) { item.instance },
                    Tag.a(.href(.machine(item.machine, version: item.version))) { "\(item.machine) \(item.version)" },
                    Words.status(item.status), Words.states(item.configuration),
                    Markup(text: item.inState.map { Words.span($0) } ?? "–"), Markup(text: "\(item.seq)"),
                ] + (withReason ? [Markup(text: item.failure?.detail ?? "–")] : []))
        }
        let stream = Link.stream(ofMachines: parameters.machines, for: request)
        return PageContent("Instances", command(parameters), stream: stream) {
            filter(request)
            if found.items.isEmpty {
                Words.emptyPage {
                    if found.nextPage != nil {
                        "None was found so far; the next page looks further."
                    } else if request.query.isEmpty {
                        "There is no instance yet. This starts one: "
                        Tag.code { "wfctl start order order-1" }
                    } else {
                        "No instance is like that."
                    }
                }
            } else {
                SelectionForm(list: parameters, visitor: visitor).markup(around: table.markup)
            }
            if let search = found.search, let failed = search.failed {
                Tag.p(.class("note")) {
                    "The expression has no value for \(failed) of \(search.examined) instances, which are left out."
                    search.first.map { " '\($0.instance)': \($0.message)" } ?? ""
                }
            }
            Words.next(found.nextPage, "instances", nil, request)
        }
    }

    /// Returns the form with the conditions of the list, as they were typed.
    static func filter(_ request: PageRequest) -> Markup {
        FilterForm(link: Link("instances"), request: request).markup {
            FilterForm.field("machine", "Machine", in: request)
            FilterForm.field("version", "Version", in: request)
            FilterForm.choice("status", "Status", Instance.Status.allCases.map(\.rawValue), in: request)
            FilterForm.field("state", "State", in: request)
            FilterForm.field("olderThan", "In it for at least", in: request)
            FilterForm.field("failure", "Failure has", in: request)
            FilterForm.field("prefix", "Name begins with", in: request)
            FilterForm.field("where", "Where", in: request)
            FilterForm.choice(
                "sort", "Sort by", InstanceListParameters.Sort.allCases.map(\.rawValue), in: request)
        }
    }

    private static func command(_ parameters: InstanceListParameters) -> [String] {
        var words = ["wfctl", "list"]
        for machine in parameters.machines { words += ["--machine", machine] }
        for version in parameters.versions { words += ["--version", "\(version)"] }
        for status in parameters.statuses { words += ["--status", status.rawValue] }
        for state in parameters.states { words += ["--state", state] }
        if let age = parameters.olderThan { words += ["--older-than", age] }
        if parameters.ahead { words.append("--ahead") }
        for failure in parameters.failures { words += ["--failure", failure] }
        if let prefix = parameters.prefix { words += ["--prefix", prefix] }
        if let condition = parameters.condition { words += ["--where", condition] }
        if let sort = parameters.sort { words += ["--sort", sort.rawValue] }
        if let limit = parameters.limit { words += ["--limit", "\(limit)"] }
        return words
    }
}
