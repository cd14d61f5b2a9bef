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

    /// Creates the failure on a link of a chain; `nil` if the machine took the link's input.
    ///
    /// - Parameter seq: The seq of the link's row.
    init?(_ link: Chain.Link, of machine: Machine, seq: Seq) {
        guard let refusal = link.refusal, let reason = RecordedFailure(refusal, of: link.event.name, in: machine)
        else { return nil }
        data = link.event.data
        self.reason = reason.caused(by: InvocationError(link.event.data))
        self.machine = MachineName(rawValue: machine.name)
        self.seq = seq
        at = Timestamp(rawValue: link.event.at.milliseconds)
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
