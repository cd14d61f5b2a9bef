package import Statechart
import WorkflowJSON
import WorkflowStore

/// The fate of an instance's pending items in a reset.
package struct ResetView: Sendable, Equatable {
    /// The fate of an invocation.
    package enum Fate: String, Sendable {
        case stays, cancelled, again, answered
    }

    /// An invocation that was live before, or is live afterwards.
    package struct Invocation: Sendable, Equatable {
        package let id: String
        package let fate: Fate
    }

    /// The number of timers and sent events that are listed.
    private static let toldTimers = 20

    /// The seq whose state the instance gets.
    package let to: Int64
    /// The versions before and after; `nil` if they are the same.
    package let fromVersion: Int64?
    package let toVersion: Int64?
    /// The next items that come by themselves, in order.
    package let timers: [Pending]
    /// The number of further items that come by themselves.
    package let otherTimers: Int
    /// The invocations that end, then the invocations that are live afterwards.
    package let invocations: [Invocation]

    /// Creates the view of a reset; `nil` for every other row.
    ///
    /// - Parameter before: The instance, and not its snapshot, which every answer would copy.
    init?(_ link: Chain.Link, from before: borrowing InstanceState) {
        guard case .reset(let event) = link.input, let data = event.data?.object, case .int(let seq)? = data["to"]
        else { return nil }
        to = seq
        let old = before.loaded.record.version.rawValue
        if case .int(let new)? = data["machine"]?.object?["version"], new != old {
            (fromVersion, toVersion) = (old, new)
        } else {
            (fromVersion, toVersion) = (nil, nil)
        }
        let after = link.macrostep.snapshot
        let coming = after.armed.comingByItself.sorted(by: Pending.comesBefore)
        timers = Array(coming.prefix(Self.toldTimers))
        otherTimers = coming.count - timers.count
        let answered = Self.answered(data)
        let lives = Set(after.armed.map(\.id))
        let ended = before.snapshot.armed.filter { $0.kind == .invocation && !lives.contains($0.id) }
        let living = after.armed.filter { $0.kind == .invocation }.map { pending in
            let isNew = pending.id.seq == after.seq
            let fate: Fate = isNew ? answered.contains(pending.id.number) ? .answered : .again : .stays
            return Invocation(id: pending.invocation ?? "", fate: fate)
        }
        invocations = ended.map { Invocation(id: $0.invocation ?? "", fate: .cancelled) } + living
    }

    /// Returns the numbers of the invocations that already have their results.
    private static func answered(_ data: JSONObject) -> Set<Int> {
        guard case .array(let begun)? = data["begun"] else { return [] }
        return Set(
            begun.compactMap { element in
                guard let object = element.object, object["answer"] != nil, case .int(let number)? = object["number"]
                else { return nil }
                return Int(number)
            })
    }
}
