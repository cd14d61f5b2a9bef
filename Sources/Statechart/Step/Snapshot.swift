package import WorkflowJSON

/// All that an instance is after a macrostep; with the machine it decides everything that follows.
package struct Snapshot: Sendable, Equatable {
    /// Whether the machine still runs.
    package enum Status: String, Sendable {
        case running, done
        /// An event that nobody waited for could not be applied; it is set aside until somebody looks.
        case failed
        /// Somebody has stopped it: what comes waits until it is resumed.
        case suspended
        /// Somebody has ended it.
        case cancelled
    }

    /// How many macrosteps led to it; 0 before the first.
    package var seq: Int64
    package var status: Status
    /// The active states, the root among them, in document order.
    package var configuration: [StateIndex]
    package var context: JSONObject
    /// What the history states remember, in their document order.
    package var memory: [HistoryMemory]
    /// What will come by itself, in the order in which it was armed.
    package var armed: [Pending]
    /// What the final state at the top gave; nil before, and when it gives nothing.
    package var output: JSONValue?

    package init(
        seq: Int64 = 0, status: Status, configuration: [StateIndex], context: JSONObject, memory: [HistoryMemory],
        armed: [Pending] = [], output: JSONValue? = nil
    ) {
        self.seq = seq
        self.status = status
        self.configuration = configuration
        self.context = context
        self.memory = memory
        self.armed = armed
        self.output = output
    }
}

extension Snapshot {
    /// The invocation whose end an input is; nil of everything else, and when what the instance failed on is taken
    /// again.
    ///
    /// - Parameter input: Of the instance as it is now.
    package func ended(by input: Input) -> Pending.ID? {
        guard let id = input.taken?.id, let pending = armed.first(where: { $0.id == id }) else { return nil }
        return pending.kind == .invocation && !pending.isKept ? id : nil
    }
}

/// What one history state remembers.
package struct HistoryMemory: Sendable, Equatable {
    package let history: StateIndex
    /// Shallow: the children that were active. Deep: the leaves. In document order.
    package let states: [StateIndex]

    package init(history: StateIndex, states: [StateIndex]) {
        self.history = history
        self.states = states
    }
}

/// The stored form of a snapshot: plain text and canonical JSON, the same to the byte for equal snapshots.
package struct SnapshotText: Sendable, Equatable {
    /// The paths of the active leaves, joined by commas.
    package var configuration: String
    package var context: String
    /// Path of the history state → list of paths.
    package var memory: String
    /// List of `Pending`, in the order in which they were armed; in an instance's row each says the `position` of the
    /// row that armed it.
    package var armed: String
    /// Nil when there is none.
    package var output: String?

    package init(
        configuration: String, context: String, memory: String, armed: String = "[]", output: String? = nil
    ) {
        self.configuration = configuration
        self.context = context
        self.memory = memory
        self.armed = armed
        self.output = output
    }
}
