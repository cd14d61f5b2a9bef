public import WorkflowAPI
import WorkflowJSON

extension WorkflowClient {
    /// Runs one verb on many instances, or rehearses the run. The last line is the rehearsal, or the run after its end.
    /// A reader that stops early does not stop the run; the same request again returns the progress.
    ///
    /// - Parameters:
    ///   - request: The verb and the selection of instances.
    ///   - names: The instances, if the request does not select them.
    public func bulk(
        _ request: BulkRequest, names: [String] = []
    ) async throws(ClientError) -> AnswerLines<BulkLine> {
        var bytes = JSONWriter.bytes(request)
        for name in names {
            bytes.append(UInt8(ascii: "\n"))
            bytes += JSONWriter.bytes(BulkName(instance: name))
        }
        let mediaType = names.isEmpty ? "application/json" : LineStream.mediaType
        // The daemon goes through the selection before the answer begins.
        return try await lines(
            TransportRequest(
                .runBulk, body: TransportRequest.Body(mediaType: mediaType, bytes: bytes), extraTime: .seconds(600)))
    }

    /// Returns the runs that the daemon keeps, the latest begin first.
    public func bulkRuns() async throws(ClientError) -> Page<BulkRun> { try await get(TransportRequest(.listRuns)) }

    /// Returns a run with its progress.
    public func bulkRun(_ name: String) async throws(ClientError) -> BulkRun {
        try await get(TransportRequest(.showRun, name))
    }

    /// Returns the instances that a run has left out, as they are now.
    public func leftOut(
        _ outcome: LeftOutParameters.Outcome, ofRun name: String
    ) async throws(ClientError) -> AnswerLines<BulkTold> {
        let query = LeftOutParameters(outcome: outcome).queryText
        return try await lines(TransportRequest(.listLeftOut, name, query: query))
    }

    /// Stops a run until somebody resumes it. Finished instances are not undone.
    public func stopRun(_ name: String) async throws(ClientError) -> BulkRun {
        try await get(TransportRequest(.stopRun, name))
    }

    /// Resumes a stopped run.
    public func resumeRun(_ name: String) async throws(ClientError) -> BulkRun {
        try await get(TransportRequest(.resumeRun, name))
    }
}
