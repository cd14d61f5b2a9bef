/// An effect that lives while its state is active: its end comes back to the instance as an event.
package struct Invocation: Sendable {
    /// What `done.invoke.<id>` and `error.invoke.<id>` name; unique in its machine.
    package let id: String
    package let task: TaskInvocation
    /// How long it may take, all attempts and the waiting between them; nil for as long as it takes.
    package let timeout: Delay?
    package let retry: RetryPolicy
    /// The line of the definition on which it stands.
    package let line: Int

    package init(id: String, task: TaskInvocation, timeout: Delay?, retry: RetryPolicy, line: Int) {
        self.id = id
        self.task = task
        self.timeout = timeout
        self.retry = retry
        self.line = line
    }
}

/// Work that is handed to whoever asks a queue for it.
package struct TaskInvocation: Sendable {
    /// The priority of tasks that say none.
    package static let priority: Int64 = 3
    /// The first comes first.
    package static let priorities: ClosedRange<Int64> = 1...5

    package let queue: String
    /// What the worker is given; nil for nothing.
    package let input: Template?
    /// Gives a number of `priorities`; nil for `priority`.
    package let priority: Expression?

    package init(queue: String, input: Template?, priority: Expression?) {
        self.queue = queue
        self.input = input
        self.priority = priority
    }
}

/// What becomes of an attempt that failed.
package struct RetryPolicy: Sendable, Equatable {
    /// How many attempts there are, the first among them; nil for any number.
    package var attempts: Int? = 10
    /// Milliseconds before the second attempt.
    package var first: Int64 = 1_000
    /// How much longer each wait is than the one before.
    package var factor: Double = 2
    /// The longest wait in milliseconds.
    package var limit: Int64 = 300_000
    /// By what part of itself a wait may be longer or shorter.
    package var jitter: Double = 0.2
    /// Types of errors after which nothing is tried again.
    package var except: [String] = []

    package init() {}

    /// How many attempts a definition may ask for.
    package static let attemptRange = 1...1_000
    package static let factorRange = 1.0...100.0
}
