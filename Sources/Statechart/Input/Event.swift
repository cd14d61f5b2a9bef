package import WorkflowJSON

/// What expressions see as `event`.
package struct Event: Sendable, Equatable {
    package let name: String
    package let data: JSONValue?
    /// Logical time: of a timer when it was due.
    package let at: LogicalTime

    package init(name: String, data: JSONValue? = nil, at: LogicalTime = .zero) {
        self.name = name
        self.data = data
        self.at = at
    }
}

/// A moment of an instance's own time line, in milliseconds since 1970, UTC. The step never reads a clock.
package struct LogicalTime: Hashable, Comparable, Sendable {
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// 1970-01-01T00:00:00Z.
    package static let zero = LogicalTime(milliseconds: 0)

    package static func < (lhs: LogicalTime, rhs: LogicalTime) -> Bool { lhs.milliseconds < rhs.milliseconds }
}

/// What an instance knows of itself: `instance` in expressions.
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
