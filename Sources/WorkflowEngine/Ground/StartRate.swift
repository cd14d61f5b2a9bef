import WorkflowStore

/// How many may start: at most so many in every span of a length.
///
/// Starts are counted by slots of a hundredth of the span. In memory only: after a restart the count begins anew.
struct StartRate: Equatable {
    private struct Slot: Equatable {
        let begin: Int64
        var count: Int
    }

    /// Of one span.
    static let slots: Int64 = 100

    let count: Int
    /// Of the span.
    let milliseconds: Int64
    /// The oldest first; those of a span that is over are gone.
    private var slots: [Slot] = []

    init(count: Int, milliseconds: Int64) {
        self.count = count
        self.milliseconds = milliseconds
    }

    /// Nil where everything may start.
    init?(_ settings: QueueSettings) {
        guard let count = settings.rate, let milliseconds = settings.rateMilliseconds else { return nil }
        self.init(count: count, milliseconds: milliseconds)
    }

    private var slotLength: Int64 { max(1, milliseconds / Self.slots) }

    /// How many may start now.
    mutating func room(at now: Timestamp) -> Int {
        forget(at: now.rawValue)
        return max(0, count - slots.reduce(0) { $0 + $1.count })
    }

    /// When the next may start; now when there is room.
    mutating func next(at now: Timestamp) -> Timestamp {
        guard room(at: now) == 0, let first = slots.first else { return now }
        return Timestamp(rawValue: end(of: first))
    }

    /// So many have started.
    mutating func started(_ starts: Int, at now: Timestamp) {
        guard starts > 0 else { return }
        forget(at: now.rawValue)
        if let last = slots.last, now.rawValue < last.begin + slotLength {
            slots[slots.count - 1].count += starts
        } else {
            slots.append(Slot(begin: now.rawValue, count: starts))
        }
    }

    /// The time from which a slot does not count: its last start is a whole span ago.
    private func end(of slot: Slot) -> Int64 { slot.begin + slotLength - 1 + milliseconds }

    private mutating func forget(at now: Int64) {
        if let last = slots.last, last.begin > now {
            // The clock was set back: they count as if they had started now.
            slots = [Slot(begin: now, count: slots.reduce(0) { $0 + $1.count })]
        }
        let over = slots.prefix { end(of: $0) <= now }.count
        slots.removeFirst(over)
    }
}
