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
    /// How many macrosteps led to where the instance is now.
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

extension Transition: CustomStringConvertible {
    /// `initial -> greeting   (seq 1 -> 2)`
    public var description: String {
        let from = from.map(\.rawValue).joined(separator: ", ")
        let to = to.map(\.rawValue).joined(separator: ", ")
        return "\(from) -> \(to)   (seq \(seq - 1) -> \(seq))"
    }
}
