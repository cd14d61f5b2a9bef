internal import Statechart

/// One move, as observers and histories see it.
public struct Transition<M: MachineDefinition>: Sendable {
    @usableFromInline let names: StateNames<M.StateName>
    @usableFromInline let move: UntypedMove
    /// The state after the move.
    public let state: M.State
    /// The data after the move.
    public let context: M.Context

    @inlinable
    init(names: StateNames<M.StateName>, move: UntypedMove, state: M.State, context: M.Context) {
        self.names = names
        self.move = move
        self.state = state
        self.context = context
    }

    /// The event that was taken; `init` for the start.
    public var event: String { move.event }
    /// The number of macrosteps before the move.
    public var fromSeq: Int64 { move.fromSeq }
    /// The number of macrosteps after the move.
    public var seq: Int64 { move.after.seq }
    /// The failure if the instance failed on a pending item; `nil` if the instance took it.
    public var failure: String? { move.failure }

    /// The innermost states before the move, one per region.
    public var from: [M.StateName] { names.leaves(of: move.before) }
    /// The innermost states after the move, one per region.
    public var to: [M.StateName] { names.leaves(of: move.after.configuration) }
    /// The states that were left, in order.
    public var exited: [M.StateName] { names.names(of: move.exited) }
    /// The states that were entered, in order.
    public var entered: [M.StateName] { names.names(of: move.entered) }
}

extension Transition: CustomStringConvertible {
    /// The move in the form `initial -> greeting   (seq 1 -> 2)`.
    public var description: String {
        let from = from.map(\.rawValue).joined(separator: ", ")
        let to = to.map(\.rawValue).joined(separator: ", ")
        let end = failure.map { "   failed: \($0)" } ?? ""
        return "\(from) -> \(to)   (seq \(fromSeq) -> \(seq))\(end)"
    }
}

extension Transition {
    /// Combines two moves: the instance sent the second event to itself.
    func followed(by next: Transition<M>) -> Transition<M> {
        Transition(
            names: names, move: UntypedMove(move, followedBy: next.move), state: next.state, context: next.context)
    }
}
