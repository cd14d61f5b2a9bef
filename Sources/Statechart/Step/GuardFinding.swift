import WorkflowCEL
package import WorkflowJSON

/// What one guard said, and why.
package struct GuardFinding: Sendable, Equatable {
    /// The transition that it guards.
    package let transition: TransitionIndex
    /// The guard as written.
    package let expression: String
    /// Why it could not be evaluated; nil when it said no.
    package let failure: String?
    /// What the guard read, in the order of its text; those of the named guards in it follow.
    package let reads: [ValueRead]

    /// The same without what the guard read, and without what its failure may quote.
    package var withoutValues: GuardFinding {
        GuardFinding(
            transition: transition, expression: expression, failure: failure.map { _ in "it cannot be evaluated" },
            reads: [])
    }
}

/// One thing that an expression read.
package struct ValueRead: Sendable, Equatable {
    /// As written: `context.amount`.
    package let text: String
    /// Nil when it could not be read.
    package let value: JSONValue?
}

extension Expression {
    /// What the expression reads, through named guards too.
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
        // Told as "could not be read": the guard's own failure says why.
        guard case .success(let value) = result else { return nil }
        return try? value.json(&budget)
    }
}
