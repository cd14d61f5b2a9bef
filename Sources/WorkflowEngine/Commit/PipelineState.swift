package import WorkflowStore

/// The outcome of a batch that was handed over for commit.
package enum BatchEnding: Sendable {
    /// The batch is on disk, and its callers were answered.
    case committed
    /// The write failed, and nobody was answered. The batch may have failed together with others of its transaction.
    case failed(StoreError)
    /// The batch is on disk and its callers were answered, but nothing more may be written.
    case last(StoreError)
    /// The batch was not tried, because an earlier batch was not written.
    case untried
}

/// Tracks the batches that were handed over for commit, and decides what follows from each ending.
///
/// A value without threads: the lane reports events to it and carries out its decisions.
package struct PipelineState<Batch> {
    /// The lane's next action after a batch has ended.
    package enum Step {
        /// Take over the results of the batch.
        case adopt(Batch)
        /// Wait for the next ending: recovery begins only when all batches have ended.
        case awaitNext
        /// Go back to the committed state and carry out the recovery. Nothing is under way.
        case recover(Recovery)
    }

    /// The plan for the batches from the first one that was not written. All lists begin with the oldest batch.
    package struct Recovery {
        /// The batches whose callers get the error.
        package var refused: [(batch: Batch, error: StoreError)] = []
        /// The batch with a faulty part: it is split, and each part gets its own transaction.
        package var split: (batch: Batch, error: StoreError)?
        /// The batches that nobody tried to write: they are applied again, behind the parts.
        package var again: [Batch] = []
        /// The error after which nothing more may be written; `nil` to continue.
        package var stop: StoreError?
    }

    private var underWay: ArraySlice<(batch: Batch, isDivisible: Bool)> = []
    private var recovery: Recovery?
    private let bound: Int

    /// Creates a state with nothing under way.
    ///
    /// - Parameter bound: The most batches that may be under way at once.
    package init(bound: Int) {
        self.bound = bound
    }

    /// True if nothing is under way.
    package var isIdle: Bool { underWay.isEmpty }

    /// The batches under way, the oldest first.
    package var batches: some Sequence<Batch> { underWay.lazy.map(\.batch) }

    /// Returns true if another batch may be handed over; otherwise the oldest must end first.
    ///
    /// - Parameter isOverlapping: True to apply the next batch while this one is committed. A batch that the lane
    ///   commits itself needs all earlier batches on disk.
    package func hasRoom(isOverlapping: Bool) -> Bool {
        isOverlapping ? underWay.count < bound : underWay.isEmpty
    }

    /// Records that a batch was handed over.
    ///
    /// - Parameter isDivisible: True if the batch has parts that can be written apart.
    package mutating func handedOver(_ batch: Batch, isDivisible: Bool) {
        // Proof: the lane awaits all batches behind a failure before it goes on; see `Lane.conclude`.
        precondition(recovery == nil, "nothing is handed over before all behind a failure have ended")
        underWay.append((batch, isDivisible))
    }

    /// Records that the oldest batch has ended, and returns the lane's next action.
    package mutating func ended(_ ending: BatchEnding) -> Step {
        // Proof: each batch that was handed over ends once.
        guard let (batch, isDivisible) = underWay.popFirst() else { preconditionFailure("nothing was under way") }
        // An empty slice would retain the storage of the whole array.
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
    /// - Parameter ending: The ending of the first batch that did not end well.
    fileprivate init(first batch: Batch, isDivisible: Bool, _ ending: BatchEnding) {
        switch ending {
        case .failed(let error) where error.code == .constraint && isDivisible: split = (batch, error)
        case .failed(let error):
            refused = [(batch, error)]
            if !error.isUndone { stop = error }
        case .last(let error): stop = error
        // Proof: the caller has checked that the batch is not committed, and the first batch is always tried.
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
    /// True if nothing of the write is on disk and the store still accepts writes.
    var isUndone: Bool { code == .unavailable || code == .constraint }
}
