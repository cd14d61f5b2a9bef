import Statechart
package import WorkflowJSON
package import WorkflowStore

/// The event that a failed instance could not take, and the reason.
package struct InstanceFailure: Sendable {
    package let reason: RecordedFailure
    /// The data of the event.
    package let data: JSONValue?
    /// The name of the machine.
    package let machine: MachineName
    /// The seq of the row that records the failure.
    package let seq: Seq
    /// The time of the row that records the failure.
    package let at: Timestamp

    /// Reads the failure that a failed instance stores; `nil` for a text that no engine wrote.
    ///
    /// - Parameter data: The data of the event.
    init?(_ text: String, data: JSONValue?, machine: MachineName) {
        guard let object = RecordedFailure.object(text), let reason = RecordedFailure(.object(object)),
            case .int(let seq)? = object["seq"], case .int(let at)? = object["at"], Timestamp.range.contains(at)
        else { return nil }
        self.reason = reason.caused(by: InvocationError(data))
        self.data = data
        self.machine = machine
        self.seq = Seq(rawValue: seq)
        self.at = Timestamp(rawValue: at)
    }

    /// The fields that the API shows.
    var json: JSONValue {
        var object: JSONObject = ["event": .string(reason.event)]
        object["data"] = data
        object["type"] = .string(reason.kind.rawValue)
        object["detail"] = .string(reason.detail(machine: machine))
        object["seq"] = .int(seq.rawValue)
        object["at"] = .string(LogicalTime(at).text)
        object["state"] = reason.state.map(JSONValue.string)
        object["line"] = reason.line.map { .int(Int64($0)) }
        object["expression"] = reason.expression.map(JSONValue.string)
        object["message"] = .string(reason.reason)
        return .object(object)
    }
}
