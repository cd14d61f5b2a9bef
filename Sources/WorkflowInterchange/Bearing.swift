import Statechart

/// What something that is left out of a machine could have changed in it.
struct Bearing: Equatable {
    /// The machine's course itself, or what others get of it: a guard, a delay, a target, an event, its output, the
    /// input of a task.
    private(set) var isOnCourse = false
    /// The data of events, which guards may read.
    private(set) var isOnEventData = false
    /// Every key of the context: code that nobody read may write any.
    private(set) var isOnAllKeys = false
    /// Whether something failed, where the machine takes `error.execution`.
    private(set) var isOnErrors = false
    /// These keys of the context.
    private(set) var keys: Set<String> = []

    /// Nothing that a machine reads: logs, what means nothing in the original either.
    static let nothing = Bearing()
    static let course = Bearing(isOnCourse: true)
    static let eventData = Bearing(isOnEventData: true)
    static let allKeys = Bearing(isOnAllKeys: true)
    static let errors = Bearing(isOnErrors: true)

    /// Some keys of the context.
    static func keys(_ keys: Set<String>) -> Bearing { Bearing(keys: keys) }

    /// What either of both could have changed.
    func union(_ other: Bearing) -> Bearing {
        Bearing(
            isOnCourse: isOnCourse || other.isOnCourse, isOnEventData: isOnEventData || other.isOnEventData,
            isOnAllKeys: isOnAllKeys || other.isOnAllKeys, isOnErrors: isOnErrors || other.isOnErrors,
            keys: keys.union(other.keys))
    }
}

/// What decides where a machine goes.
struct DecisiveParts {
    private let data: DecisiveData
    /// Whether something takes the event of an action that failed.
    private let hasTakerOfErrors: Bool

    init(of machine: Machine) {
        data = DecisiveData(of: machine)
        hasTakerOfErrors = machine.transitions.contains { transition in
            transition.descriptor.map { XStateDifferences.takes($0, "error.execution") } ?? false
        }
    }

    /// Whether the machine can go elsewhere without what was left out. This is the only place that decides it.
    func decide(_ bearing: Bearing) -> Bool {
        bearing.isOnCourse || bearing.isOnEventData && data.hasEventData || bearing.isOnErrors && hasTakerOfErrors
            || bearing.isOnAllKeys && !data.isEmpty || bearing.keys.contains { data.has(key: $0) }
    }
}
