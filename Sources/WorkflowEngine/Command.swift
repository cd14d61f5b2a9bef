package import JSON
package import Statechart
package import WorkflowStore

/// A definition to store.
package struct ApplyCommand: Sendable {
    /// The text exactly as given.
    let source: String
    let machine: Machine
}

/// An instance to start.
package struct StartCommand: Sendable {
    /// The machine's name.
    package var machine: String
    /// Nil for the latest.
    package var version: Int64?
    /// Nil to have one made.
    package var instance: String?
    package var data: JSONObject
    /// The caller's; the same start with the same key is done once.
    package var key: RequestKey?

    package init(
        machine: String, version: Int64? = nil, instance: String? = nil, data: JSONObject = JSONObject(),
        key: RequestKey? = nil
    ) {
        self.machine = machine
        self.version = version
        self.instance = instance
        self.data = data
        self.key = key
    }

    /// The event that the start is.
    func event(at time: LogicalTime) -> Event {
        Event(name: "init", data: data.isEmpty ? nil : .object(data), at: time)
    }
}

/// An event for an instance.
package struct SendCommand: Sendable {
    package var instance: String
    package var event: Event
    /// The seq that the instance must have; nil for any.
    package var expectedSeq: Seq?
    /// The path of a state that must be active; nil for any.
    package var expectedState: String?
    /// Asks what would happen, and changes nothing.
    package var isDryRun: Bool
    /// Asks which transitions are tried and what their guards read; of a dry run only.
    package var isExplained: Bool
    /// Whether the answer says the context. Without it, an answer that waits holds none.
    package var wantsContext: Bool
    /// The caller's; the same event with the same key is applied once.
    package var key: RequestKey?

    package init(
        instance: String, event: Event, expectedSeq: Seq? = nil, expectedState: String? = nil, isDryRun: Bool = false,
        isExplained: Bool = false, wantsContext: Bool = true, key: RequestKey? = nil
    ) {
        self.instance = instance
        self.event = event
        self.expectedSeq = expectedSeq
        self.expectedState = expectedState
        self.isDryRun = isDryRun
        self.isExplained = isExplained
        self.wantsContext = wantsContext
        self.key = key
    }
}

/// A failed instance to go on with.
package struct RetryCommand: Sendable {
    package var instance: String
    /// The seq that the instance must have; nil for any.
    package var expectedSeq: Seq?

    package init(instance: String, expectedSeq: Seq? = nil) {
        self.instance = instance
        self.expectedSeq = expectedSeq
    }
}

/// What is asked of the writer.
enum Command: Sendable {
    case apply(ApplyCommand)
    case start(StartCommand)
    case send(SendCommand)
    case retry(RetryCommand)
    /// Events that are applied all or not at all.
    case sendTogether([SendCommand])
    /// Moves a virtual clock.
    case moveClock(to: Timestamp)

    /// Whether it is one that the writer itself carries out.
    var isClockMove: Bool {
        if case .moveClock = self { true } else { false }
    }

    /// Whether applying it may take longer than a batch.
    var isLong: Bool {
        if case .sendTogether = self { true } else { false }
    }
}

/// What the writer says when it has done it, and it is on disk. Small, because it is moved often.
enum Answer: Sendable {
    indirect case applied(AppliedMachine)
    indirect case started(InstanceView)
    case sent(SentEvent)
    case sentTogether([Answer])
    /// A key that was used before: its row in the journal, from which the first answer is made again.
    case repeated(Position)
    indirect case clockMoved(ClockMove)
}

/// The answer to an apply.
package struct AppliedMachine: Sendable {
    package let record: MachineRecord
    /// False when this text was the latest version already.
    package let isNew: Bool
}

/// An instance, with the machine that it runs.
package struct InstanceView: Sendable {
    package let record: InstanceRecord
    package let machine: MachineRecord
    /// Why it failed; nil when it has not.
    package let failure: InstanceFailure?
    /// Whether this is the answer to an earlier start with the same key, given again.
    package var isRepeated = false
}

/// The event that a failed instance could not take, and why.
package struct InstanceFailure: Sendable {
    package let reason: RecordedFailure
    /// The event's.
    package let data: JSONValue?
    /// The name of the machine.
    package let machine: String
    /// Of the row that records it.
    package let seq: Seq
    /// Of the row that records it.
    package let at: Timestamp
}

/// How far a virtual clock was moved.
package struct ClockMove: Sendable, Equatable {
    /// What it shows now.
    package let now: Timestamp
    /// Timers that fired on the way.
    package let fired: Int
    /// Whether it is where it was to go; there are timers to fire on the way when it is not.
    package let isDone: Bool
}
