import WorkflowCEL
package import WorkflowJSON

/// A condition that selects instances by their data: an expression in the language of guards.
package struct InstanceCondition: Sendable, Equatable {
    /// The expression as written.
    package let source: String
    /// True if the condition reads the context, or the failure. The other values are cheap.
    package let readsContext: Bool
    package let readsFailure: Bool
    private let program: Program

    /// The most bytes of an expression.
    package static let sourceBytes = 4_096
    /// The most units of evaluation for one instance, about 5 ms.
    package static let cost = 100_000

    /// The variables, whose order `InstanceValues` knows.
    private static let environment = Environment(
        variables: [
            Environment.Variable(name: "context", type: .map(key: .string, value: .dyn)),
            Environment.Variable(name: "name", type: .string),
            Environment.Variable(name: "machine", type: .string),
            Environment.Variable(name: "version", type: .int),
            Environment.Variable(name: "status", type: .string),
            Environment.Variable(name: "state", type: .string),
            Environment.Variable(name: "createdAt", type: .timestamp),
            Environment.Variable(name: "updatedAt", type: .timestamp),
            Environment.Variable(name: "inState", type: .duration),
            Environment.Variable(name: "failure", type: .dyn),
        ])

    /// Compiles an expression.
    ///
    /// - Throws: All mistakes, with their places.
    package init(_ source: String) throws(InstanceConditionError) {
        guard source.utf8.count <= Self.sourceBytes else {
            throw InstanceConditionError(message: "an expression has at most \(Self.sourceBytes) bytes")
        }
        let compilation = Program.compile(source, in: Self.environment)
        guard let program = compilation.program, compilation.issues.isEmpty else {
            let issues = compilation.issues.map { "line \($0.line), column \($0.column): \($0.message)" }
            throw InstanceConditionError(message: issues.joined(separator: "; "))
        }
        guard program.type == .bool || program.type == .dyn else {
            throw InstanceConditionError(
                message: "it must give true or false, and gives \(program.type.description)")
        }
        self.source = source
        self.program = program
        let variables = Set(program.references.map(\.variable))
        readsContext = variables.contains(0)
        readsFailure = variables.contains(9)
    }

    package static func == (lhs: Self, rhs: Self) -> Bool { lhs.source == rhs.source }

    /// Returns the result for one instance.
    package func verdict(on values: InstanceValues) -> InstanceVerdict {
        var budget = Budget(Self.cost)
        do throws(EvaluationError) {
            let value = try program.value(ValueScope(values: values), &budget)
            guard case .bool(let holds) = value else {
                return .fails("the condition gives true or false, here it gave \(value.typeName.word)")
            }
            return holds ? .holds : .holdsNot
        } catch {
            if error.code == .limit, budget.remaining == 0 {
                return .fails("the condition takes more than \(Self.cost) steps")
            }
            let place = error.range.map(program.location(of:))
            return .fails((place.map { "line \($0.line), column \($0.column): " } ?? "") + error.message)
        }
    }
}

/// The mistakes in a condition.
package struct InstanceConditionError: Error, Sendable {
    package let message: String
}

/// The result of a condition for one instance.
package enum InstanceVerdict: Sendable, Equatable {
    case holds, holdsNot
    /// The condition has no value for the instance; has the reason.
    case fails(String)
}

/// The values of an instance that a condition can read. Times are milliseconds since 1970.
package struct InstanceValues: Sendable {
    package let name: String
    package let machine: String
    package let version: Int64
    package let status: String
    /// The paths of the active leaves, joined by commas.
    package let state: String
    package let createdAt: Int64
    package let updatedAt: Int64
    /// The milliseconds since the configuration last changed.
    package let inState: Int64
    /// JSON; needed only if the condition reads it.
    package let context: String
    /// The failure as the API shows it; `nil` if the instance has not failed. Needed only if the condition reads it.
    package let failure: JSONValue?

    package init(
        name: String, machine: String, version: Int64, status: String, state: String, createdAt: Int64,
        updatedAt: Int64, inState: Int64, context: String, failure: JSONValue?
    ) {
        self.name = name
        self.machine = machine
        self.version = version
        self.status = status
        self.state = state
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.inState = inState
        self.context = context
        self.failure = failure
    }
}

/// The variables of a condition for one instance.
private final class ValueScope: Activation {
    private let values: InstanceValues
    /// The context once it was read.
    private var context: JSONObject?

    init(values: InstanceValues) {
        self.values = values
    }

    func value(of variable: Int, _ budget: inout Budget) throws(EvaluationError) -> Value {
        switch variable {
        case 0: .map(.json(try readContext(&budget)))
        case 1: .string(values.name)
        case 2: .string(values.machine)
        case 3: .int(values.version)
        case 4: .string(values.status)
        case 5: .string(values.state)
        case 6: .timestamp(Timestamp(milliseconds: values.createdAt))
        case 7: .timestamp(Timestamp(milliseconds: values.updatedAt))
        case 8: .duration(.milliseconds(values.inState))
        default: values.failure.map { Value($0) } ?? .null
        }
    }

    func call(_ function: Int, _ arguments: [Value], _ budget: inout Budget) throws(EvaluationError) -> Value {
        throw EvaluationError(.host, "there is no such function")
    }

    private func readContext(_ budget: inout Budget) throws(EvaluationError) -> JSONObject {
        if let context { return context }
        try budget.take(1 + values.context.utf8.count / 64)
        guard let object = (try? JSONReader.value(from: values.context))?.object else {
            throw EvaluationError(.host, "the context cannot be read")
        }
        context = object
        return object
    }
}
