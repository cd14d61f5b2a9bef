import Logging
import WorkflowStore

// From what was applied to what is on disk: `PipelineState` decides, the lane does it.

extension Lane {
    /// Closes a batch.
    func seal(
        _ builder: inout BatchBuilder, fired: [InstanceID] = [], entries: Waiting = []
    ) -> SealedBatch {
        defer { entered = [:] }
        return applier.seal(&builder, fired: fired, entered: entered, entries: entries)
    }

    /// Waits until one more batch may be handed over, and takes over what has ended by then. False when a batch failed:
    /// nothing holds that was applied on top of it, and the commands of those behind it wait again.
    ///
    /// - Parameter isOverlapping: Whether the next is to be applied while that one is committed.
    func makeRoom(isOverlapping: Bool = false) throws(StoreError) -> Bool {
        while !state.isIdle, !state.hasRoom(isOverlapping: isOverlapping) || pipeline.hasEnding {
            guard try conclude(pipeline.end()) else { return false }
        }
        return true
    }

    /// Lets a batch be committed for which there is room, and whose commands wait no more.
    ///
    /// - Parameter isOverlapping: Whether to go on while it is committed.
    func commit(_ sealed: SealedBatch, isOverlapping: Bool = false) throws(StoreError) {
        state.handedOver(sealed, isDivisible: sealed.isDivisible)
        if isOverlapping {
            statistics.batchOverlapped()
            pipeline.begin(sealed)
        } else {
            _ = try conclude(committer.commit([sealed])[0])
        }
    }

    /// Writes a batch for which no command waits.
    func commit(_ builder: inout BatchBuilder) throws(StoreError) {
        let sealed = seal(&builder)
        switch committer.commit([sealed])[0] {
        case .committed: adopt(sealed)
        case .failed(let error), .last(let error):
            discard()
            throw error
        case .untried: preconditionFailure("nothing was under way")
        }
    }

    /// Takes over what the oldest batch made. False when it failed, and was recovered from.
    private func conclude(_ first: BatchEnding) throws(StoreError) -> Bool {
        var ending = first
        while true {
            switch state.ended(ending) {
            case .adopt(let sealed):
                adopt(sealed)
                return true
            case .awaitNext: ending = pipeline.end()
            case .recover(let recovery):
                try recover(recovery)
                return false
            }
        }
    }

    /// After batches that were not written.
    private func recover(_ recovery: PipelineState<SealedBatch>.Recovery) throws(StoreError) {
        pipeline.mend()
        discard()
        let again = recovery.again.flatMap(\.entries)
        if !again.isEmpty { waiting = again + waiting }
        if let (sealed, error) = recovery.split {
            blame(sealed.fired, for: error)
            apart = sealed.entries
        }
        for (sealed, error) in recovery.refused { refuse(sealed, error) }
        if let error = recovery.stop { throw error }
    }

    private func refuse(_ sealed: SealedBatch, _ error: StoreError) {
        if sealed.entries.isEmpty { timersRest = .now + limits.timerPause }
        log.tell(
            .batches, .error, "a batch was not written",
            ["commands": "\(sealed.entries.count)", "error": "\(error)"])
        for entry in sealed.entries { entry.refuse(Rejection(error)) }
    }

    /// Takes over what is on disk, and waits for what it armed.
    private func adopt(_ sealed: SealedBatch) {
        for hint in sealed.pending { window.insert(hint) }
        applier.adopt(sealed)
    }

    /// Goes back to what is committed.
    func discard() {
        applier.discard()
        forgetTimers()
    }
}
