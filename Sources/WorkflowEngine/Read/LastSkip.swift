import Statechart
package import WorkflowStore

/// The last timer of a running instance that has no timer and no invocation left, because this timer came too late.
package struct LastSkip: Sendable, Equatable {
    /// The timer's event.
    package let event: String
    /// The clock's time when the timer was skipped.
    package let at: Timestamp
    package let lateMilliseconds: Int64
    /// The events that the instance accepts now, unless a guard rejects them.
    package let accepted: [String]
}

extension Engine {
    /// Returns the skipped timer after which nothing more happens to an instance by itself. Returns `nil` if something
    /// will happen or has happened since, or if the instance does not run. Reads the last row, or a few more if the
    /// instance was suspended and resumed since.
    package func lastSkip(of view: InstanceView, by caller: Caller) async throws(Rejection) -> LastSkip? {
        let record = view.record
        guard record.status == .running, record.state.armed == "[]" else { return nil }
        try refuse(record, to: caller)
        var place: Position? = record.head
        // A clock that was ahead may have been corrected since.
        var latest = Timestamp(rawValue: .max)
        for _ in 0..<limits.rowsOfSkip {
            guard let position = place, let row = try await row(at: position, of: record, by: caller) else {
                return nil
            }
            switch row.kind {
            case .timer:
                guard let skipped = RowNote(row.note).skipped else { return nil }
                let instance = try InstanceState(record: record, loaded: try await loadedMachine(record.machineID))
                return LastSkip(
                    event: row.event, at: min(row.real ?? row.at, latest), lateMilliseconds: skipped.lateMilliseconds,
                    accepted: instance.facts.accepted)
            case .suspended, .resumed: place = row.previous
            case .reset where row.isClock:
                latest = min(latest, row.at)
                place = row.previous
            case .started, .event, .sent, .result, .failed, .retried, .skipped, .cancelled, .reset, .set, .migrated,
                .effect, .redacted:
                return nil
            }
        }
        return nil
    }
}
