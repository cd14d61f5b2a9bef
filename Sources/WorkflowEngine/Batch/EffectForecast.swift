package import Statechart

/// What an event would begin and end outside, with all that its instance sends to itself in consequence.
package struct EffectForecast: Sendable, Equatable {
    /// What would be asked, in order; without what the same event would cancel again.
    package let begun: [EffectRequest]
    /// The ids of the invocations that run and would be cancelled, in the order in which they were begun.
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
