import Statechart
package import WorkflowJSON
package import WorkflowStore

/// An instance to start.
package struct StartCommand: Sendable {
    /// The machine's name.
    package var machine: String
    /// Nil for the latest.
    package var version: Int64?
    /// Nil to have one made.
    package var instance: String?
    package var data: JSONObject
    /// The caller's; the same start with the same key is done once.
    package var key: RequestKey?
    package var caller: Caller

    package init(
        machine: String, version: Int64? = nil, instance: String? = nil, data: JSONObject = JSONObject(),
        key: RequestKey? = nil, by caller: Caller = .nobody
    ) {
        self.machine = machine
        self.version = version
        self.instance = instance
        self.data = data
        self.key = key
        self.caller = caller
    }
}

extension StartCommand: WriterCommand {
    var size: Int { 256 + data.members.reduce(0) { $0 + $1.key.utf8.count + $1.value.size } }
    var isLong: Bool { false }

    /// The machine, as the instance is a new one.
    var payers: [String] { [FairOrder.name(ofMachine: machine)] }
    var names: [String] { payers + (instance.map { [$0] } ?? []) }
    var summary: String { "start \(machine) \(instance ?? "")" }

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> KeyedAnswer<InstanceView> {
        try batch.start(self)
    }
}

/// An instance, with the machine that it runs.
package struct InstanceView: Sendable {
    package let record: InstanceRecord
    package let machine: MachineRecord
    /// Why it failed; nil when it has not.
    package let failure: InstanceFailure?
    /// Whether this is the answer to an earlier start with the same key, given again.
    package var isRepeated = false
}

/// The event that a failed instance could not take, and why.
package struct InstanceFailure: Sendable {
    package let reason: RecordedFailure
    /// The event's.
    package let data: JSONValue?
    /// The name of the machine.
    package let machine: String
    /// Of the row that records it.
    package let seq: Seq
    /// Of the row that records it.
    package let at: Timestamp
}

extension Engine {
    /// Starts an instance; it is on disk when this returns.
    package func start(_ command: StartCommand) async throws(Rejection) -> InstanceView {
        switch try await queue.submit(command) {
        case .first(let view): view
        case .repeated(let position): try await repeated(command, at: position)
        }
    }
}
