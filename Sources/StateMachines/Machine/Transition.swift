internal import Statechart

/// One move, as observers and histories tell it.
public struct Transition<M: MachineDefinition>: Sendable {
    @usableFromInline let names: StateNames<M.StateName>
    @usableFromInline let move: UntypedMove
    /// Where it is now.
    public let state: M.State
    /// Its data now.
    public let context: M.Context

    @inlinable
    init(names: StateNames<M.StateName>, move: UntypedMove, state: M.State, context: M.Context) {
        self.names = names
        self.move = move
        self.state = state
        self.context = context
    }

    /// What was taken; `init` for the start.
    public var event: String { move.event }
    /// How many macrosteps led to where the instance was before.
    public var fromSeq: Int64 { move.fromSeq }
    /// How many led to where it is now.
    public var seq: Int64 { move.after.seq }
    /// Why the instance has failed on something that was to come by itself; nil when it took it.
    public var failure: String? { move.failure }

    /// The innermost states before, one a region.
    public var from: [M.StateName] { names.leaves(of: move.before) }
    /// The innermost states now, one a region.
    public var to: [M.StateName] { names.leaves(of: move.after.configuration) }
    /// The states that were left, in order.
    public var exited: [M.StateName] { names.names(of: move.exited) }
    /// The states that were entered, in order.
    public var entered: [M.StateName] { names.names(of: move.entered) }
}

extension Transition: CustomStringConvertible {
    /// `initial -> greeting   (seq 1 -> 2)`
    public var description: String {
        let from = from.map(\.rawValue).joined(separator: ", ")
        let to = to.map(\.rawValue).joined(separator: ", ")
        let end = failure.map { "   failed: \($0)" } ?? ""
        return "\(from) -> \(to)   (seq \(fromSeq) -> \(seq))\(end)"
    }
}

extension Transition {
    /// Both as one: the instance sent the second event to itself.
    func followed(by next: Transition<M>) -> Transition<M> {
        Transition(
            names: names, move: UntypedMove(move, followedBy: next.move), state: next.state, context: next.context)
    }
}
