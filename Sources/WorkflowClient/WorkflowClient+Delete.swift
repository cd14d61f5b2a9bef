public import WorkflowAPI

extension WorkflowClient {
    /// Deletes an instance with its history. On return nobody finds it, and its name is free. The same request with the
    /// same key is carried out once.
    ///
    /// - Parameters:
    ///   - instance: Its name.
    ///   - parameters: What must hold, and why it is deleted.
    ///   - seq: The seq that the instance must have; nil for any.
    ///   - key: Names the request: sent again with the same key, it is not carried out again.
    public func delete(
        _ instance: String, _ parameters: DeleteParameters, seq: Int64? = nil, key: String? = nil
    ) async throws(ClientError) -> DeletedInstance {
        try require(instance, of: "instance")
        return try await get(
            TransportRequest(.deleteInstance, instance, query: parameters.queryText, key: key, expectedSeq: seq))
    }

    /// Deletes finished instances; asked again, it goes on until the answer is `done`.
    public func purge(_ request: PurgeRequest) async throws(ClientError) -> PurgeAnswer {
        try await post(request, by: TransportRequest(.purge))
    }

    /// What was deleted, the latest first.
    public func audit(_ parameters: PageParameters = .init()) async throws(ClientError) -> Page<AuditItem> {
        try await get(TransportRequest(.listAudit, query: parameters.queryText))
    }
}
