/// What names a run over many instances.
package struct BulkKey: Hashable, Sendable {
    package let namespace: NamespaceID
    /// 1 to 100 characters, as an instance's name has them.
    package let name: String
    /// Whose instances it is for.
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

/// A place in the order in which the instances of a run have their turn: by machine version, then by instance.
///
/// The status does not count: a run changes it, and would meet an instance again that moved on in such an order.
package struct BulkMark: Hashable, Comparable, Sendable {
    /// The row number of the machine version; 0 where a run names its instances.
    package var machine: Int64
    /// The row number of the instance; the number of the name where a run names them.
    package var number: Int64

    package init(machine: Int64, number: Int64) {
        self.machine = machine
        self.number = number
    }

    /// Before all others.
    package static let start = BulkMark(machine: 0, number: 0)

    package static func < (lhs: Self, rhs: Self) -> Bool { (lhs.machine, lhs.number) < (rhs.machine, rhs.number) }
}

/// A run over many instances, as stored.
package struct BulkRecord: Sendable, Equatable {
    /// What becomes of a run.
    package enum State: String, Sendable, CaseIterable {
        case running
        /// Until somebody resumes it.
        case stopped
        case done
    }

    package var key: BulkKey
    /// Canonical JSON: what is done, to whom, why.
    package var request: String
    /// Who asked for it, where that is known.
    package var actor: Actor?
    package var state: State
    /// The store's when the run was begun or resumed.
    package var generation: Int64
    /// Rows of the journal from this position on are younger than the selection.
    package var floor: Position
    /// All up to here had their turn.
    package var mark: BulkMark
    /// How many instances were selected. They are counted before the run begins, so more may be met.
    package var selected: Int64
    /// Canonical JSON: counts, and the first of each kind with the reason.
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
    /// Names of a run that are stored together.
    package static let namesOfPiece = 500
}

/// Which instances a run is for, from a mark on.
package struct SelectionQuery: Sendable, Equatable {
    /// Its order, limit and place are not looked at.
    package var filter: InstanceQuery
    /// Of the machines that the filter names; empty for all.
    package var versions: [MachineVersion]
    /// Instances from this id on are left out; nil for none.
    package var below: InstanceID?
    package var after: BulkMark
    package var limit: Int

    package init(
        _ filter: InstanceQuery, versions: [MachineVersion] = [], below: InstanceID? = nil, after: BulkMark = .start,
        limit: Int
    ) {
        self.filter = filter
        self.versions = versions
        self.below = below
        self.after = after
        self.limit = limit
    }

    /// Whether it wants instances of a version of a machine.
    package func takes(_ machine: MachineName, _ version: MachineVersion) -> Bool {
        filter.takes(machine) && (versions.isEmpty || versions.contains(version))
    }
}

/// Some of the instances of a selection.
package struct SelectionSlice: Sendable {
    package var instances: [InstanceRecord]
    /// All up to here were looked at; nil at the end.
    package var next: BulkMark?

    package init(instances: [InstanceRecord], next: BulkMark?) {
        self.instances = instances
        self.next = next
    }
}
