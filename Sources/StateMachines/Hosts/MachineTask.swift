internal import WorkflowAPI
public import WorkflowJSON

/// What a state hands to a worker: `Invoke(task: Stock.self, …)` in a definition, `invoke: {task: stock}` in YAML.
public protocol MachineTask: Sendable {
    /// What a worker is given: what the definition says under `input`.
    associatedtype Input: Decodable & Sendable
    /// What it sends back: `event.data` of `OnDone`.
    associatedtype Output: Encodable & Sendable

    /// The name of the queue.
    static var queue: String { get }
}

/// One attempt at a task, as its worker gets it.
public struct TaskAttempt<T: MachineTask>: Sendable {
    /// The instance that waits for the result.
    public let instance: String
    /// The id of the invocation.
    public let id: String
    /// What the definition says.
    public let input: T.Input
    /// The same for all attempts, and of no other task: an idempotency key for the services that a worker calls.
    public let key: String
    /// 1 for the first.
    public let attempt: Int
    /// What an earlier attempt has told; nil when none has.
    public let progress: JSONValue?

    let source: any TaskSource
    let token: String

    /// Tells how far the work is: the next attempt gets it as `progress`, up to 16 KiB of JSON. Throws `lease-lost`
    /// when the work is of no use any more.
    ///
    /// That somebody is at work the worker tells by itself.
    public func heartbeat(progress: JSONValue? = nil) async throws(HostError) {
        let bytes = progress.map { JSONWriter.bytes($0).count } ?? 0
        guard bytes <= APILimits.taskNoteBytes else {
            throw HostError(
                code: ProblemType.invalidData.rawValue,
                message: "The progress of '\(instance)' has \(bytes) bytes, more than \(APILimits.taskNoteBytes)")
        }
        try await source.prolong(token, progress: progress)
    }
}

/// What a worker throws to say how an attempt failed. Any other error has the type `failed`, and is tried again.
public struct TaskFailure: Error, Sendable, Hashable {
    /// Letters, digits, `-`, `_` and `.`. The name that `retry: {on: […]}` and `event.data.type` use.
    public var type: String
    /// For people; cut after 1,000 bytes.
    public var message: String
    /// For the machine: `event.data.details`. Left out when it has more than 16 KiB of JSON.
    public var details: JSONValue?
    /// Whether trying again makes sense. False ends the invocation at once, with `OnError`.
    public var retry: Bool
    /// How long to wait before the next attempt, in whole seconds; nil for what the definition says.
    public var retryAfter: Duration?

    public init(
        type: String = "failed", message: String, details: JSONValue? = nil, retry: Bool = true,
        retryAfter: Duration? = nil
    ) {
        (self.type, self.message, self.details) = (type, message, details)
        (self.retry, self.retryAfter) = (retry, retryAfter)
    }
}

/// How a worker works.
public struct WorkOptions: Sendable, Hashable {
    /// Tasks at a time.
    public var concurrency: Int
    /// How long a task may be without a sign of life before others get it: 5 seconds to an hour. The worker gives three
    /// in this time.
    public var lease: Duration
    /// How long tasks that run may go on when the worker is cancelled; then they are cancelled too.
    public var grace: Duration

    public init(concurrency: Int = 1, lease: Duration = .seconds(30), grace: Duration = .seconds(10)) {
        precondition(concurrency > 0, "a worker has a place for a task")
        let seconds = APILimits.leaseSeconds
        precondition(
            lease >= .seconds(seconds.lowerBound) && lease <= .seconds(seconds.upperBound),
            "a lease is 5 seconds to an hour")
        (self.concurrency, self.lease, self.grace) = (concurrency, lease, grace)
    }
}

extension TaskFailure {
    /// As all hosts take it: within the bounds of the API.
    var bounded: TaskFailure {
        let allowed = type.utf8.prefix(APILimits.errorTypeBytes.upperBound).map { byte in
            Self.isAllowed(byte) ? byte : UInt8(ascii: "-")
        }
        var failure = self
        failure.type = allowed.isEmpty ? "failed" : String(decoding: allowed, as: UTF8.self)
        var bytes = 0
        failure.message = String(
            message.prefix { character in
                bytes += character.utf8.count
                return bytes <= APILimits.errorMessageBytes
            })
        let isLong = details.map { JSONWriter.bytes($0).count > APILimits.taskNoteBytes } ?? false
        if isLong { failure.details = nil }
        failure.retryAfter = retryAfter.map { wait in
            let bounds = APILimits.retryAfterSeconds
            let longest = Int64(bounds.upperBound) * 1_000
            // A part of a second is a second.
            return .seconds((min(max(wait.wholeMilliseconds, 0), longest) + 999) / 1_000)
        }
        return failure
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
