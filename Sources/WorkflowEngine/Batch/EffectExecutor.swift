package import Statechart
package import WorkflowJSON
package import WorkflowStore

/// Carries out the effects that the daemon does itself: calls over HTTP, programs.
package protocol EffectExecutor: Sendable {
    /// The prefix of the names of its queues, such as `http:`.
    var queues: String { get }

    /// The number of effects that run at a time in all.
    var places: Int { get }

    /// The number of effects of one queue that run at a time, unless an operator has set another number.
    var placesOfQueue: Int { get }

    /// Stores the begin of each attempt if an attempt may end the daemon itself; `nil` if none can.
    var log: (any AttemptLog)? { get }

    /// Returns the reasons why an effect would be held, in words for the person who applies its machine; empty if
    /// nothing is missing.
    func missing(for action: EffectAction) async -> [String]

    /// Carries out one attempt. Ends early when its task is cancelled; then the outcome is not used.
    func run(_ attempt: EffectAttempt) async -> AttemptOutcome
}

/// One attempt at an effect.
package struct EffectAttempt: Sendable {
    /// The service of the effect, such as `http:pay.example.com:443`.
    package let queue: String
    /// The id of the invocation, or the name of a `call`.
    package let name: String
    package let instance: InstanceName
    /// The uuid of the instance.
    package let uuid: UniqueID
    /// The number of the attempt, 1 for the first.
    package let number: Int64
    /// The key of the effect: the same for every attempt, also after a restore, and never the same for two requests.
    package let key: UniqueID
    /// The time at which the attempt begins.
    package let begun: Timestamp
    /// The request.
    package let request: JSONObject

    package init(
        queue: String, name: String, instance: InstanceName, uuid: UniqueID, number: Int64, key: UniqueID,
        begun: Timestamp, request: JSONObject
    ) {
        self.queue = queue
        self.name = name
        self.instance = instance
        self.uuid = uuid
        self.number = number
        self.key = key
        self.begun = begun
        self.request = request
    }
}

/// The outcome of an attempt.
package enum AttemptOutcome: Sendable, Equatable {
    /// The output.
    case done(JSONValue)
    case failed(TaskFailure)
    /// The attempt cannot be made before the daemon gets what is missing; the text names the missing thing.
    case held(String)
}
