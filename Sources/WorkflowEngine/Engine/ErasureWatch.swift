import Logging
import WorkflowStore

/// Says that something was begun to be erased which nobody ends.
final class ErasureWatch: Sendable {
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init() {
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Somebody was told that it goes on by itself.
    func leave() { signal.yield() }

    /// Waits until something is left; false when the task was cancelled. One task waits.
    func isLeft() async -> Bool {
        for await _ in signals { return true }
        return false
    }
}

extension Engine {
    /// Waits until the erased and deleted data has left the files. Returns the reason when that takes longer than a
    /// caller waits; the data then goes by itself.
    ///
    /// - Parameter time: The time to wait; nil for as long as an answer may wait.
    func awaitErasing(of kind: ErasureKind, for time: Duration? = nil) async -> String? {
        let end = ContinuousClock.now + (time ?? limits.erasureWait)
        while let reason = purging.pending(of: kind) {
            guard ContinuousClock.now < end, !Task.isCancelled else {
                erasures?.leave()
                return reason
            }
            // The log can be emptied only between two batches. Rows are removed more slowly while commands wait.
            if purging.isInLog, kind == .redaction || purgeBacklog.instances == 0 { await lookAtLog() }
            // The wait is cancelled with the caller, who is told the reason.
            try? await Task.sleep(for: limits.erasureLook)
        }
        return nil
    }

    /// Waits until the rows of all deleted instances are gone; throws when the store does not take that now.
    func sweepAll() async throws(Rejection) {
        while purgeBacklog.instances > 0 {
            switch currentHealth {
            case .starting, .ready: break
            case .draining: throw .draining
            case .storageUnavailable(let reason), .readOnly(let reason), .damaged(let reason):
                throw .storageUnavailable(reason)
            }
            // The wait is cancelled with the restore; the next start goes on.
            guard (try? await Task.sleep(for: limits.erasureLook)) != nil else { throw .draining }
        }
    }

    /// Has the writer try to empty the log. When the writer takes no commands now, it tries with the next one.
    private func lookAtLog() async {
        do throws(Rejection) {
            _ = try await queue.submit(EraseCommand(instance: ErasureRecord.noInstance))
        } catch {
            logger.debug("the writer could not look at the log", metadata: ["error": "\(error.code.rawValue)"])
        }
    }

    /// Ends what was begun to be erased: at the start what a stop has interrupted, and later what the store did not
    /// take. It is tried again until all is gone. Returns when the task is cancelled.
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
                // Once, not each time that it is tried.
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
            // Cancelled with the task.
            try? await Task.sleep(for: limits.erasurePause)
        } while !Task.isCancelled
    }
}
