import CEL

/// An event, and what the instance sent to itself in consequence: what happens before anything else may.
package struct Chain: Sendable {
    /// One event and its macrostep.
    package struct Link: Sendable {
        package let event: Event
        package let macrostep: Macrostep
    }

    /// At least one; those after the first are events that the instance sent to itself.
    package let links: [Link]
    /// The event that could not be applied, and why: the instance has failed. It stays in `Snapshot.armed`.
    package let failure: (event: Event, refusal: Refusal)?
    /// The instance afterwards.
    package let snapshot: Snapshot
}

extension Machine {
    /// Takes an event that was accepted, and then all that the instance sent to itself, up to `StepLimits.chain` events
    /// and about one `Budget`; what is left stays in `Snapshot.armed`.
    package func chain(
        _ event: Event, _ first: Macrostep, as identity: InstanceIdentity, isTracing: Bool = false
    ) -> Chain {
        var links = [Chain.Link(event: event, macrostep: first)]
        var snapshot = first.snapshot
        var cost = first.cost
        while snapshot.status == .running, let next = snapshot.nextImmediate, links.count <= StepLimits.chain,
            cost < CELLimits.evaluation
        {
            let event = self.event(of: next, notBefore: links[links.count - 1].event.at)
            switch step(snapshot, event, as: identity, isTracing: isTracing) {
            case .accepted(let macrostep):
                links.append(Chain.Link(event: event, macrostep: macrostep))
                snapshot = macrostep.snapshot
                cost += macrostep.cost
            case .refused(let refusal):
                snapshot.status = .failed
                return Chain(links: links, failure: (event, refusal), snapshot: snapshot)
            }
        }
        return Chain(links: links, failure: nil, snapshot: snapshot)
    }
}
