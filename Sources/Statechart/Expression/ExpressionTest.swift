import WorkflowCEL

/// Decides whether a machine can use a text as an expression.
package struct ExpressionTest: Sendable {
    private let environment: Environment

    /// - Parameters:
    ///   - keys: The keys of the machine's context.
    ///   - guards: The names of the machine's guards.
    package init(contextKeys keys: [String], guards: [String]) {
        environment = Vocabulary.environment(contextKeys: keys, guards: guards)
    }

    /// Returns the reason why a text is not an expression of known names; `nil` if it is one. Reading a key that the
    /// context lacks is allowed, because only some machines treat such a key as a mistake.
    package func mistake(in text: String) -> String? {
        let compilation = Program.compile(text, in: environment)
        guard compilation.program == nil else { return nil }
        return compilation.issues.first { $0.kind != .unknownField }?.message ?? "it cannot be compiled"
    }

    /// Returns the reason why a text is not an expression that returns true or false; `nil` if it may be one.
    package func mistake(inGuard text: String) -> String? {
        let type = Program.compile(text, in: environment).program?.type
        guard let type, type != .bool, type != .dyn else { return mistake(in: text) }
        return "a guard gives true or false, this one gives \(type.description)"
    }

    /// Returns true if a guard can have this name: the name is valid and has no other meaning.
    package static func isFree(_ name: String) -> Bool {
        let alone = Program.compile(name, in: Environment(variables: []))
        return !Vocabulary.taken.contains(name) && alone.program == nil
            && alone.issues.allSatisfy { $0.kind == .unknownVariable }
    }
}
