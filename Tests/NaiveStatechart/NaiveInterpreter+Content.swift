import Statechart
import WorkflowCEL
import WorkflowJSON

/// The error of an action or a condition that cannot be evaluated.
struct ContentError: Error {}

/// Executable content and the data model (SCXML 4 and 5).
extension NaiveInterpreter {
    func executeContent(_ block: [ModelAction]) {
        do {
            for action in block { try execute(action) }
        } catch {
            // SCXML 4.9: an error ends the block.
            raise("error.execution")
        }
    }

    private func execute(_ action: ModelAction) throws(ContentError) {
        switch action {
        case .raise(let event): raise(event)
        case .set(let number): datamodel.setLast(number)
        case .count: datamodel.count()
        case .record(let number): datamodel.note(number)
        case .fail: throw ContentError()
        case .send(let send):
            let delay = (send.delay ?? 0) * (send.isMultiplied ? datamodel.n : 1)
            try self.send(
                send.event, send.hasData ? .int(datamodel.n) : nil, after: delay, id: send.id, skip: send.skip)
        case .cancel(let id): cancel(id)
        case .written(let action): try execute(action)
        }
    }

    func holds(_ condition: ModelGuard) throws(ContentError) -> Bool {
        switch condition {
        case .always: return true
        case .never: return false
        case .fails: throw ContentError()
        case .isIn(let target): return configuration.isMember(target.state)
        case .isNotIn(let target): return !configuration.isMember(target.state)
        case .countIsBelow(let bound): return datamodel.n < bound
        case .both(let left, let right): return try holds(left) ? holds(right) : false
        case .either(let left, let right): return try holds(left) ? true : holds(right)
        case .written(let expression): return try holds(expression)
        }
    }

    /// Returns the data of `done.state.<parent>`, or the output of the whole instance.
    func outputData(of s: ModelState) -> JSONValue? {
        guard let output = s.output else { return nil }
        do {
            return try value(of: output)
        } catch {
            raise("error.execution")
            return nil
        }
    }
}

// MARK: What is written in a definition

extension NaiveInterpreter {
    private func execute(_ action: Action) throws(ContentError) {
        switch action {
        case .assign(let assignments, _):
            // Difference: all values are computed from the context before, and all are set or none.
            var changed: [(key: String, value: JSONValue)] = []
            for assignment in assignments {
                let value = fitted(try value(of: assignment.value), as: assignment.text)
                guard canKeep(value, as: assignment.text) else { throw ContentError() }
                changed.append((assignment.text, value))
            }
            for (key, value) in changed { datamodel[key] = value }
        case .raise(let event, let data, _): raise(event, data: try data.map(value(of:)))
        case .send(let send):
            try self.send(
                send.event, try send.data.map(value(of:)), after: try send.delay.map(milliseconds) ?? 0, id: send.id,
                skip: send.misfire.limit)
        case .cancel(let id, _): cancel(id)
        case .log(let expression): _ = try value(of: .expression(expression))
        case .choose(let branches, _): try choose(branches)
        case .foreach(let loop): try execute(loop)
        case .emit: preconditionFailure("a machine that emits is not read")
        case .call: preconditionFailure("a machine with calls is not read")
        }
    }

    /// Runs a loop over a copy of the list (SCXML 4.6). Difference: item and index are keys of the context.
    private func execute(_ loop: Loop) throws(ContentError) {
        guard case .array(let elements) = try value(of: .expression(loop.array)) else { throw ContentError() }
        for key in [loop.item, loop.index].compactMap({ $0 }) where datamodel[key] == nil { datamodel[key] = .null }
        for (number, element) in zip(0..., elements) {
            let item = fitted(element, as: loop.item)
            guard machine.context[loop.item] == nil || canKeep(item, as: loop.item) else { throw ContentError() }
            datamodel[loop.item] = item
            if let index = loop.index { datamodel[index] = .int(Int64(number)) }
            for action in loop.actions { try execute(action) }
        }
    }

