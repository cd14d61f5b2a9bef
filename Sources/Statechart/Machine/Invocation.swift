/// An effect that lives while its state is active: its end comes back to the instance as an event.
package struct Invocation: Sendable {
    /// What `done.invoke.<id>` and `error.invoke.<id>` name; unique in its machine.
    package let id: String
    package let action: EffectAction
    /// How long it may take, all attempts and the waiting between them; nil for as long as it takes.
    package let timeout: Delay?
    package let retry: RetryPolicy
    /// The line of the definition on which it stands.
    package let line: Int

    package init(id: String, action: EffectAction, timeout: Delay?, retry: RetryPolicy, line: Int) {
        self.id = id
        self.action = action
        self.timeout = timeout
        self.retry = retry
        self.line = line
    }
}

/// An effect whose end nobody waits for: it outlives the state and the instance.
package struct Call: Sendable {
    package let action: EffectAction
    package let retry: RetryPolicy
    /// The line of the definition on which it stands.
    package let line: Int

    package init(action: EffectAction, retry: RetryPolicy, line: Int) {
        self.action = action
        self.retry = retry
        self.line = line
    }
}
