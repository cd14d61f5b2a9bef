import Logging

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
    /// Ends what was begun to be erased: at the start what a stop has interrupted, and later what the store did not
    /// take. It is tried again until all is gone. Returns when the task is cancelled.
    func endErasures() async {
        guard let erasures else { return }
        var hasFailed = false
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
            if !hasFailed, await !erasures.isLeft() { return }
            // Cancelled with the task.
            try? await Task.sleep(for: limits.erasurePause)
        } while !Task.isCancelled
    }
}
