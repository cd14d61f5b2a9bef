import WorkflowStore

/// The instance that has been in a state for longest.
enum LongestStay: Sendable, Equatable {
    /// The instances must be searched.
    case unknown
    /// No instance is in the state.
    case none
    case held(InstanceID, since: Timestamp)

    /// Takes a row with which an instance left the state.
    mutating func left(by instance: InstanceID) {
        if case .held(instance, _) = self { self = .unknown }
    }

    /// Takes a row with which an instance entered the state; instances in it entered earlier.
    mutating func entered(by instance: InstanceID, at time: Timestamp) {
        if self == .none { self = .held(instance, since: time) }
    }
}

/// A search for the longest stays, page by page of the instances.
struct StayScan: Sendable {
    /// The end of the last page; `nil` before the first.
    var after: InstanceListPosition?
    /// The longest stays so far, by the places of states.
    private(set) var longest: [Int: (instance: InstanceID, since: Timestamp)] = [:]

    /// Returns true if the instance could have been in a state for longer than those so far.
    func wants(_ record: InstanceRecord, in state: Int) -> Bool {
        longest[state].map { record.created < $0.since } ?? true
    }

    mutating func take(_ instance: InstanceID, in state: Int, since: Timestamp) {
        if longest[state].map({ since < $0.since }) ?? true { longest[state] = (instance, since) }
    }
}
