package import WorkflowJSON

/// An event as expressions see it, under the name `event`.
package struct Event: Sendable, Equatable {
    package let name: String
    package let data: JSONValue?
    /// The logical time; for a timer, its due time.
    package let at: LogicalTime

    package init(name: String, data: JSONValue? = nil, at: LogicalTime = .zero) {
        self.name = name
        self.data = data
        self.at = at
    }
}

/// A moment on an instance's own timeline, in milliseconds since 1970, UTC. The step never reads a clock.
package struct LogicalTime: Hashable, Comparable, Sendable {
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The time 1970-01-01T00:00:00Z.
    package static let zero = LogicalTime(milliseconds: 0)

    package static func < (lhs: LogicalTime, rhs: LogicalTime) -> Bool { lhs.milliseconds < rhs.milliseconds }
}

/// The identity of an instance, which expressions see as `instance`.
package struct InstanceIdentity: Sendable, Equatable {
    package let name: String
    package let version: Int64
    package let startedAt: LogicalTime

    package init(name: String, version: Int64, startedAt: LogicalTime) {
        self.name = name
        self.version = version
        self.startedAt = startedAt
    }
}
