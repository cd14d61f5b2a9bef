public import WorkflowAPI

extension WorkflowClient {
    /// Deletes an instance with its history. On return no request finds the instance, and its name is free. The same
    /// request with the same key is carried out once.
    ///
    /// - Parameters:
    ///   - instance: The name of the instance.
    ///   - parameters: The conditions and the reason of the deletion.
    ///   - seq: The seq that the instance must have; `nil` for any.
    ///   - key: The key of the request; a repeated request with the same key is not carried out again.
    public func delete(
        _ instance: String, _ parameters: DeleteParameters, seq: Int64? = nil, key: String? = nil
    ) async throws(ClientError) -> DeletedInstance {
        try await get(
            TransportRequest(.deleteInstance, instance, query: parameters.queryText, key: key, expectedSeq: seq))
    }

    /// Deletes a part of the finished instances; call `purge` again until the answer is `done`.
    public func purge(_ request: PurgeRequest) async throws(ClientError) -> PurgeAnswer {
        try await post(request, by: TransportRequest(.purge))
    }

    /// Returns the deletions, and the changes that belong to no instance's history, latest first. A page may be short
    /// or empty and still have a next one.
    public func audit(_ parameters: AuditParameters = .init()) async throws(ClientError) -> Page<AuditItem> {
        try await get(TransportRequest(.listAudit, query: parameters.queryText))
    }
}
