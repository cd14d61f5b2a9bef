internal import Statechart
public import WorkflowJSON

/// One move, as observers and histories see it.
public struct Transition<M: MachineDefinition>: Sendable {
    @usableFromInline let names: StateNames<M.StateName>
    @usableFromInline let move: UntypedMove
    /// The value that the program sent, if this is the answer to its call.
    @usableFromInline let value: M.Event?
    /// The state after the move.
    public let state: M.State
    /// The data after the move.
    public let context: M.Context

    @inlinable
    init(
        names: StateNames<M.StateName>, move: UntypedMove, sent value: M.Event? = nil, state: M.State,
        context: M.Context
    ) {
        self.names = names
        self.move = move
        self.value = value
        self.state = state
        self.context = context
    }

    /// The name of the event that was taken; `init` for the start.
    public var event: String { move.event }
    /// The name as a value; `nil` for the start, a timer, and the end of an invocation.
    public var eventName: M.EventName? { M.EventName(rawValue: move.event) }
    /// The event as the program sent it.
    ///
    /// The value is `nil` if the event carries data and was not sent by the call that returns or reports this move:
    /// in a host's history, and for an event that the machine sent to itself. `eventName` and `data` are always there.
    public var sent: M.Event? { value ?? eventName as? M.Event }
    /// The data of the event; `nil` if it has none.
    public var data: JSONValue? { move.data }
    /// The number of macrosteps before the move.
    public var fromSeq: Int64 { move.fromSeq }
    /// The number of macrosteps after the move.
    public var seq: Int64 { move.after.seq }
    /// The failure if the instance failed on a pending item; `nil` if the instance took it.
    public var failure: String? { move.failure.map(names.placed) }

    /// The innermost states before the move, one per region.
    public var from: [M.StateName] { names.leaves(of: move.before) }
    /// The innermost states after the move, one per region.
    public var to: [M.StateName] { names.leaves(of: move.after.configuration) }
    /// The states that were left, in order.
    public var exited: [M.StateName] { names.names(of: move.exited) }
    /// The states that were entered, in order.
    public var entered: [M.StateName] { names.names(of: move.entered) }
    /// The outputs that the actions of the move emitted, in order. Hosts report none.
    public var outputs: [Output] { move.emitted.map { Output(name: $0.name, data: $0.data) } }

    /// Returns true if a state was active before the move, also with a state inside it.
    public func wasIn(_ state: M.StateName) -> Bool { names.names(of: move.before).contains(state) }
    /// Returns true if a state is active after the move, also with a state inside it.
    public func isIn(_ state: M.StateName) -> Bool { names.names(of: move.after.configuration).contains(state) }
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
            names: names, move: UntypedMove(move, followedBy: next.move), sent: value, state: next.state,
            context: next.context)
    }
}

extension Transition: Equatable where M.State: Equatable, M.Context: Equatable {
    /// Returns true if two moves have the same event, data, states, context, outputs and seqs.
    public static func == (left: Transition, right: Transition) -> Bool {
        left.event == right.event && left.data == right.data && left.fromSeq == right.fromSeq && left.seq == right.seq
            && left.state == right.state && left.context == right.context && left.failure == right.failure
            && left.names.names(of: left.move.before) == right.names.names(of: right.move.before)
            && left.names.names(of: left.move.after.configuration)
                == right.names.names(of: right.move.after.configuration)
            && left.exited == right.exited && left.entered == right.entered && left.outputs == right.outputs
    }
}
