import Statechart

/// The parts of a machine that an omitted element could have changed.
struct Bearing: Equatable {
    /// True for the machine's course and its outward effects: a guard, a delay, a target, an event, its output, the
    /// input of a task.
    private(set) var isOnCourse = false
    /// True for the data of events, which guards may read.
    private(set) var isOnEventData = false
    /// True for every key of the context, because unread code may write any key.
    private(set) var isOnAllKeys = false
    /// True for a failure, if the machine takes `error.execution`.
    private(set) var isOnErrors = false
    /// The affected keys of the context.
    private(set) var keys: Set<String> = []

    /// No part that a machine reads: logs, and elements without meaning in the original.
    static let nothing = Bearing()
    static let course = Bearing(isOnCourse: true)
    static let eventData = Bearing(isOnEventData: true)
    static let allKeys = Bearing(isOnAllKeys: true)
    static let errors = Bearing(isOnErrors: true)

    /// Returns the bearing on some keys of the context.
    static func keys(_ keys: Set<String>) -> Bearing { Bearing(keys: keys) }

    /// Returns the parts that either bearing affects.
    func union(_ other: Bearing) -> Bearing {
        Bearing(
            isOnCourse: isOnCourse || other.isOnCourse, isOnEventData: isOnEventData || other.isOnEventData,
            isOnAllKeys: isOnAllKeys || other.isOnAllKeys, isOnErrors: isOnErrors || other.isOnErrors,
            keys: keys.union(other.keys))
    }
}

/// The parts that determine the course of a machine.
struct DecisiveParts {
    private let data: DecisiveData
    /// True if a transition takes the event of a failed action.
    private let hasTakerOfErrors: Bool

    init(of machine: Machine) {
        data = DecisiveData(of: machine)
        hasTakerOfErrors = machine.transitions.contains { transition in
            transition.descriptor.map { XStateDifferences.takes($0, "error.execution") } ?? false
        }
    }

    /// Returns true if the omission can change the course of the machine. Only this function decides that.
    func decide(_ bearing: Bearing) -> Bool {
        bearing.isOnCourse || bearing.isOnEventData && data.hasEventData || bearing.isOnErrors && hasTakerOfErrors
            || bearing.isOnAllKeys && !data.isEmpty || bearing.keys.contains { data.has(key: $0) }
    }
}
