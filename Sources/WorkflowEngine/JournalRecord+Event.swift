import JSON
import Statechart
import WorkflowStore

extension JournalRecord {
    /// The event that the row records, as the step was given it.
    ///
    /// - Parameters:
    ///   - data: The row's, read.
    ///   - waiting: What it was among all that the instance had armed; nil for an event from outside.
    ///   - hadFailed: Whether the instance had failed on it before.
    func recordedEvent(_ data: JSONValue?, from waiting: ArmedTimer?, hadFailed: Bool) -> Event {
        Event(
            name: event, data: data, at: LogicalTime(at), origin: origin(waiting),
            // What is retried came in time; that it failed does not make it late.
            firedAt: hadFailed ? waiting?.due : LogicalTime(real ?? at))
    }

    private func origin(_ waiting: ArmedTimer?) -> Event.Origin {
        switch kind {
        case .sent: .sent(waiting?.number ?? 0)
        case .timer: .timer(waiting?.number ?? 0)
        case .retried, .failed: waiting.map { $0.isImmediate ? .sent($0.number) : .timer($0.number) } ?? .external
        case .started, .event, .result, .cancelled, .reset, .set, .migrated, .redacted: .external
        }
    }
}
