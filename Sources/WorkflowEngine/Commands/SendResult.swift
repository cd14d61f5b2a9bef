package import Statechart
package import WorkflowJSON
package import WorkflowStore

/// The answer to a send.
///
/// It keeps what the step gave, and says it when it is asked: not on the writer's time.
package final class SendResult: Sendable {
    package let event: String
    /// After the event, and after those that the instance sent to itself in consequence; of a dry run, what it would
    /// be.
    package let seq: Seq
    /// Before the event.
    package let fromSeq: Seq
    package let isDryRun: Bool
    /// Every candidate transition in the order tried, with its verdict; nil when nobody asked.
    package let explanation: [CandidateView]?
    /// Whether this is the answer to an earlier event with the same key, given again.
    package let isRepeated: Bool

    /// The name of the instance.
    package let instance: InstanceName
    /// What the numbers of states are of.
    package let machine: Machine
    /// The configuration before.
    package let before: [StateIndex]
    /// After the last of what the instance sent to itself. No other is kept: each may have a context of a mebibyte, and
    /// answers wait for their callers.
    private let after: Snapshot
    /// The states left, in order.
    package let exitedStates: [StateIndex]
    /// The states entered, in order.
    package let enteredStates: [StateIndex]

    init(
        _ chain: Chain, from before: borrowing InstanceState, isDryRun: Bool, wantsContext: Bool = true,
        explanation: [CandidateView]?, isRepeated: Bool = false
    ) {
        instance = before.record.name
        event = chain.first.input.event.name
        seq = Seq(rawValue: before.record.seq.rawValue + Int64(chain.count))
        fromSeq = before.record.seq
        machine = before.machine
        self.before = before.snapshot.configuration
        let first = chain.first.macrostep
        exitedStates = chain.rest.isEmpty ? first.exited : first.exited + chain.rest.flatMap(\.macrostep.exited)
        enteredStates = chain.rest.isEmpty ? first.entered : first.entered + chain.rest.flatMap(\.macrostep.entered)
        var after = chain.snapshot
        if !wantsContext { after.context = JSONObject() }
        self.after = after
        self.isDryRun = isDryRun
        self.explanation = explanation
        self.isRepeated = isRepeated
    }

    /// Paths of the active leaves before.
    package var from: [String] { machine.leafPaths(of: before) }

    /// The configuration after.
    package var afterStates: [StateIndex] { after.configuration }

    /// Paths of the active leaves after.
    package var to: [String] { machine.leafPaths(of: after.configuration) }

    /// The tags of the active states after; nil when no state of the machine has any.
    package var tags: [String]? { machine.hasTags ? machine.tags(of: after.configuration) : nil }

    package var status: InstanceStatus { InstanceStatus(after.status) }

    /// Empty when the command did not want it.
    package var context: JSONObject { after.context }

    /// What the final state gave; nil while the instance runs, and when it gives nothing.
    package var output: JSONValue? { after.output }

    /// Paths of the states left, in order.
    package var exited: [String] { machine.paths(of: exitedStates) }

    /// Paths of the states entered, in order.
    package var entered: [String] { machine.paths(of: enteredStates) }
}
