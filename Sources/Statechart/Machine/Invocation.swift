/// An effect that lasts as long as its state is active. Its result returns to the instance as an event.
package struct Invocation: Sendable {
    /// The id in `done.invoke.<id>` and `error.invoke.<id>`; unique in its machine.
    package let id: String
    package let action: EffectAction
    /// The longest duration, with all attempts and the pauses between them; `nil` for no limit.
    package let timeout: Delay?
    package let retry: RetryPolicy
    /// The line of the definition on which the invocation stands.
    package let line: Int
}

/// An effect whose result is not awaited. A call outlives its state and its instance.
package struct Call: Sendable {
    package let action: EffectAction
    package let retry: RetryPolicy
    /// The line of the definition on which the call stands.
    package let line: Int
}
