import Statechart

/// What something that is left out of a machine could have changed in it.
struct Bearing: Equatable {
    /// The machine's course itself: a guard, a delay, a target, an event.
    private(set) var isOnCourse = false
    /// The data of events, which guards may read.
    private(set) var isOnEventData = false
    /// Every key of the context: code that nobody read may write any.
    private(set) var isOnAllKeys = false
    /// These keys of the context.
    private(set) var keys: Set<String> = []

    /// Nothing that a machine reads: logs, its output, what means nothing in the original either.
    static let nothing = Bearing()
    static let course = Bearing(isOnCourse: true)
    static let eventData = Bearing(isOnEventData: true)
    static let allKeys = Bearing(isOnAllKeys: true)

    /// Some keys of the context.
    static func keys(_ keys: Set<String>) -> Bearing { Bearing(keys: keys) }

    /// What either of both could have changed.
    func union(_ other: Bearing) -> Bearing {
        Bearing(
            isOnCourse: isOnCourse || other.isOnCourse, isOnEventData: isOnEventData || other.isOnEventData,
            isOnAllKeys: isOnAllKeys || other.isOnAllKeys, keys: keys.union(other.keys))
    }
}

extension DecisiveData {
    /// Whether the machine can go elsewhere without what was left out. This is the only place that decides it.
    func decide(_ bearing: Bearing) -> Bool {
        bearing.isOnCourse || bearing.isOnEventData && hasEventData
            || bearing.isOnAllKeys && !isEmpty || bearing.keys.contains { has(key: $0) }
    }
}
