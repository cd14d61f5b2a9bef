import WorkflowStore

// Commands that are tried. A trial does not pass the writer.

extension Engine {
    /// Returns the answer to a command, which is on disk on return; or the answer that the command would get.
    func answer<Command: TriedCommand>(to command: Command) async throws(Rejection) -> Command.Answer {
        guard command.isDryRun else { return try await queue.submit(command) }
        let partition = queue.partition(of: command.place) ?? .first
        return try await trial(in: partition) { (batch) throws(Rejection) in try command.apply(to: &batch) }
    }

    /// Returns the answer to a command; or the answer that an earlier command with the same key got.
    ///
    /// - Parameter again: Rebuilds the earlier answer from its row.
    func answer<Command: TriedCommand>(
        to command: Command, again: (Position) async throws(Rejection) -> SendResult
    ) async throws(Rejection) -> SendResult where Command.Answer == KeyedAnswer<SendResult> {
        try await first(try await answer(to: command), again: again)
    }

    /// Returns the first answer to a key.
    func first(
        _ answer: KeyedAnswer<SendResult>, again: (Position) async throws(Rejection) -> SendResult
    ) async throws(Rejection) -> SendResult {
        switch answer {
        case .first(let result): return result
        case .repeated(let position):
            // Folding history takes too long for an executor that serves sockets.
            return try await withTaskExecutorPreference(globalConcurrentExecutor) { () async throws(Rejection) in
                try await again(position)
            }
        }
    }

    /// Applies commands to a batch on top of the committed data, as of one moment. The batch is then discarded.
    ///
    /// - Parameters:
    ///   - partition: The partition of the instances to which the commands apply.
    ///   - body: Must end within milliseconds.
    func trial<Answer: Sendable>(
        in partition: PartitionID = .first, _ body: @Sendable (inout BatchBuilder) throws(Rejection) -> Answer
    ) async throws(Rejection) -> Answer {
        let (now, generation) = (now, store.identity.generation)
        return try await read { () async throws(StoreError) in
            try await store.look(in: partition) { [limits, library, queue, queueBoard, placement] lookup, numbers in
                let demand = MachineDemand(library, waking: queue.first, limits: limits)
                demand.isImmediate = true
                let parts = BatchParts(
                    limits: limits, placement: placement, library: library, demand: demand,
                    recent: WorkingSet(bound: limits.cachedInstanceBytes),
                    brake: Brake(limits.brake, bound: limits.brakedInstances),
                    leases: LeaseTable(generation: generation, bound: limits.leases, board: queueBoard),
                    share: BackgroundShare(limits: limits, statistics: BatchStatistics()))
                var batch = BatchBuilder(store: lookup, after: [], numbers: numbers, parts: parts, now: now)
                return Result { () throws(Rejection) in try body(&batch) }
            }
        }.get()
    }

    /// The store's partition.
    var partition: PartitionID {
        // Proof: every store has one; a lane is not begun otherwise.
        guard let partition = store.partitions.first else { preconditionFailure("a store has a partition") }
        return partition
    }
}
