package import WorkflowStore

/// What became of a batch that was handed over to be committed.
package enum BatchEnding: Sendable {
    /// It is on disk, and who waited was told.
    case committed
    /// Nobody was told. It may have been written together with others, which have failed with it.
    case failed(StoreError)
    /// It is on disk, and who waited was told, but nothing more may be written.
    case last(StoreError)
    /// One before it was not written.
    case untried
}

/// The batches that were handed over to be committed, and what follows from how each of them ends.
///
/// A value without threads: the lane tells it what happens, and does what it says.
package struct PipelineState<Batch> {
    /// What to do when a batch has ended.
    package enum Step {
        /// Take over what it made.
        case adopt(Batch)
        /// Wait for the next ending: nothing can be done before all have ended.
        case awaitNext
        /// Go back to what is committed, and do what the recovery says. Nothing is under way.
        case recover(Recovery)
    }

    /// What becomes of the batches from the first on that was not written. All lists begin with the oldest.
    package struct Recovery {
        /// Those whose callers are told the error.
        package var refused: [(batch: Batch, error: StoreError)] = []
        /// The one of which a part is to blame: it is split, and each part gets a transaction of its own.
        package var split: (batch: Batch, error: StoreError)?
        /// Those that nobody tried to write: they are applied again, behind the parts.
        package var again: [Batch] = []
        /// Why nothing more may be written; nil to go on.
        package var stop: StoreError?
    }

    private var underWay: ArraySlice<(batch: Batch, isDivisible: Bool)> = []
    private var recovery: Recovery?
    private let bound: Int

    /// - Parameter bound: How many batches may be under way at once.
    package init(bound: Int) {
        self.bound = bound
    }

    /// Whether nothing is under way.
    package var isIdle: Bool { underWay.isEmpty }

    /// What is under way, the oldest first.
    package var batches: some Sequence<Batch> { underWay.lazy.map(\.batch) }

    /// Whether one more may be handed over. Until then the oldest must end.
    ///
    /// - Parameter isOverlapping: Whether the next is to be applied while it is committed. One that is waited for has
    ///   all before it on disk.
    package func hasRoom(isOverlapping: Bool) -> Bool {
        isOverlapping ? underWay.count < bound : underWay.isEmpty
    }

    /// A batch was handed over.
    ///
    /// - Parameter isDivisible: Whether it has parts that can be written apart.
    package mutating func handedOver(_ batch: Batch, isDivisible: Bool) {
        // Proof: the lane awaits all that is behind a failure before it goes on; see `Lane.conclude`.
        precondition(recovery == nil, "nothing is handed over before all behind a failure have ended")
        underWay.append((batch, isDivisible))
    }

    /// The oldest batch has ended.
    package mutating func ended(_ ending: BatchEnding) -> Step {
        // Proof: each batch that was handed over ends once.
        guard let (batch, isDivisible) = underWay.popFirst() else { preconditionFailure("nothing was under way") }
        // An empty slice would hold all that it was a part of.
        if underWay.isEmpty { underWay = [] }
        if recovery == nil {
            if case .committed = ending { return .adopt(batch) }
            recovery = Recovery(first: batch, isDivisible: isDivisible, ending)
        } else {
            recovery?.add(batch, ending)
        }
        guard underWay.isEmpty, let recovery else { return .awaitNext }
        self.recovery = nil
        return .recover(recovery)
    }
}

extension PipelineState.Recovery {
    /// - Parameter ending: Of the first batch that did not end well.
    fileprivate init(first batch: Batch, isDivisible: Bool, _ ending: BatchEnding) {
        switch ending {
        case .failed(let error) where error.code == .constraint && isDivisible: split = (batch, error)
        case .failed(let error):
            refused = [(batch, error)]
            if !error.isUndone { stop = error }
        case .last(let error): stop = error
        // Proof: the caller has seen that it is not committed; the first is tried.
        case .committed, .untried: preconditionFailure("the first that ends badly was tried")
        }
    }

    fileprivate mutating func add(_ batch: Batch, _ ending: BatchEnding) {
        switch ending {
        case .failed(let error): refused.append((batch, error))
        case .untried: again.append(batch)
        // Proof: a committer tries nothing behind a failure.
        case .committed, .last: preconditionFailure("nothing is written behind a batch that was not")
        }
    }
}

extension StoreError {
    /// Whether nothing of what was to be written is there, and the store can still be written to.
    var isUndone: Bool { code == .unavailable || code == .constraint }
}
