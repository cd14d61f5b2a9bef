public import WorkflowAPI

extension WorkflowClient {
    /// Replays an instance's macrosteps and returns each; nothing is written.
    public func replay(
        _ instance: String, _ parameters: ReplayParameters = .init()
    ) async throws(ClientError) -> AnswerLines<ReplayStep> {
        try await lines(TransportRequest(.replayInstance, instance, query: parameters.queryText))
    }

    /// Replays an instance's history with another definition. The last line is the outcome; nothing is written.
    public func backtest(
        instance: String, with source: [UInt8], as mediaType: DefinitionMediaType
    ) async throws(ClientError) -> AnswerLines<BacktestLine> {
        let body = TransportRequest.Body(mediaType: mediaType.rawValue, bytes: source)
        return try await lines(TransportRequest(.backtestInstance, instance, body: body))
    }

    /// Replays the histories of all instances of a machine with another definition. The last line has the counts;
    /// nothing is written.
    public func backtest(
        machine: String, with source: [UInt8], as mediaType: DefinitionMediaType,
        _ parameters: BacktestParameters = .init()
    ) async throws(ClientError) -> AnswerLines<BacktestLine> {
        let body = TransportRequest.Body(mediaType: mediaType.rawValue, bytes: source)
        return try await lines(
            TransportRequest(.backtestMachine, machine, query: parameters.queryText, body: body))
    }

    /// Compares the stored data with the replayed histories, for one instance or for all. The last line has the counts.
    public func verify(instance: String? = nil) async throws(ClientError) -> AnswerLines<VerificationLine> {
        guard let instance else { return try await lines(TransportRequest(.verifyAll)) }
        return try await lines(TransportRequest(.verifyInstance, instance))
    }
}
