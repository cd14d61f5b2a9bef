public import WorkflowAPI

extension WorkflowClient {
    /// Lets the daemon make a backup while it serves. The lines tell how far it is; the last one has its name, with
    /// which it can be fetched for a while. Who stops reading before it ends the backup.
    public func makeBackup() async throws(ClientError) -> AnswerLines<BackupLine> {
        try await lines(TransportRequest(.makeBackup))
    }

    /// The bytes of a backup. When they were read to their end, the daemon removes it.
    public func backup(_ name: String) async throws(ClientError) -> AnswerBytes {
        try await bytes(TransportRequest(.fetchBackup, name, accepted: Backup.mediaType), as: Backup.mediaType)
    }
}
