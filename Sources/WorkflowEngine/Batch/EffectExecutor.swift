package import Statechart
package import WorkflowJSON
package import WorkflowStore

/// Does what instances ask of the world, where the daemon does it itself: calls over HTTP, programs.
package protocol EffectExecutor: Sendable {
    /// What the names of its queues begin with, as `http:`.
    var queues: String { get }

    /// How many run at a time in all.
    var places: Int { get }

    /// How many of one queue run at a time, unless somebody has set another number.
    var placesOfQueue: Int { get }

    /// Keeps the begins of its attempts, where one may end the daemon itself; nil where none can.
    var log: (any AttemptLog)? { get }

    /// Why an effect would be held, in words for whoever applies its machine; empty as far as nothing is missing.
    func missing(for action: EffectAction) async -> [String]

    /// Carries out one attempt. Ends early when its task is cancelled: then nobody wants to know what came of it.
    func run(_ attempt: EffectAttempt) async -> AttemptOutcome
}

/// One attempt at an effect.
package struct EffectAttempt: Sendable {
    /// Who serves it, as `http:pay.example.com:443`.
    package let queue: String
    /// The id of the invocation, or what a `call` is known by.
    package let name: String
    package let instance: InstanceName
    /// Of the instance.
    package let uuid: UniqueID
    /// 1 for the first.
    package let number: Int64
    /// The same for every attempt, also after a restore, and never for two requests.
    package let key: UniqueID
    /// When it begins.
    package let begun: Timestamp
    /// What is asked.
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

/// What came of an attempt.
package enum AttemptOutcome: Sendable, Equatable {
    /// The output.
    case done(JSONValue)
    case failed(TaskFailure)
    /// It cannot be tried before somebody gives the daemon what it needs: what that is.
    case held(String)
}
