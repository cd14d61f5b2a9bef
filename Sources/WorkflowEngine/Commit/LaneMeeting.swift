import WorkflowStore
import WorkflowThreads

/// The meeting of some lanes that carry out one command, all parts or none.
///
/// Each lane applies its part to a batch of its own and waits for the others. The last lane that comes commits the
/// batches of all in one transaction. An engine holds one meeting at a time, so lanes never wait for each other in two
/// meetings.
///
/// `@unchecked Sendable`: `monitor` guards the stage, the batches and the rejections. A lane applies only the entry of
/// its own partition.
final class LaneMeeting: LaneInvitation, @unchecked Sendable {
    private enum Stage {
        case gathering
        /// The last lane commits; nobody can give up any more.
        case committing
        case ended(BatchEnding)
    }

    /// True if machine versions that are missing are compiled while the lanes wait.
    let compilesAtOnce: Bool
    private let entries: [PartitionID: any QueuedCommand]
    private let monitor = Monitor()
    private var stage = Stage.gathering
    private var batches: [SealedBatch] = []
    private var rejections: [Rejection] = []

    /// - Parameters:
    ///   - entries: The parts of the command, by the partition of their lane.
    ///   - compilesAtOnce: True to compile missing machine versions while the lanes wait; false to reject the command
    ///     with a wait.
    init(_ entries: [PartitionID: any QueuedCommand], compilesAtOnce: Bool) {
        self.entries = entries
        self.compilesAtOnce = compilesAtOnce
    }

    /// Returns the part of a lane; `nil` if the lane has none, or if the meeting is over.
    func entry(of partition: PartitionID) -> (any QueuedCommand)? {
        monitor.withLock {
            if case .gathering = stage { entries[partition] } else { nil }
        }
    }

    /// Comes with a sealed batch, waits for the others, and returns the ending that is the same for all.
    ///
    /// - Parameter commit: Commits the batches of all lanes; called in the last lane.
    func come(with batch: SealedBatch, commit: ([SealedBatch]) -> BatchEnding) -> BatchEnding {
        monitor.withLock {
            guard case .gathering = stage else { return .untried }
            batches.append(batch)
            if batches.count + rejections.count == entries.count {
                endGathering(commit)
            } else {
                while !hasEnded { monitor.wait() }
            }
            // Proof: the stage ends before anybody goes on.
            guard case .ended(let ending) = stage else { preconditionFailure("a meeting has an ending") }
            return ending
        }
    }

    /// Comes with a rejection: nothing is carried out.
    func come(with rejection: Rejection) {
        monitor.withLock {
            guard case .gathering = stage else { return }
            rejections.append(rejection)
            if batches.count + rejections.count == entries.count { endGathering { _ in .untried } }
        }
    }

    /// Ends the meeting, unless the batches are being committed already: nothing is carried out.
    func decline(_ reason: Rejection) {
        monitor.withLock {
            guard case .gathering = stage else { return }
            end(.untried, refusing: reason)
        }
    }

    private var hasEnded: Bool { if case .ended = stage { true } else { false } }

    /// Commits, if all parts were accepted. Called under the lock when all lanes have come.
    private func endGathering(_ commit: ([SealedBatch]) -> BatchEnding) {
        // Missing machine versions are compiled first, so that the rejection is the one of the first part.
        if let rejection = rejections.first(where: { $0.wait != nil })
            ?? rejections.min(by: { $0.offset ?? 0 < $1.offset ?? 0 })
        {
            return end(.untried, refusing: rejection)
        }
        stage = .committing
        let batches = batches.sorted { $0.batch.numbers.partition < $1.batch.numbers.partition }
        let ending = monitor.withoutLock { commit(batches) }
        if case .failed(let error) = ending { end(ending, refusing: .notCarriedOut(error)) } else { end(ending) }
    }

    private func end(_ ending: BatchEnding, refusing rejection: Rejection? = nil) {
        stage = .ended(ending)
        monitor.tell()
        guard let rejection else { return }
        for entry in entries.values { entry.refuse(rejection) }
    }
}
