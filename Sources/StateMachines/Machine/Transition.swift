internal import Statechart

/// One move, as observers and histories tell it.
public struct Transition<M: MachineDefinition>: Sendable {
    let names: StateNames<M.StateName>
    let facts: MoveFacts
    /// Where it is now.
    public let state: M.State
    /// Its data now.
    public let context: M.Context

    /// What was taken; `init` for the start.
    public var event: String { facts.event }
    /// How many macrosteps led to where the instance was before.
    public var fromSeq: Int64 { facts.fromSeq }
    /// How many led to where it is now.
    public var seq: Int64 { facts.seq }
    /// Why the instance has failed on something that was to come by itself; nil when it took it.
    public var failure: String? { facts.failure }

    /// The innermost states before, one a region.
    public var from: [M.StateName] { names.leaves(of: facts.before) }
    /// The innermost states now, one a region.
    public var to: [M.StateName] { names.leaves(of: facts.after) }
    /// The states that were left, in order.
    public var exited: [M.StateName] { names.names(of: facts.exited) }
    /// The states that were entered, in order.
    public var entered: [M.StateName] { names.names(of: facts.entered) }
}

extension Transition: CustomStringConvertible {
    /// `initial -> greeting   (seq 1 -> 2)`
    public var description: String {
        let from = from.map(\.rawValue).joined(separator: ", ")
        let to = to.map(\.rawValue).joined(separator: ", ")
        return "\(from) -> \(to)   (seq \(fromSeq) -> \(seq))"
    }
}

extension Transition {
    /// Both as one: the instance sent the second event to itself.
    func followed(by next: Transition<M>) -> Transition<M> {
        let facts = MoveFacts(
            event: event, before: facts.before, after: next.facts.after, exited: facts.exited + next.facts.exited,
            entered: facts.entered + next.facts.entered, fromSeq: fromSeq, seq: next.seq, failure: next.failure)
        return Transition(names: names, facts: facts, state: next.state, context: next.context)
    }
}
