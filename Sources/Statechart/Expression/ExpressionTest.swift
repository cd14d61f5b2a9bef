import WorkflowCEL

/// Tells texts that a machine can use as expressions from all others.
package struct ExpressionTest: Sendable {
    private let environment: Environment

    /// - Parameters:
    ///   - keys: The keys of the machine's context.
    ///   - guards: The names of the machine's guards.
    package init(contextKeys keys: [String], guards: [String]) {
        environment = Vocabulary.environment(contextKeys: keys, guards: guards)
    }

    /// Why a text is no expression of known names; nil when it is one. Reading a key that the context lacks is allowed:
    /// whether it is a mistake depends on the machine.
    package func mistake(in text: String) -> String? {
        let compilation = Program.compile(text, in: environment)
        guard compilation.program == nil else { return nil }
        return compilation.issues.first { $0.kind != .unknownField }?.message ?? "it cannot be compiled"
    }

    /// Why a text is no expression that gives true or false; nil when it may be one.
    package func mistake(inGuard text: String) -> String? {
        let type = Program.compile(text, in: environment).program?.type
        guard let type, type != .bool, type != .dyn else { return mistake(in: text) }
        return "a guard gives true or false, this one gives \(type.description)"
    }

    /// Whether a guard can have this name: it means nothing yet.
    package static func isFree(_ name: String) -> Bool {
        let alone = Program.compile(name, in: Environment(variables: []))
        return !Vocabulary.taken.contains(name) && alone.program == nil
            && alone.issues.allSatisfy { $0.kind == .unknownVariable }
    }
}
