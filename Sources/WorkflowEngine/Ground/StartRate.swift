import WorkflowStore

/// Limits the number of starts in every time span of a given length.
///
/// Starts are counted in slots of a hundredth of the span. The count is in memory only and begins anew after a restart.
struct StartRate: Equatable {
    private struct Slot: Equatable {
        let begin: Int64
        var count: Int
    }

    /// The number of slots in one span.
    static let slots: Int64 = 100

    let count: Int
    /// The length of the span.
    let milliseconds: Int64
    /// The slots, oldest first; slots of a span that is over are removed.
    private var slots: [Slot] = []

    init(count: Int, milliseconds: Int64) {
        self.count = count
        self.milliseconds = milliseconds
    }

    /// Returns `nil` if the settings limit no starts.
    init?(_ settings: QueueSettings) {
        guard let count = settings.rate, let milliseconds = settings.rateMilliseconds else { return nil }
        self.init(count: count, milliseconds: milliseconds)
    }

    private var slotLength: Int64 { max(1, milliseconds / Self.slots) }

    /// Returns the number of starts possible now.
    mutating func room(at now: Timestamp) -> Int {
        forget(at: now.rawValue)
        return max(0, count - slots.reduce(0) { $0 + $1.count })
    }

    /// Returns the time of the next possible start: `now` if there is room.
    mutating func next(at now: Timestamp) -> Timestamp {
        guard room(at: now) == 0, let first = slots.first else { return now }
        return Timestamp(rawValue: end(of: first))
    }

    /// Counts starts.
    mutating func started(_ starts: Int, at now: Timestamp) {
        guard starts > 0 else { return }
        forget(at: now.rawValue)
        if let last = slots.last, now.rawValue < last.begin + slotLength {
            slots[slots.count - 1].count += starts
        } else {
            slots.append(Slot(begin: now.rawValue, count: starts))
        }
    }

    /// The time from which a slot no longer counts: its last start is a whole span ago.
    private func end(of slot: Slot) -> Int64 { slot.begin + slotLength - 1 + milliseconds }

    private mutating func forget(at now: Int64) {
        if let last = slots.last, last.begin > now {
            // The clock was set back: earlier starts count as if they had happened now.
            slots = [Slot(begin: now, count: slots.reduce(0) { $0 + $1.count })]
        }
        let over = slots.prefix { end(of: $0) <= now }.count
        slots.removeFirst(over)
    }
}
