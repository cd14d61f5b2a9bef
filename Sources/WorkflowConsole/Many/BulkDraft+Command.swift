import WorkflowAPI
import WorkflowJSON

extension BulkDraft {
    /// The command line that rehearses the same. Names are its input, one a line.
    var rehearsalCommand: [String] { command + ["--dry-run"] }

    /// The command line that does the same.
    ///
    /// - Parameter digest: The digest of the rehearsal.
    func command(expecting digest: String) -> [String] {
        let isReasonOpen = request.reason == nil && verb.needsReason
        let reason = (request.reason ?? (isReasonOpen ? "…" : nil)).map { ["--reason", $0] } ?? []
        return command + reason + (request.run.map { ["--run", $0] } ?? []) + ["--expect", String(digest.prefix(6))]
    }

    private var command: [String] {
        let action = request.action
        if let undone = action.undone {
            return ["wfctl", "bulk", "undo", undone] + option("--invocations", action.invocations?.rawValue)
        }
        var words = ["wfctl", verb.rawValue]
        for member in action.set?.members ?? [] { words.append("\(member.key)=\(JSONWriter.string(member.value))") }
        for path in action.unset ?? [] { words += ["--unset", path] }
        if let event = action.event { words.append(event) }
        if let data = action.data { words += ["--data", JSONWriter.string(data)] }
        if action.actions == false { words.append("--no-actions") }
        words += option("--to", action.to.map { "\($0)" })
        words += option("--timers", (action.timers?.rawValue ?? action.plan.timers?.rawValue))
        words += option("--invocations", action.invocations?.rawValue) + plan(action.plan)
        if request.allOrNothing == true { words.append("--all-or-nothing") }
        return words + selection
    }

    private func option(_ name: String, _ value: String?) -> [String] { value.map { [name, $0] } ?? [] }

    private func plan(_ plan: MigrationPlanItem) -> [String] {
        var words: [String] = []
        for (old, new) in (plan.map ?? [:]).sorted(by: { $0.key < $1.key }) { words += ["--map", "\(old)=\(new)"] }
        for (path, value) in (plan.assign ?? [:]).sorted(by: { $0.key < $1.key }) {
            words += ["--assign", "\(path)=\(value)"]
        }
        for path in plan.drop ?? [] { words += ["--drop", path] }
        return words + (plan.cancelInvocations == true ? ["--cancel-invocations"] : [])
    }

    private var selection: [String] {
        guard let select = request.select else { return ["--names-from", "-"] }
        var words = InstanceList.options(select)
        // A suspension of nothing but a machine would be that of the machine itself.
        let isMachineAlone = select == BulkSelect(machines: select.machines)
        if select.all == true || isMachineAlone && [.suspend, .resume].contains(verb) { words.append("--all") }
        return words
    }
}

extension InstanceList {
    /// Returns the options of wfctl that select instances.
    static func options(_ select: BulkSelect) -> [String] {
        var words: [String] = []
        for machine in select.machines { words += ["--machine", machine] }
        for version in select.versions { words += ["--from", "\(version)"] }
        for status in select.statuses { words += ["--status", status.rawValue] }
        for state in select.states { words += ["--state", state] }
        if let age = select.olderThan { words += ["--older-than", age] }
        for failure in select.failures { words += ["--failure", failure] }
        if let prefix = select.prefix { words += ["--prefix", prefix] }
        if let condition = select.condition { words += ["--where", condition] }
        return words
    }
}

extension BulkSelect {
    /// Creates the selection of all that a list shows on all its pages; `nil` for a list of instances whose time is
    /// ahead, which no run selects.
    init?(_ list: InstanceListParameters) {
        guard !list.ahead else { return nil }
        self.init(
            machines: list.machines, versions: list.versions, statuses: list.statuses, states: list.states,
            olderThan: list.olderThan, failures: list.failures, prefix: list.prefix, condition: list.condition)
        if isEmpty { all = true }
    }
}
