import WorkflowCEL
import WorkflowJSON

/// The values that an expression sees during evaluation: the counterpart of `Vocabulary`.
struct Scope: Activation {
    let machine: Machine
    let context: JSONObject
    let configuration: [StateIndex]
    let event: Event
    let identity: InstanceIdentity

    func value(of variable: Int, _ budget: inout Budget) throws(EvaluationError) -> Value {
        switch variable {
        case Vocabulary.context: .map(.json(context))
        case Vocabulary.event: eventValue
        case Vocabulary.instance: instanceValue
        default: try machine.guards[variable - Vocabulary.firstGuard].value(in: self, &budget)
        }
    }

    /// Returns a field of `event` or `instance` without building the whole map; `nil` for other fields.
    func value(ofField field: String, of variable: Int) -> Value? {
        switch (variable, field) {
        case (Vocabulary.event, "data"): event.data.map { Value($0) } ?? .null
        case (Vocabulary.event, "name"): .string(event.name)
        case (Vocabulary.instance, "name"): .string(identity.name)
        default: nil
        }
    }

    func call(_ function: Int, _ arguments: [Value], _ budget: inout Budget) throws(EvaluationError) -> Value {
        guard case .string(let name)? = arguments.first else {
            let rule = function == Vocabulary.isActive ? "In takes the id or the path of a state" : "hasTag takes a tag"
            throw EvaluationError(.noOverload, rule)
        }
        if function == Vocabulary.hasTag {
            let tagged = machine.states(tagged: name)
            try budget.take(tagged.count)
            return .bool(tagged.contains(where: configuration.containsSorted))
        }
        guard let state = machine.state(named: name) else {
            throw EvaluationError(
                .host, "machine '\(machine.name)' has no state '\(name)'",
                discreet: "machine '\(machine.name)' has no such state")
        }
        return .bool(configuration.containsSorted(state))
    }

    // The entries are in the order of the keys.
    private var eventValue: Value {
        .map(
            .entries([
                MapValue.Entry(key: .string("at"), value: .timestamp(Timestamp(milliseconds: event.at.milliseconds))),
                MapValue.Entry(key: .string("data"), value: event.data.map { Value($0) } ?? .null),
                MapValue.Entry(key: .string("name"), value: .string(event.name)),
            ]))
    }

    private var instanceValue: Value {
        .map(
            .entries([
                MapValue.Entry(key: .string("machine"), value: .string(machine.name)),
                MapValue.Entry(key: .string("name"), value: .string(identity.name)),
                MapValue.Entry(
                    key: .string("startedAt"),
                    value: .timestamp(Timestamp(milliseconds: identity.startedAt.milliseconds))),
                MapValue.Entry(key: .string("version"), value: .int(identity.version)),
            ]))
    }
}

extension Expression {
    /// Returns the value of the expression.
    func value(in scope: Scope, _ budget: inout Budget) throws(EvaluationError) -> Value {
        try program.value(scope, &budget)
    }

    /// Returns the value of a condition; throws for any value other than a bool.
    func holds(in scope: Scope, _ budget: inout Budget) throws(EvaluationError) -> Bool {
        let value = try value(in: scope, &budget)
        guard case .bool(let bool) = value else {
            throw EvaluationError(
                .noOverload, "a guard gives true or false, this one gave \(value.typeName.word)", range: program.range)
        }
        return bool
    }
}

extension Program {
    /// The range of the whole expression.
    var range: Range<Int> { 0..<source.utf8.count }
}

extension Template {
    /// Returns the value of the template as JSON.
    func value(in scope: Scope, _ budget: inout Budget) throws(EvaluationFailure) -> JSONValue {
        switch self {
        case .literal(let value): return value
        case .expression(let expression):
            do throws(EvaluationError) {
                return try expression.value(in: scope, &budget).json(&budget)
            } catch {
                throw EvaluationFailure(expression: expression, error: error)
            }
        case .list(let templates):
            var values: [JSONValue] = []
            for template in templates { values.append(try template.value(in: scope, &budget)) }
            return .array(values)
        case .map(let members):
            var object = JSONObject()
            for member in members {
                _ = object.insert(try member.value.value(in: scope, &budget), forNewKey: member.key)
            }
            return .object(object)
        }
    }
}

/// The expression that failed, and its error.
struct EvaluationFailure: Error {
    let expression: Expression
    let error: EvaluationError
}

extension [StateIndex] {
    /// Returns true if a sorted list contains an element. O(log n).
    func containsSorted(_ index: StateIndex) -> Bool {
        let offset = firstOffset { $0 >= index }
        return offset < count && self[offset] == index
    }
}
