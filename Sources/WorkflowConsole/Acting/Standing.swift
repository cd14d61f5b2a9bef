import WorkflowAPI
import WorkflowCalls

/// The facts that decide which verbs fit an instance now.
struct Standing: Sendable {
    let instance: Instance
    /// The latest version of its machine; `nil` if that is not known.
    let latest: Int64?
    /// The last row of its history; `nil` if that is not known.
    let last: HistoryItem?

    /// Reads the facts. What cannot be read forbids nothing: the API decides.
    init(of instance: Instance, _ client: WorkflowClient) async {
        self.instance = instance
        latest = try? await client.machine(instance.machine).version
        let parameters = HistoryParameters(limit: 1, after: instance.seq - 1)
        last = try? await client.history(ofInstance: instance.instance, parameters).items.first
    }
}

// MARK: The reasons against a verb

extension Standing {
    var notFailed: String? { instance.status == .failed ? nil : "it has not failed" }

    var notSuspended: String? { instance.status == .suspended ? nil : "it is not suspended" }

    var notRunning: String? { instance.status == .running ? nil : "it is \(instance.status.rawValue)" }

    var finished: String? {
        [.done, .cancelled].contains(instance.status) ? "it is \(instance.status.rawValue)" : nil
    }

    var takesNothing: String? {
        if instance.status == .failed { return "it has failed, and refuses events until a retry or a skip" }
        return notRunning ?? (instance.machineSuspended == nil ? nil : "its machine is suspended")
    }

    var hasNoWayOn: String? {
        finished ?? (latest == 1 && instance.version == 1 ? "its machine has no other version" : nil)
    }

    var notMigrated: String? {
        last.flatMap { $0.kind == "migrated" ? nil : "its last step is '\($0.event)', and no migration" }
    }
}