    /// Returns a delay in milliseconds. Difference: a time in the past is due now.
    private func milliseconds(of delay: Delay) throws(ContentError) -> Int64 {
        switch delay {
        case .milliseconds(let milliseconds): return milliseconds
        case .expression(let expression):
            let value = try evaluate(expression) { value, _ in value }
            switch value {
            case .int(let int): return max(0, int)
            case .duration(let duration): return max(0, Int64(duration / .milliseconds(1)))
            // Numbers of other kinds and texts are the definition's tests' business.
            default: throw ContentError()
            }
        }
    }

    private func choose(_ branches: [Branch]) throws(ContentError) {
        for branch in branches {
            do {
                if let condition = branch.condition, try !holds(condition) { continue }
            } catch {
                // SCXML 5.9.1: it is false, and an error.
                raise("error.execution")
                continue
            }
            for action in branch.actions { try execute(action) }
            return
        }
    }

    /// Returns a value in the form of a key. Difference: a key whose first value is a double stays a double.
    func fitted(_ value: JSONValue, as key: String) -> JSONValue {
        if case (.double, .int(let int)) = (machine.context[key], value) { .double(Double(int)) } else { value }
    }

    /// Returns true if a key may have a value. Difference: under `strict` a key keeps the kind of its first value.
    private func canKeep(_ value: JSONValue, as key: String) -> Bool {
        guard let first = machine.context[key] else { return false }
        return !machine.isStrict || first == .null || first.kind == value.kind
    }

    private func value(of template: Template) throws(ContentError) -> JSONValue {
        switch template {
        case .literal(let value): return value
        case .expression(let expression): return try evaluate(expression) { try $0.json(&$1) }
        case .list(let elements):
            var values: [JSONValue] = []
            for element in elements { values.append(try value(of: element)) }
            return .array(values)
        case .map(let members):
            var object = JSONObject()
            for member in members { object[member.key] = try value(of: member.value) }
            return .object(object)
        }
    }

    private func holds(_ expression: Expression) throws(ContentError) -> Bool {
        let value = try evaluate(expression) { value, _ in value }
        guard case .bool(let holds) = value else { throw ContentError() }
        return holds
    }

    private func evaluate<Result>(
        _ expression: Expression, _ body: (Value, inout Budget) throws -> Result
    ) throws(ContentError) -> Result {
        var budget = Budget()
        do {
            return try body(try expression.program.value(NaiveScope(interpreter: self), &budget), &budget)
        } catch {
            throw ContentError()
        }
    }
}

/// The variables of an expression in a definition.
private struct NaiveScope: Activation {
    let interpreter: NaiveInterpreter

    func value(of variable: Int, _ budget: inout Budget) throws(EvaluationError) -> Value {
        let (event, identity) = (interpreter.event, interpreter.identity)
        switch variable {
        case Vocabulary.context: return .map(.json(interpreter.datamodel.object))
        case Vocabulary.event:
            return Self.map([
                ("at", Self.moment(event.at)), ("data", event.data.map { Value($0) } ?? .null),
                ("name", .string(event.name)),
            ])
        case Vocabulary.instance:
            return Self.map([
                ("machine", .string(interpreter.machine.root.name)), ("name", .string(identity.name)),
                ("startedAt", Self.moment(identity.startedAt)), ("version", .int(identity.version)),
            ])
        default:
            return try interpreter.machine.guards[variable - Vocabulary.firstGuard].program.value(self, &budget)
        }
    }

    func call(_ function: Int, _ arguments: [Value], _ budget: inout Budget) throws(EvaluationError) -> Value {
        guard case .string(let word)? = arguments.first else { throw EvaluationError(.host, "no word") }
        let active = interpreter.configuration
        if function == Vocabulary.hasTag { return .bool(active.some { $0.tags.contains(word) }) }
        let states = interpreter.machine.states
        guard let state = states.first(where: { $0.name == word }) ?? states.first(where: { $0.path == word }) else {
            throw EvaluationError(.host, "no state '\(word)'")
        }
        return .bool(active.isMember(state))
    }

    private static func map(_ members: [(key: String, value: Value)]) -> Value {
        .map(.entries(members.map { MapValue.Entry(key: .string($0.key), value: $0.value) }))
    }

    private static func moment(_ milliseconds: Int64) -> Value { .timestamp(Timestamp(milliseconds: milliseconds)) }
}
