/// The key of a bulk run.
package struct BulkKey: Hashable, Sendable {
    package let namespace: NamespaceID
    /// The name of 1 to 100 characters, with the characters of an instance's name.
    package let name: String
    /// The partition whose instances the run covers.
    package let partition: PartitionID

    package init(_ name: String, in namespace: NamespaceID, partition: PartitionID) {
        self.namespace = namespace
        self.name = name
        self.partition = partition
    }
}

extension BulkKey: Comparable {
    package static func < (lhs: Self, rhs: Self) -> Bool {
        if lhs.namespace != rhs.namespace { return lhs.namespace < rhs.namespace }
        if lhs.name != rhs.name { return lhs.name.utf8.lexicographicallyPrecedes(rhs.name.utf8) }
        return lhs.partition < rhs.partition
    }
}

/// A place in the order in which a run processes its instances: by machine version, then by instance.
///
/// The order ignores the status. A run changes the status, so in such an order the run would meet an instance again.
package struct BulkMark: Hashable, Comparable, Sendable {
    /// The row number of the machine version; 0 if a run names its instances.
    package var machine: Int64
    /// The row number of the instance; the number of the name if a run names its instances.
    package var number: Int64

    package init(machine: Int64, number: Int64) {
        self.machine = machine
        self.number = number
    }

    /// The place before all others.
    package static let start = BulkMark(machine: 0, number: 0)

    package static func < (lhs: Self, rhs: Self) -> Bool { (lhs.machine, lhs.number) < (rhs.machine, rhs.number) }
}

/// A bulk run, as stored.
package struct BulkRecord: Sendable, Equatable {
    /// The state of a run.
    package enum State: String, Sendable, CaseIterable {
        case running
        /// The run waits until somebody resumes it.
        case stopped
        case done
    }

    package var key: BulkKey
    /// Canonical JSON: the action, the instances and the reason.
    package var request: String
    /// The caller who requested the run, if known.
    package var actor: Actor?
    package var state: State
    /// The store's generation when the run began or was resumed.
    package var generation: Int64
    /// The first position after the selection; journal rows from here on are younger.
    package var floor: Position
    /// The place of the last processed instance.
    package var mark: BulkMark
    /// The number of selected instances, counted before the run begins; the run may meet more.
    package var selected: Int64
    /// Canonical JSON: counts, and the first item of each kind with the reason.
    package var outcome: String
    package var begun: Timestamp
    package var updated: Timestamp
    package var ended: Timestamp?

    package init(
        key: BulkKey, request: String, actor: Actor?, state: State = .running, generation: Int64, floor: Position,
        mark: BulkMark = .start, selected: Int64, outcome: String, begun: Timestamp
    ) {
        self.key = key
        self.request = request
        self.actor = actor
        self.state = state
        self.generation = generation
        self.floor = floor
        self.mark = mark
        self.selected = selected
        self.outcome = outcome
        self.begun = begun
        updated = begun
    }
}

extension BulkRecord {
    /// The number of names of a run that are stored together.
    package static let namesOfPiece = 500
}

/// The instances that a run covers, after a mark.
package struct SelectionQuery: Sendable, Equatable {
    /// The filter of the instances; its order, limit and place are ignored.
    package var filter: InstanceQuery
    /// The partition of the instances; `nil` for all partitions.
    package var partition: PartitionID?
    /// The first excluded id; instances from `below` on are left out. `nil` excludes none.
    package var below: InstanceID?
    package var after: BulkMark
    package var limit: Int

    package init(
        _ filter: InstanceQuery, in partition: PartitionID? = nil, below: InstanceID? = nil, after: BulkMark = .start,
        limit: Int
    ) {
        self.filter = filter
        self.partition = partition
        self.below = below
        self.after = after
        self.limit = limit
    }
}

extension SelectionQuery {
    /// The ids of the instances of one machine version that may come next.
    ///
    /// - Parameter after: The last id that was read; 0 for none.
    package func ids(after number: Int64) -> (above: Int64, below: Int64) {
        let end = below?.rawValue ?? .max
        guard let ids = partition?.rawValues else { return (number, end) }
        return (max(number, ids.lowerBound), min(end, ids.upperBound))
    }
}

/// A slice of the instances of a selection.
package struct SelectionSlice: Sendable {
    package var instances: [InstanceRecord]
    /// The place up to which the selection was read; `nil` at the end.
    package var next: BulkMark?
    /// The work for the condition of the filter.
    package var examination = InstanceExamination()

    package init(instances: [InstanceRecord], next: BulkMark?) {
        self.instances = instances
        self.next = next
    }
}
