public import WorkflowAPI
import WorkflowJSON

extension WorkflowClient {
    /// Lets the daemon do one verb to many instances, or rehearse it. The last line is the rehearsal, or the run when
    /// it has ended. Who stops reading leaves a run as it is; the same request again tells how far it is.
    ///
    /// - Parameters:
    ///   - request: What is done, and to which instances.
    ///   - names: The instances, where the request does not select them.
    public func bulk(
        _ request: BulkRequest, names: [String] = []
    ) async throws(ClientError) -> AnswerLines<BulkLine> {
        var bytes = JSONWriter.bytes(request)
        for name in names {
            bytes.append(UInt8(ascii: "\n"))
            bytes += JSONWriter.bytes(BulkName(instance: name))
        }
        let mediaType = names.isEmpty ? "application/json" : LineStream.mediaType
        // What is selected is gone through before the answer begins.
        return try await lines(
            TransportRequest(
                .runBulk, body: TransportRequest.Body(mediaType: mediaType, bytes: bytes), extraTime: .seconds(600)))
    }

    /// The runs that the daemon keeps, the last begun first.
    public func bulkRuns() async throws(ClientError) -> Page<BulkRun> { try await get(TransportRequest(.listRuns)) }

    /// A run, and how far it is.
    public func bulkRun(_ name: String) async throws(ClientError) -> BulkRun {
        try require(name, of: "run")
        return try await get(TransportRequest(.showRun, name))
    }

    /// The instances that a run has left out, found again as they are now.
    public func leftOut(
        _ outcome: LeftOutParameters.Outcome, ofRun name: String
    ) async throws(ClientError) -> AnswerLines<BulkTold> {
        try require(name, of: "run")
        let query = LeftOutParameters(outcome: outcome).queryText
        return try await lines(TransportRequest(.listLeftOut, name, query: query))
    }

    /// Stops a run until somebody resumes it. What it has done stays done.
    public func stopRun(_ name: String) async throws(ClientError) -> BulkRun {
        try require(name, of: "run")
        return try await get(TransportRequest(.stopRun, name))
    }

    /// Lets a run go on that was stopped.
    public func resumeRun(_ name: String) async throws(ClientError) -> BulkRun {
        try require(name, of: "run")
        return try await get(TransportRequest(.resumeRun, name))
    }
}
