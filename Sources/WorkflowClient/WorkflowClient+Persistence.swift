import WorkflowAPI

extension WorkflowClient {
    /// Repeats a request with a key until it is known what became of it, or until `ClientLimits.patience` ends.
    ///
    /// Only a request that may have been carried out is repeated: its answer was lost, or the daemon itself does not
    /// know. Other errors are thrown as they come.
    ///
    /// When `waitsForDaemon` is true, it also repeats what was surely not carried out: the daemon is restarting, or has
    /// no room.
    public func untilKnown<Answer>(
        waitsForDaemon: Bool = false,
        _ request: () async throws(ClientError) -> Answer
    ) async throws(ClientError) -> Answer {
        var patience = limits.patience
        // Of the first answer that was lost; a daemon that is silent loses each only after a while.
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
            // Ends early when the task is cancelled; the next request then fails at once.
            try? await Task.sleep(for: pause)
            patience -= pause
            pause = min(pause * 2, .seconds(1))
        }
    }
}

extension ClientError {
    /// Whether the request may have been carried out.
    public var leavesOutcomeOpen: Bool {
        code == .answerLost || problem?.type == .outcomeUnknown
    }
}
