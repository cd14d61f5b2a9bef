import WorkflowAPI

extension WorkflowClient {
    /// Repeats a request with a key until its outcome is known, or until `ClientLimits.patience` ends.
    ///
    /// By default, repeats only a request that may have been carried out: its answer was lost, or the daemon itself
    /// does not know the outcome. Other errors are thrown at once.
    ///
    /// If `waitsForDaemon` is true, also repeats a request that was surely not carried out, because the daemon is
    /// restarting or has no room.
    public func untilKnown<Answer>(
        waitsForDaemon: Bool = false,
        _ request: () async throws(ClientError) -> Answer
    ) async throws(ClientError) -> Answer {
        var patience = limits.patience
        // The time of the first lost answer; each request to a silent daemon is lost only after a while.
        var lost: ContinuousClock.Instant?
        var pause = Duration.milliseconds(50)
        var unknown: ClientError?
        while true {
            do throws(ClientError) {
                return try await request()
            } catch {
                if error.leavesOutcomeOpen || (waitsForDaemon && error.isTransient) { unknown = error }
                guard let unknown, error.isTransient else { throw error }
                let begin = lost ?? .now
                lost = begin
                guard pause <= patience, .now - begin <= limits.patience else { throw unknown }
            }
            // The pause ends early if the task is cancelled; the next request then fails at once.
            try? await Task.sleep(for: pause)
            patience -= pause
            pause = min(pause * 2, .seconds(1))
        }
    }
}

extension ClientError {
    /// True if the request may have been carried out.
    public var leavesOutcomeOpen: Bool {
        code == .answerLost || problem?.type == .outcomeUnknown
    }
}
