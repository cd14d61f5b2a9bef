import WorkflowStore

/// The cause that rows of kind `failed` have in common.
struct FailureCause: Hashable {
    let event: String
    /// The reason; `nil` if a redaction erased it.
    let reason: RecordedFailure?

    init(_ row: LentRow) {
        event = String(decoding: row.event, as: UTF8.self)
        reason = RecordedFailure(note: row.note.map { String(decoding: $0, as: UTF8.self) })
    }
}
