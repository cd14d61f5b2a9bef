package import Statechart

/// Which rows of a partition's journal to read, in the order of their positions.
package struct JournalQuery: Sendable, Equatable {
    /// Only rows behind it; it need not be the position of a row.
    package var after: Position
    /// The last position to look at, which must be on disk; nil for all that there is.
    package var through: Position?
    package var filter: JournalFilter
    /// Bytes of rows after which a slice ends, about: one row is given, whatever its size.
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

/// What rows of a journal somebody wants to hear of. Values of one list add up; an empty list wants all.
package struct JournalFilter: Sendable, Equatable {
    package var machines: [MachineName]
    package var kinds: [JournalKind]
    package var events: [EventDescriptor]
    /// Paths of states of which a row has left or entered one: it is among the states before the row or after it, and
    /// not among both.
    package var states: [String]

    package init(
        machines: [MachineName] = [], kinds: [JournalKind] = [], events: [EventDescriptor] = [], states: [String] = []
    ) {
        self.machines = machines
        self.kinds = kinds
        self.events = events
        self.states = states
    }

    /// Whether it wants every row of the machines that it wants.
    package var takesAllOfMachine: Bool { kinds.isEmpty && events.isEmpty && states.isEmpty }

    /// True: it wants rows of a machine.
    package func takes(machine: MachineName) -> Bool { machines.isEmpty || machines.contains(machine) }

    /// Whether it wants a row.
    package func takes(_ listed: ListedRow) -> Bool {
        let row = listed.row
        return takes(machine: listed.machine)
            && takes(kind: row.kind.rawValue, event: row.event, from: row.from, to: row.to)
    }

    /// Whether it wants a row, whatever its machine.
    package func takes(kind: String, event: String, from: String, to: String) -> Bool {
        if !kinds.isEmpty, !kinds.contains(where: { $0.rawValue == kind }) { return false }
        if !events.isEmpty, !events.contains(where: { $0.matches(event) }) { return false }
        return states.isEmpty
            || states.contains { SnapshotText.isActive($0, in: from) != SnapshotText.isActive($0, in: to) }
    }
}

/// Names of events, as transitions name them: `pay` is itself, `pay.*` is `pay` and all below it, `*` is every one.
package struct EventDescriptor: Sendable, Equatable {
    package let text: String
    private let prefix: CandidateTable.Prefix?

    package init(_ text: String) {
        self.text = text
        prefix =
            text.hasSuffix(".*") ? CandidateTable.Prefix(name: String(text.dropLast(2)), transitions: []) : nil
    }

    /// Whether an event has such a name.
    package func matches(_ event: String) -> Bool {
        if let prefix { return prefix.matches(event) }
        return text == "*" || text == event
    }

    package static func == (lhs: Self, rhs: Self) -> Bool { lhs.text == rhs.text }
}

/// A journal row as those see it who read the journal of all instances.
package struct ListedRow: Sendable, Equatable {
    package let row: JournalRecord
    /// The instance's name.
    package let instance: InstanceName
    package let machine: MachineName
    package let version: MachineVersion
    /// Whether it records that a retry failed: its instance had failed before.
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
    /// Those that were wanted.
    package var rows: [ListedRow]
    /// Up to where it was read, wanted or not.
    package var through: Position
    /// Whether nothing stood behind it; false where nobody looked.
    package var isLast: Bool

    package init(rows: [ListedRow] = [], through: Position, isLast: Bool) {
        self.rows = rows
        self.through = through
        self.isLast = isLast
    }
}

/// How far a journal was read.
package struct JournalReach: Sendable, Equatable {
    /// Up to where it was read, wanted or not.
    package var through: Position
    /// Whether nothing stood behind it; false where nobody looked.
    package var isLast: Bool

    package init(through: Position, isLast: Bool) {
        self.through = through
        self.isLast = isLast
    }
}

extension Position {
    /// Before every position of a partition.
    package static func beginning(of partition: PartitionID) -> Position {
        Position(rawValue: partition.rawValues.lowerBound)
    }
}

extension SnapshotText {
    /// Whether a state is active in a configuration: the paths of leaves, joined by commas.
    package static func isActive(_ state: String, in configuration: String) -> Bool {
        configuration.utf8.split(separator: UInt8(ascii: ",")).contains { leaf in
            leaf.starts(with: state.utf8)
                && (leaf.count == state.utf8.count || leaf.dropFirst(state.utf8.count).first == UInt8(ascii: "."))
        }
    }
}
