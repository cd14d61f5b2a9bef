import WorkflowCEL
package import WorkflowJSON

/// The result of one guard, with its reasons.
package struct GuardFinding: Sendable, Equatable {
    /// The guarded transition.
    package let transition: TransitionIndex
    /// The guard as written.
    package let expression: String
    /// The reason why the guard could not be evaluated; `nil` if the guard is false.
    package let failure: String?
    /// The values that the guard read, in the order of its text, followed by the reads of the named guards in it.
    package let reads: [ValueRead]

    /// The finding without the values that the guard read, and without the failure's message, which may quote data.
    package var withoutValues: GuardFinding {
        GuardFinding(
            transition: transition, expression: expression, failure: failure.map { _ in "it cannot be evaluated" },
            reads: [])
    }
}

/// A value that an expression read.
package struct ValueRead: Sendable, Equatable {
    /// The reference as written: `context.amount`.
    package let text: String
    /// The value; `nil` if it could not be read.
    package let value: JSONValue?
}

extension Expression {
    /// Returns the values that the expression reads, also through named guards.
    func reads(in scope: Scope) -> [ValueRead] {
        var reads: [ValueRead] = []
        var seen: Set<String> = []
        collect(into: &reads, &seen, scope)
        return reads
    }

    private func collect(into reads: inout [ValueRead], _ seen: inout Set<String>, _ scope: Scope) {
        var budget = Budget()
        var guards: [Expression] = []
        for (reference, result) in program.values(scope, &budget) where seen.insert(reference.text).inserted {
            reads.append(ValueRead(text: reference.text, value: json(result, &budget)))
            if reference.variable >= Vocabulary.firstGuard {
                guards.append(scope.machine.guards[reference.variable - Vocabulary.firstGuard])
            }
        }
        for inner in guards { inner.collect(into: &reads, &seen, scope) }
    }

    private func json(_ result: Result<Value, EvaluationError>, _ budget: inout Budget) -> JSONValue? {
        // The value is reported as unreadable: the guard's own failure has the reason.
        guard case .success(let value) = result else { return nil }
        return try? value.json(&budget)
    }
}
