import Logging
import WorkflowStore

/// Signals that an erasure was begun which nobody completes.
final class ErasureWatch: Sendable {
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init() {
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Signals that a caller left an erasure to go on by itself.
    func leave() { signal.yield() }

    /// Waits until an erasure is left. Returns false if the task was cancelled. Only one task may wait.
    func isLeft() async -> Bool {
        for await _ in signals { return true }
        return false
    }
}

extension Engine {
    /// Waits until erased or deleted data has left the files. Returns the reason if this takes longer than a caller
    /// waits; the data then leaves by itself. A copy from before an upgrade is such a reason too, but not for a run,
    /// which would then wait for an operator.
    ///
    /// - Parameter time: The time that a run waits; `nil` for as long as an answer may wait.
    func awaitErasing(of kind: ErasureKind, for time: Duration? = nil) async -> String? {
        let end = ContinuousClock.now + (time ?? limits.erasureWait)
        while let reason = purging.pending(of: kind) {
            guard ContinuousClock.now < end, !Task.isCancelled else {
                erasures?.leave()
                return reason
            }
            // The log can be emptied only between two batches. Rows are removed more slowly while commands wait.
            if purging.isInLog, kind == .redaction || purgeBacklog.instances == 0 { await lookAtLog() }
            // The wait is cancelled with the caller, who gets the reason.
            try? await Task.sleep(for: limits.erasureLook)
        }
        guard time == nil, let copy = await upkeep.keptCopies().first else { return nil }
        return "'\(copy)', the file as it was before an upgrade, still has what was erased; remove it"
    }

    /// Waits until the rows of all deleted instances are gone. Throws if the store does not accept writes now.
    func sweepAll() async throws(Rejection) {
        while purgeBacklog.instances > 0 {
            switch currentHealth {
            case .starting, .standby, .ready: break
            case .draining: throw .draining
            case .storageUnavailable(let reason), .readOnly(let reason), .damaged(let reason):
                throw .storageUnavailable(reason)
            }
            // The wait is cancelled with the restore; the next start goes on.
            guard (try? await Task.sleep(for: limits.erasureLook)) != nil else { throw .draining }
        }
    }

    /// Makes the writer try to empty the log. A writer that takes no commands now tries with the next one.
    private func lookAtLog() async {
        do throws(Rejection) {
            _ = try await queue.submit(EraseCommand(instance: ErasureRecord.noInstance))
        } catch {
            logger.debug("the writer could not look at the log", metadata: ["error": "\(error.code.rawValue)"])
        }
    }

    /// Completes erasures: at start those that a stop interrupted, and later those that the store did not accept. Tries
    /// again until all erased data is gone. Returns when the task is cancelled or the engine drains.
    func endErasures() async {
        guard let erasures else { return }
        var hasFailed = false
        var isPending = false
        repeat {
            do throws(Rejection) {
                let count = try await resumeErasures().count
                hasFailed = false
                if count > 0 {
                    logger.notice("redactions were carried out to their end", metadata: ["count": "\(count)"])
                }
            } catch {
                if error.code == .draining || Task.isCancelled { return }
                // The error is logged once, not for each attempt.
                if !hasFailed {
                    logger.error("a redaction could not be carried out to its end", metadata: ["error": "\(error)"])
                }
                hasFailed = true
            }
            if purging.isInLog { await lookAtLog() }
            let wasPending = isPending
            isPending = purging.pending(of: .deletion) != nil
            if wasPending, !isPending { logger.notice("nothing of what was erased is in the files any more") }
            if !hasFailed, !isPending, await !erasures.isLeft() { return }
            // The pause is cancelled with the task.
            try? await Task.sleep(for: limits.erasurePause)
        } while !Task.isCancelled
    }
}
