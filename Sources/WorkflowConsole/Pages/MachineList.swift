import WorkflowAPI
import WorkflowCalls

/// The list of machines.
enum MachineList {
    static func content(_ request: PageRequest, _ client: WorkflowClient) async throws -> PageContent {
        let machines = try await client.machines(PageParameters(query: request.query))
        var table = DataTable(
            "Machines", "Machine", "Latest", "Active", "Suspended", "Finished ones are kept", "Applied")
        for machine in machines.items {
            table.add {
                Tag.a(.href(.machine(machine.machine))) { machine.machine }
                "\(machine.version)"
                machine.active.map { "\($0)" } ?? "the latest"
                machine.suspended.map { Words.suspension($0.at, $0.actor, $0.reason) } ?? Markup(text: "no")
                machine.retentionInMilliseconds.map { Words.span($0) } ?? "for ever"
                Words.time(machine.createdAt)
            }
        }
        return PageContent("Machines", ["wfctl", "machines"]) {
            if machines.items.isEmpty { Overview.noMachine } else { table.markup }
            Words.next(machines.nextPage, "machines", nil, request)
        }
    }
}
