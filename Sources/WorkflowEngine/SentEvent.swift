package import JSON
import Statechart
package import WorkflowStore

/// The answer to a send.
///
/// It keeps what the step gave, and says it when it is asked: not on the writer's time.
package final class SentEvent: Sendable {
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
    package let instance: String
    private let machine: Machine
    private let before: [StateIndex]
    private let chain: Chain

    init(
        _ chain: Chain, from before: LiveInstance, isDryRun: Bool, explanation: [CandidateView]?,
        isRepeated: Bool = false
    ) {
        let rows = chain.links.count + (chain.failure == nil ? 0 : 1)
        instance = before.record.name
        event = chain.links[0].event.name
        seq = Seq(rawValue: before.record.seq.rawValue + Int64(rows))
        fromSeq = before.record.seq
        machine = before.machine
        self.before = before.snapshot.configuration
        self.chain = chain
        self.isDryRun = isDryRun
        self.explanation = explanation
        self.isRepeated = isRepeated
    }

    /// Paths of the active leaves before.
    package var from: [String] { machine.leafPaths(of: before) }

    /// Paths of the active leaves after.
    package var to: [String] { machine.leafPaths(of: chain.snapshot.configuration) }

    package var status: InstanceStatus { InstanceStatus(chain.snapshot.status) }

    package var context: JSONObject { chain.snapshot.context }

    /// What the final state gave; nil while the instance runs, and when it gives nothing.
    package var output: JSONValue? { chain.snapshot.output }

    /// Paths of the states left, in order.
    package var exited: [String] { machine.paths(of: chain.links.flatMap(\.macrostep.exited)) }

    /// Paths of the states entered, in order.
    package var entered: [String] { machine.paths(of: chain.links.flatMap(\.macrostep.entered)) }
}
