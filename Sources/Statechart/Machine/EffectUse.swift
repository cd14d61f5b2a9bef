/// A place where a machine requests an effect.
package struct EffectUse: Sendable {
    package let action: EffectAction
    /// The line in the definition.
    package let line: Int

    /// Returns the invocations and calls of a machine, by line.
    static func all(in states: [State], _ transitions: [Transition]) -> [EffectUse] {
        let invoked = states.flatMap(\.invocations).map { EffectUse(action: $0.action, line: $0.line) }
        let actions =
            states.flatMap { $0.entry + $0.exit + ($0.initial?.actions ?? []) } + transitions.flatMap(\.actions)
        let called = actions.flatMap(\.calls).map { EffectUse(action: $0.action, line: $0.line) }
        return (invoked + called).sorted { $0.line < $1.line }
    }

    /// Returns a warning at the effect's line, for a person who applies a machine whose effect cannot start yet.
    package func warning(_ message: String) -> Diagnostic {
        Diagnostic(.warning, line: line, column: 1, message: message)
    }
}
