import CEL

/// An event, and what the instance sent to itself in consequence: what happens before anything else may.
package struct Chain: Sendable {
    /// One event and its macrostep.
    package struct Link: Sendable {
        package let event: Event
        package let macrostep: Macrostep
    }

    /// The event, and its macrostep.
    package let first: Link
    /// The events that the instance sent to itself.
    package let rest: [Link]
    /// The event that could not be applied, and why: the instance has failed. It stays in `Snapshot.armed`.
    package let failure: (event: Event, refusal: Refusal)?

    /// All of them, in order.
    package var links: [Link] { [first] + rest }

    /// The instance afterwards.
    package var snapshot: Snapshot {
        var snapshot = (rest.last ?? first).macrostep.snapshot
        if failure != nil { snapshot.status = .failed }
        return snapshot
    }
}

extension Machine {
    /// Takes an event that was accepted, and then all that the instance sent to itself, up to `StepLimits.chain` events
    /// and about one `Budget`; what is left stays in `Snapshot.armed`.
    package func chain(
        _ event: consuming Event, _ first: consuming Macrostep, as identity: InstanceIdentity, isTracing: Bool = false
    ) -> Chain {
        let link = Chain.Link(event: event, macrostep: first)
        guard link.macrostep.snapshot.status == .running, link.macrostep.snapshot.nextImmediate != nil else {
            return Chain(first: link, rest: [], failure: nil)
        }
        var last = link
        var rest: [Chain.Link] = []
        var cost = link.macrostep.cost
        while last.macrostep.snapshot.status == .running, let next = last.macrostep.snapshot.nextImmediate,
            rest.count < StepLimits.chain, cost < CELLimits.evaluation
        {
            let sent = self.event(of: next, notBefore: last.event.at)
            switch step(last.macrostep.snapshot, sent, as: identity, isTracing: isTracing) {
            case .accepted(let macrostep):
                last = Chain.Link(event: sent, macrostep: macrostep)
                rest.append(last)
                cost += macrostep.cost
            case .refused(let refusal): return Chain(first: link, rest: rest, failure: (sent, refusal))
            }
        }
        return Chain(first: link, rest: rest, failure: nil)
    }
}
