import Statechart
import WorkflowJSON
import WorkflowStore

/// Finds the row since which a suspended instance is so, from its last row back.
///
/// Nothing comes to it but what operators do. So that row is nearly always the last, and never far.
struct SuspensionSearch {
    /// The row that was found so far.
    private(set) var row: JournalRecord?
    /// The rows before say nothing of it.
    private(set) var isOver = false

    /// Takes the last row, then each time the one before.
    mutating func take(_ next: JournalRecord) {
        switch next.kind {
        case .suspended:
            row = next
            isOver = true
        case .reset where next.isClock: break
        case .reset:
            // It may bring a suspension back, or leave the one that there is: then a row before says more.
            if next.resetsToSuspended { row = next } else { isOver = true }
        case .set, .migrated, .effect, .redacted: break
        case .started, .event, .sent, .timer, .result, .failed, .retried, .skipped, .resumed, .cancelled: isOver = true
        }
    }
}

extension JournalRecord {
    /// True for a reset behind which its instance was suspended, and for one of which that was erased.
    fileprivate var resetsToSuspended: Bool {
        let status = data.flatMap(RecordedFailure.object)?["snapshot"]?.object?["status"]?.string
        return status.map { $0 == Snapshot.Status.suspended.rawValue } ?? true
    }
}
