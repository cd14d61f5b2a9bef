package import WorkflowStore

/// The rows that statistics are about.
package struct StatisticsQuery: Hashable, Sendable {
    package var machine: MachineName
    /// The version that took the steps; `nil` for all.
    package var version: MachineVersion?
    /// The time from which on rows count; `nil` for all rows.
    package var since: Timestamp?

    package init(machine: MachineName, version: MachineVersion? = nil, since: Timestamp? = nil) {
        self.machine = machine
        self.version = version
        self.since = since
    }

    /// Returns the query with an earlier `since`, which stays the same for a while. So the next query continues the
    /// counts of this one.
    func rounded(at now: Timestamp) -> StatisticsQuery {
        guard let since else { return self }
        let age = max(0, now.rawValue - since.rawValue)
        let unit: Int64 = [86_400_000, 3_600_000, 60_000].first { $0 <= age / 24 } ?? 1
        var query = self
        query.since = Timestamp(rawValue: since.rawValue - since.rawValue % unit)
        return query
    }
}

/// The numbers that a machine's rows lead to.
package struct MachineStatistics: Sendable, Equatable {
    /// A state and the stays in it. A stay begins with the row after which the state is active, and ends with the row
    /// after which it is not.
    package struct State: Sendable, Equatable {
        package var path: String
        /// The number of stays that began.
        package var visits: Int64 = 0
        /// The number of stays that ended, and whose begin is known.
        package var stays: Int64 = 0
        /// Milliseconds that half of these stays did not exceed.
        package var p50: Int64?
        /// Milliseconds that 95 % of these stays did not exceed.
        package var p95: Int64?
        /// The longest stay that lasts; `nil` if no instance is in the state, or it is not known yet.
        package var longest: (instance: InstanceName, since: Timestamp)?

        package static func == (lhs: State, rhs: State) -> Bool {
            (lhs.path, lhs.visits, lhs.stays, lhs.p50, lhs.p95) == (rhs.path, rhs.visits, rhs.stays, rhs.p50, rhs.p95)
                && lhs.longest?.instance == rhs.longest?.instance && lhs.longest?.since == rhs.longest?.since
        }
    }

    /// A change of the configuration by an event, and the number of rows with it.
    package struct Transition: Sendable, Equatable {
        package var event: String
        /// The leaves that were active before and not after; all leaves if none changed.
        package var from: [String]
        /// The leaves that were active after and not before; all leaves if none changed.
        package var to: [String]
        package var count: Int64
    }

    /// A reason of failures, and the number of rows with it.
    package struct Failure: Sendable, Equatable {
        package var event: String
        /// The reason; `nil` if a redaction erased it.
        package var reason: RecordedFailure?
        package var count: Int64
    }

    /// The numbers of things that are not listed, because there are too many.
    package struct Others: Sendable, Equatable {
        /// The number of rows that entered or left an unlisted state.
        package var states: Int64 = 0
        package var transitions: Int64 = 0
        package var failures: Int64 = 0

        package var isEmpty: Bool { self == Others() }
    }

    /// The query, with the time from which on rows were counted.
    package var query: StatisticsQuery
    /// True if all rows that were there when the caller asked are counted, and the longest stays are known.
    package var isComplete: Bool
    /// The approximate number of journal rows that were read, and of those to read.
    package var progress: VerificationProgress
    /// The number of counted rows.
    package var rows: Int64
    /// The number of rows that were counted for this answer.
    package var read: Int64
    package var states: [State]
    package var transitions: [Transition]
    package var failures: [Failure]
    package var others: Others
}
