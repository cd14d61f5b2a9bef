internal import Statechart

/// One move, as observers and histories tell it.
public struct Transition<M: MachineDefinition>: Sendable {
    let names: StateNames<M.StateName>
    let before: [StateIndex]
    let after: [StateIndex]
    let left: [StateIndex]
    let reached: [StateIndex]

    /// What was taken; `init` for the start.
    public let event: String
    /// How many macrosteps led to where the instance was before.
    public let fromSeq: Int64
    /// How many led to where it is now.
    public let seq: Int64
    /// Where it is now.
    public let state: M.State
    /// Its data now.
    public let context: M.Context
    /// Why the instance has failed on something that was to come by itself; nil when it took it.
    public let failure: String?

    /// The innermost states before, one a region.
    public var from: [M.StateName] { names.leaves(of: before) }
    /// The innermost states now, one a region.
    public var to: [M.StateName] { names.leaves(of: after) }
    /// The states that were left, in order.
    public var exited: [M.StateName] { names.names(of: left) }
    /// The states that were entered, in order.
    public var entered: [M.StateName] { names.names(of: reached) }
}

extension Transition {
    init(
        _ typed: TypedMachine<M>, _ move: UntypedMove, fromSeq: Int64, _ state: M.State, _ context: M.Context
    ) {
        self.init(
            names: typed.names, before: move.before, after: move.after.configuration, left: move.exited,
            reached: move.entered, event: move.event, fromSeq: fromSeq, seq: move.after.seq, state: state,
            context: context, failure: move.failure)
    }
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
        Transition(
            names: names, before: before, after: next.after, left: left + next.left, reached: reached + next.reached,
            event: event, fromSeq: fromSeq, seq: next.seq, state: next.state, context: next.context,
            failure: next.failure)
    }
}
