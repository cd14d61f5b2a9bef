package import Statechart

/// A selection of rows of a partition's journal, in the order of their positions.
package struct JournalQuery: Sendable, Equatable {
    /// The position after which rows are read; it need not be the position of a row.
    package var after: Position
    /// The last position to read, which must be on disk; `nil` for all rows.
    package var through: Position?
    package var filter: JournalFilter
    /// The approximate number of bytes after which a slice ends. A slice has at least one row, whatever its size.
    package var bytes: Int

    package init(
        after: Position, through: Position? = nil, filter: JournalFilter = JournalFilter(), bytes: Int
    ) {
        self.after = after
        self.through = through
        self.filter = filter
        self.bytes = bytes
    }
}

/// A selection of journal rows for a listener. The values of one list are alternatives; an empty list selects all.
package struct JournalFilter: Sendable, Equatable {
    package var machines: [MachineName]
    package var kinds: [JournalKind]
    package var events: [EventDescriptor]
    /// The paths of states; selects a row that has left or entered one of them. Such a state is active either before
    /// the row or after it, not both.
    package var states: [String]

    package init(
        machines: [MachineName] = [], kinds: [JournalKind] = [], events: [EventDescriptor] = [], states: [String] = []
    ) {
        self.machines = machines
        self.kinds = kinds
        self.events = events
        self.states = states
    }

    /// True if the filter selects every row of the selected machines.
    package var takesAllOfMachine: Bool { kinds.isEmpty && events.isEmpty && states.isEmpty }

    /// Returns true if the filter selects rows of a machine.
    package func takes(machine: MachineName) -> Bool { machines.isEmpty || machines.contains(machine) }

    /// Returns true if the filter selects a row, whatever its machine.
    package func takes(kind: String, event: String, from: String, to: String) -> Bool {
        if !kinds.isEmpty, !kinds.contains(where: { $0.rawValue == kind }) { return false }
        if !events.isEmpty, !events.contains(where: { $0.matches(event) }) { return false }
        return states.isEmpty
            || states.contains { SnapshotText.isActive($0, in: from) != SnapshotText.isActive($0, in: to) }
    }
}

/// A pattern of event names, as transitions have it: `pay` matches itself, `pay.*` matches `pay` and all below it, `*`
/// matches every name.
package struct EventDescriptor: Sendable, Equatable {
    package let text: String
    private let prefix: CandidateTable.Prefix?

    package init(_ text: String) {
        self.text = text
        prefix =
            text.hasSuffix(".*") ? CandidateTable.Prefix(name: String(text.dropLast(2)), transitions: []) : nil
    }

    /// Returns true if the pattern matches an event.
    package func matches(_ event: String) -> Bool {
        if let prefix { return prefix.matches(event) }
        return text == "*" || text == event
    }

    package static func == (lhs: Self, rhs: Self) -> Bool { lhs.text == rhs.text }
}

/// A journal row as readers of the journal of all instances see it.
package struct ListedRow: Sendable, Equatable {
    package let row: JournalRecord
    /// The instance's name.
    package let instance: InstanceName
    package let machine: MachineName
    package let version: MachineVersion
    /// True if the row records a failed retry: the instance had failed before.
    package let isRetry: Bool

    package init(
        row: JournalRecord, instance: InstanceName, machine: MachineName, version: MachineVersion, isRetry: Bool
    ) {
        self.row = row
        self.instance = instance
        self.machine = machine
        self.version = version
        self.isRetry = isRetry
    }
}

/// The next rows of a journal.
package struct JournalSlice: Sendable, Equatable {
    /// The selected rows.
    package var rows: [ListedRow]
    /// The last position that was read, selected or not.
    package var through: Position
    /// True if no row followed; false if the store did not look.
    package var isLast: Bool

    package init(rows: [ListedRow] = [], through: Position, isLast: Bool) {
        self.rows = rows
        self.through = through
        self.isLast = isLast
    }
}

/// The extent of a read of the journal.
package struct JournalReach: Sendable, Equatable {
    /// The last position that was read, selected or not.
    package var through: Position
    /// True if no row followed; false if the store did not look.
    package var isLast: Bool

    package init(through: Position, isLast: Bool) {
        self.through = through
        self.isLast = isLast
    }
}

extension Position {
    /// Returns the position before all others of a partition.
    package static func beginning(of partition: PartitionID) -> Position {
        Position(rawValue: partition.rawValues.lowerBound)
    }
}

extension SnapshotText {
    /// Returns true if a state is active in a configuration: the paths of leaves, joined by commas.
    package static func isActive(_ state: String, in configuration: String) -> Bool {
        configuration.utf8.split(separator: UInt8(ascii: ",")).contains { leaf in
            leaf.starts(with: state.utf8)
                && (leaf.count == state.utf8.count || leaf.dropFirst(state.utf8.count).first == UInt8(ascii: "."))
        }
    }
}
