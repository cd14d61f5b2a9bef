package import WorkflowJSON

/// The state of an instance after a macrostep. Snapshot and machine determine all further steps.
package struct Snapshot: Sendable, Equatable {
    /// The status of an instance.
    package enum Status: String, Sendable {
        case running, done
        /// An event without a waiting caller could not be applied; the event is kept until an operator acts.
        case failed
        /// An operator has suspended the instance; due items wait until it is resumed.
        case suspended
        /// An operator has ended the instance.
        case cancelled
    }

    /// The number of macrosteps that led to the snapshot; 0 before the first.
    package var seq: Int64
    package var status: Status
    /// The active states, including the root, in document order.
    package var configuration: [StateIndex]
    package var context: JSONObject
    /// The memory of the history states, in their document order.
    package var memory: [HistoryMemory]
    /// The pending items, in the order in which they were armed.
    package var armed: [Pending]
    /// The output of the top-level final state; `nil` before it is reached, and if it has no output.
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
    /// Returns the invocation that an input ends. Returns `nil` for every other input, and if the instance takes again
    /// an item that it failed on.
    ///
    /// - Parameter input: An input for the instance in this snapshot.
    package func ended(by input: Input) -> Pending.ID? {
        guard let id = input.taken?.id, let pending = armed.first(where: { $0.id == id }) else { return nil }
        return pending.kind == .invocation && !pending.isKept ? id : nil
    }
}

/// The memory of one history state.
package struct HistoryMemory: Sendable, Equatable {
    package let history: StateIndex
    /// The remembered states in document order: the active children for shallow history, the active leaves for deep
    /// history.
    package let states: [StateIndex]
}

/// The stored form of a snapshot: plain text and canonical JSON. Equal snapshots have equal bytes.
package struct SnapshotText: Sendable, Equatable {
    /// The paths of the active leaves, joined by commas.
    package var configuration: String
    package var context: String
    /// A map from the path of each history state to a list of paths.
    package var memory: String
    /// A list of `Pending`, in the order in which they were armed. In an instance's row each entry has the `position`
    /// of the row that armed it.
    package var armed: String
    /// The output; `nil` if there is none.
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
