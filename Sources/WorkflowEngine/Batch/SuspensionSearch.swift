import Statechart
import WorkflowJSON
import WorkflowStore

/// Finds the row that suspended a suspended instance, from its last row back.
///
/// Only operators' commands reach a suspended instance. So the row is nearly always the last, and never far.
struct SuspensionSearch {
    /// The row found so far.
    private(set) var row: JournalRecord?
    /// True if earlier rows cannot change the result.
    private(set) var isOver = false

    /// Examines a row: first the last row, then each time the row before.
    mutating func take(_ next: JournalRecord) {
        switch next.kind {
        case .suspended:
            row = next
            isOver = true
        case .reset where next.isClock: break
        case .reset:
            // The reset may bring a suspension back, or keep the present one: then an earlier row may say more.
            if next.resetsToSuspended { row = next } else { isOver = true }
        case .set, .migrated, .effect, .redacted: break
        case .started, .event, .sent, .timer, .result, .failed, .retried, .skipped, .resumed, .cancelled: isOver = true
        }
    }
}

extension JournalRecord {
    /// True for a reset after which its instance was suspended, or whose status was erased.
    fileprivate var resetsToSuspended: Bool {
        let status = data.flatMap(RecordedFailure.object)?["snapshot"]?.object?["status"]?.string
        return status.map { $0 == Snapshot.Status.suspended.rawValue } ?? true
    }
}
