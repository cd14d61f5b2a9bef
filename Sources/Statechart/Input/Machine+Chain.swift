import WorkflowCEL

/// An input, and what the instance sent to itself in consequence: what happens before anything else may.
package struct Chain: Sendable {
    /// One input and its macrostep: a row of the journal.
    ///
    /// A class, because it is large, never changes and goes from hand to hand.
    package final class Link: Sendable {
        /// As its row records it: `failed` when it could not be taken.
        package let input: Input
        package let macrostep: Macrostep
        /// Why the instance has failed; nil when it took the input.
        package let refusal: Refusal?

        fileprivate init(_ input: Input, _ macrostep: Macrostep) {
            self.input = input
            self.macrostep = macrostep
            refusal = nil
        }

        fileprivate init(_ input: Input, failing macrostep: Macrostep, because refusal: Refusal) {
            guard let taken = input.taken else { preconditionFailure("a caller is told why it is refused") }
            self.input = .failed(taken)
            self.macrostep = macrostep
            self.refusal = refusal
        }
    }

    /// The input, and its macrostep.
    package let first: Link
    /// The events that the instance sent to itself. The last of all may be one that it failed on.
    package let rest: [Link]

    /// All of them, in order.
    package var links: [Link] { [first] + rest }

    /// How many they are.
    package var count: Int { 1 + rest.count }

    /// Why the instance has failed; nil when it has not.
    package var refusal: Refusal? { (rest.last ?? first).refusal }

    /// The instance afterwards.
    package var snapshot: Snapshot { (rest.last ?? first).macrostep.snapshot }
}

extension Machine {
    /// Applies an input, and then all that the instance sent to itself, up to `StepLimits.chain` events and about one
    /// `Budget`; what is left stays in `Snapshot.armed`. The preconditions are those of `apply`.
    package func chain(
        _ input: Input, from snapshot: Snapshot?, as identity: InstanceIdentity, isTracing: Bool = false
    ) -> Result<Chain, Refusal> {
        var spent = 0
        return chain(input, from: snapshot, as: identity, isTracing: isTracing, spending: &spent)
    }

    /// The same; `spent` grows by the units of `Budget` that a refused input used. A macrostep says so itself.
    package func chain(
        _ input: Input, from snapshot: Snapshot?, as identity: InstanceIdentity, isTracing: Bool = false,
        spending spent: inout Int
    ) -> Result<Chain, Refusal> {
        switch apply(input, to: snapshot, as: identity, isTracing: isTracing, spending: &spent) {
        case .refused(let refusal): return .failure(refusal)
        case .failed(let macrostep, let refusal):
            return .success(Chain(first: .init(input, failing: macrostep, because: refusal), rest: []))
        case .accepted(let macrostep):
            let link = Chain.Link(input, macrostep)
            return .success(Chain(first: link, rest: rest(after: link, as: identity, isTracing)))
        }
    }

    private func rest(after first: Chain.Link, as identity: InstanceIdentity, _ isTracing: Bool) -> [Chain.Link] {
        var last = first
        var rest: [Chain.Link] = []
        var cost = first.macrostep.cost
        while last.macrostep.snapshot.status == .running, let next = last.macrostep.snapshot.armed.nextSent,
            rest.count < StepLimits.chain, cost < CELLimits.evaluation
        {
            let input = Input.coming(next, at: next.time(notBefore: last.input.event.at))
            switch apply(input, to: last.macrostep.snapshot, as: identity, isTracing: isTracing) {
            case .accepted(let macrostep):
                last = Chain.Link(input, macrostep)
                cost += macrostep.cost
            case .failed(let macrostep, let refusal):
                last = Chain.Link(input, failing: macrostep, because: refusal)
            case .refused: preconditionFailure("what is armed is taken while the instance runs, or fails")
            }
            rest.append(last)
        }
        return rest
    }
}
