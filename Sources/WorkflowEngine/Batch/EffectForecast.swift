package import Statechart

/// The effects that an event would begin and end, including all events that its instance sends to itself as a
/// consequence.
package struct EffectForecast: Sendable, Equatable {
    /// The effects that would begin, in order, without those that the same event would cancel again.
    package let begun: [EffectRequest]
    /// The ids of the running invocations that would be cancelled, in the order in which they began.
    package let cancelled: [String]

    /// - Parameter before: The instance, as for `ResetView`.
    init(_ chain: Chain, from before: borrowing InstanceState) {
        let live = Set(chain.snapshot.armed.map(\.id))
        begun = chain.links.flatMap(\.macrostep.requests).compactMap { asked in
            asked.armed.map { live.contains($0) } ?? true ? asked.effect : nil
        }
        let ended = before.snapshot.armed.filter { $0.kind == .invocation && !live.contains($0.id) }
        cancelled = ended.compactMap(\.invocation)
    }
}
