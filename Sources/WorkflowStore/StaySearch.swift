import Statechart

/// A search for the times at which an instance entered some of its states. It goes back along the instance's rows.
package struct StaySearch: Sendable, Equatable {
    package let instance: InstanceID
    /// The paths of the states, each active after the row where the search began.
    package let states: [String]
    /// The time at which each state was entered; `nil` if it is not known yet.
    package private(set) var entered: [Timestamp?]
    /// The row to look at next; `nil` if the search is over.
    package private(set) var next: Position?

    /// - Parameter row: The row after which the states were active.
    package init(of instance: InstanceID, in states: [String], after row: Position) {
        self.instance = instance
        self.states = states
        entered = Array(repeating: nil, count: states.count)
        next = row
    }

    /// Takes the row at `next`. A state was entered with a row if it was not active before it.
    ///
    /// - Parameters:
    ///   - from: The configuration before the row.
    ///   - previous: The instance's row before; `nil` for its first row.
    package mutating func take(at: Timestamp, from: String, previous: Position?) {
        for (place, state) in states.enumerated()
        where entered[place] == nil && !SnapshotText.isActive(state, in: from) {
            entered[place] = at
        }
        next = entered.contains(nil) ? previous : nil
    }

    /// Ends the search where no row is: the instance was deleted.
    package mutating func end() { next = nil }
}
