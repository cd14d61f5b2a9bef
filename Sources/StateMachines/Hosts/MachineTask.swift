public import WorkflowJSON
internal import WorkflowRules

/// Work that a state gives to a worker: `Invoke(task: Stock.self, …)` in a definition, `invoke: {task: stock}` in YAML.
public protocol MachineTask: Sendable {
    /// The type of the worker's input: the value of `input` in the definition.
    associatedtype Input: Decodable & Sendable
    /// The type of the worker's result: `event.data` of `OnDone`.
    associatedtype Output: Encodable & Sendable

    /// The name of the queue.
    static var queue: String { get }
}

/// One attempt at a task, as the worker gets it.
public struct TaskAttempt<T: MachineTask>: Sendable {
    /// The instance that waits for the result.
    public let instance: String
    /// The id of the invocation.
    public let id: String
    /// The input from the definition.
    public let input: T.Input
    /// The idempotency key for services that the worker calls: the same for all attempts, and unique to the task.
    public let key: String
    /// The number of the attempt; the first is 1.
    public let attempt: Int
    /// The progress that an earlier attempt reported; `nil` if none did.
    public let progress: JSONValue?

    let source: any TaskSource
    let token: String

    /// Reports the progress of the work, up to 16 KiB of JSON. The next attempt gets the value as `progress`. Throws
    /// `lease-lost` if the result is no longer needed.
    ///
    /// The worker extends the lease without calls of this function.
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

/// An error that a worker throws to describe a failed attempt. Any other error has the type `failed`, and is retried.
public struct TaskFailure: Error, Sendable, Hashable {
    /// The name of the failure for `retry: {on: […]}` and `event.data.type`: letters, digits, `-`, `_` and `.`.
    public var type: String
    /// The description for people; cut after 1,000 bytes.
    public var message: String
    /// The data for the machine: `event.data.details`. Details of more than 16 KiB of JSON are left out.
    public var details: JSONValue?
    /// True if a retry makes sense. False ends the invocation at once, with `OnError`.
    public var retry: Bool
    /// The wait before the next attempt, in whole seconds; `nil` for the wait from the definition.
    public var retryAfter: Duration?

    public init(
        type: String = "failed", message: String, details: JSONValue? = nil, retry: Bool = true,
        retryAfter: Duration? = nil
    ) {
        (self.type, self.message, self.details) = (type, message, details)
        (self.retry, self.retryAfter) = (retry, retryAfter)
    }
}

/// The options of a worker.
public struct WorkOptions: Sendable, Hashable {
    /// The number of tasks that run at a time.
    public let concurrency: Int
    /// The time after which a silent worker loses a task to other workers: 5 seconds to an hour. The worker extends its
    /// lease three times in this time.
    public let lease: Duration
    /// The time that running tasks have after the worker is cancelled; then they are cancelled too.
    public let grace: Duration

    /// Creates options. Throws `invalid-request` for a lease or a number of tasks that no host accepts.
    public init(
        concurrency: Int = 1, lease: Duration = .seconds(30), grace: Duration = .seconds(10)
    ) throws(HostError) {
        guard concurrency > 0 else {
            throw Self.refused("A worker cannot run \(concurrency) tasks at a time: it runs at least 1")
        }
        let seconds = APILimits.leaseSeconds
        guard lease >= .seconds(seconds.lowerBound), lease <= .seconds(seconds.upperBound) else {
            throw Self.refused("A lease cannot be \(lease): it is 5 seconds to an hour")
        }
        (self.concurrency, self.lease, self.grace) = (concurrency, lease, grace)
    }

    private static func refused(_ message: String) -> HostError {
        HostError(code: ProblemType.invalidRequest.rawValue, message: message)
    }
}

extension TaskFailure {
    /// The failure within the API's bounds, which all hosts require.
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
            // Fractions of a second are rounded up.
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
