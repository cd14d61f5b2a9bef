import Statechart
import WorkflowAPI
import WorkflowJSON

/// The result of one event.
struct SimulatedStep: JSONWritable {
    /// The seq after the event.
    let seq: Int64
    /// Milliseconds since the start.
    let after: Int64
    /// The kind: `started`, `event`, `sent`, `timer`, `result`, or `failed` for an event that nobody waited for and
    /// that failed.
    let kind: String
    let event: String
    var from: [String]
    let to: [String]
    let context: JSONObject
    let status: String
    let output: JSONValue?
    /// The reason why the event was refused; `nil` if it was accepted.
    let reason: String?
    var exited: [String] = []
    var entered: [String] = []
    var microsteps: [ReplayMicrostep] = []

    /// True if no caller sent the event.
    var cameByItself: Bool { ["sent", "timer", "failed"].contains(kind) }

    /// The texts of the actions, in order.
    var actions: [String] { microsteps.flatMap { $0.actions.map(\.text) } }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("seq", seq)
            writer.field("afterMilliseconds", after)
            writer.field("kind", kind)
            writer.field("event", event)
            writer.field("accepted", reason == nil)
            writer.field("from", from)
            writer.field("to", to)
            writer.field("configuration", to)
            writer.field("context", context)
            writer.field("status", status)
            writer.field("output", ifPresent: output)
            writer.field("exited", exited)
            writer.field("entered", entered)
            writer.field("actions", actions)
            writer.field("microsteps", microsteps)
            writer.field("reason", ifPresent: reason)
        }
    }
}

extension ReplayMicrostep {
    /// Converts a microstep to its wire form.
    init(_ microstep: Microstep, of machine: Machine) {
        self.init(
            event: microstep.event,
            transitions: microstep.transitions.map { index in
                let transition = machine[index]
                return Taken(
                    source: machine[transition.source].path, targets: machine.paths(of: transition.targets),
                    line: transition.line)
            },
            exited: machine.paths(of: microstep.exited), entered: machine.paths(of: microstep.entered),
            actions: microstep.deeds.map { deed in
                ActionTrace(
                    state: machine[deed.state].path, line: deed.line, text: deed.text, exited: deed.exited,
                    entered: deed.entered)
            })
    }
}
