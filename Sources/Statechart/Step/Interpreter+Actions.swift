import WorkflowCEL
import WorkflowJSON

/// Executable content (SCXML 4 and 5).
extension Interpreter {
    /// Runs one block. A failing action ends the block and all enclosing blocks, and raises `error.execution`.
    mutating func run(_ block: [Action], of state: StateIndex) {
        if block.isEmpty || isExhausted { return }
        do throws(ActionFailure) {
            try perform(block, of: state)
        } catch {
            raise(error)
        }
    }

    private mutating func perform(_ block: [Action], of state: StateIndex) throws(ActionFailure) {
        for action in block {
            do throws(EvaluationError) {
                try budget.take(1)
            } catch {
                throw ActionFailure(
                    state: state, line: action.line, expression: "actions", message: error.message)
            }
            try perform(action, of: state)
        }
    }

    private mutating func perform(_ action: Action, of state: StateIndex) throws(ActionFailure) {
        switch action {
        case .assign(let assignments, let line):
            try assign(assignments, line: line, of: state)
        case .raise(let event, let data, let line):
            let value = try self.data(data, of: event, in: state, as: "raise \(event)", line: line)
            tell("raise \(event)" + Self.shown(value), of: state, line: line)
            guard raise(event, data: value) else {
                throw ActionFailure(
                    state: state, line: line, expression: "raise \(event)",
                    message: "one macrostep takes at most \(StepLimits.work) events")
            }
        case .send(let send):
            try perform(send, of: state)
        case .emit(let event, let data, let line):
            let value = try self.data(data, of: event, in: state, as: "emit \(event)", line: line)
            tell("emit \(event)" + Self.shown(value), of: state, line: line)
            guard emitted.count < StepLimits.emitted else {
                throw ActionFailure(
                    state: state, line: line, expression: "emit \(event)",
                    message: "one macrostep emits at most \(StepLimits.emitted) events")
            }
            emitted.append(Event(name: event, data: value, at: self.event.at))
        case .cancel(let id, let line):
            tell("cancel \(id)", of: state, line: line)
            cancel { $0.owner == .send(id: id) }
        case .log(let expression):
            let value = try evaluate(.expression(expression), of: state, as: "log ")
            try write(value.bytes, as: "log \(expression.source)", of: state, line: expression.line)
            tell("log " + JSONWriter.string(value), of: state, line: expression.line)
        case .choose(let branches, _):
            try choose(branches, of: state)
        case .foreach(let loop):
            try perform(loop, of: state)
        case .call(let call):
            try perform(call, of: state)
        }
    }

    /// Runs the first branch whose condition is true. A failing condition counts as false and raises its error (SCXML
    /// 5.9.1); then the next branch is tried.
    private mutating func choose(_ branches: [Branch], of state: StateIndex) throws(ActionFailure) {
        for branch in branches {
            if let condition = branch.condition {
                switch verdict(of: condition, in: state) {
                case .holds: break
                case .rejected: continue
                case .failed(let failure):
                    raise(failure)
                    continue
                }
            }
            return try perform(branch.actions, of: state)
        }
    }

    private mutating func perform(_ loop: Loop, of state: StateIndex) throws(ActionFailure) {
        let value = try value(of: loop.array, in: state, as: "foreach ")
        guard case .list(let list) = value else {
            throw ActionFailure(
                state: state, line: loop.line, expression: "foreach \(loop.array.source)",
                message: "it goes over a list, this is \(value.typeName.word)")
        }
        makeKeys(of: loop, in: state)
        let itemType = machine.contextTypes[loop.item] ?? .dyn
        let indexType = loop.index.flatMap { machine.contextTypes[$0] } ?? .dyn
        for offset in 0..<list.count {
            let element = try evaluated(loop.array, in: state, as: "foreach ") { budget throws(EvaluationError) in
                try budget.take(1)
                return try list[offset].json(&budget)
            }
            var settings = [
                ContextAssignment(path: [.key(loop.item)], text: loop.item, value: element, type: itemType)
            ]
            if let index = loop.index {
                let number = JSONValue.int(Int64(offset))
                settings.append(
                    ContextAssignment(path: [.key(index)], text: index, value: number, type: indexType))
            }
            try set(settings, line: loop.line, of: state)
            try perform(loop.actions, of: state)
        }
    }

    /// Creates the keys that the context lacks (SCXML 4.6), even for an empty list. With `strict` no key is missing.
    private mutating func makeKeys(of loop: Loop, in state: StateIndex) {
        for key in [loop.item, loop.index].compactMap({ $0 }) where context[key] == nil {
            context[key] = .null
            isContextChanged = true
            tell("assign \(key) = null", of: state, line: loop.line)
        }
    }

    private mutating func perform(_ send: Send, of state: StateIndex) throws(ActionFailure) {
        let data = try data(send.data, of: send.event, in: state, as: "send \(send.event)", line: send.line)
        let delay = try send.delay.map { delay throws(ActionFailure) in
            try milliseconds(of: delay, in: state, as: "send \(send.event) delay: ")
        }
        tell("send \(send.event)" + Self.shown(delay: delay) + Self.shown(data), of: state, line: send.line)
        try arm(
            (delay ?? 0) == 0 ? .sent : .timer, event: send.event, data: data, after: delay ?? 0,
            owner: .send(id: send.id), misfire: send.misfire, line: send.line, of: state)
    }

    /// Returns the data of a raised, sent or emitted event, converted to the event's declared type.
    private mutating func data(
        _ template: Template?, of event: String, in state: StateIndex, as action: @autoclosure () -> String,
        line: Int
    ) throws(ActionFailure) -> JSONValue? {
        let data = try template.map { template throws(ActionFailure) in
            try evaluate(template, of: state, as: action() + " data: ")
        }
        if let data {
            guard let bytes = data.keepableBytes else {
                throw ActionFailure(
                    state: state, line: line, expression: action(),
                    message: "the data would be \(StepLimits.tooLarge)")
            }
            try write(bytes, as: action(), of: state, line: line)
        }
        do throws(JSONMismatch) {
            return try machine.converted(data, of: event)
        } catch {
            throw ActionFailure(
                state: state, line: line, expression: action(), message: error.message,
                discreet: "the data does not fit its declared type")
        }
    }

    private static func shown(delay: Int64?) -> String {
        guard let delay, delay > 0 else { return "" }
        return " in \(DelayText.text(milliseconds: delay))"
    }

    private static func shown(_ data: JSONValue?) -> String {
        data.map { " " + JSONWriter.string($0) } ?? ""
    }
}

// MARK: Assigning

extension Interpreter {
    /// Computes all values from the current context, then sets all or none.
    private mutating func assign(
        _ assignments: [Assignment], line: Int, of state: StateIndex
    ) throws(ActionFailure) {
        if assignments.count == 1, case .key(let key) = assignments[0].path[0], assignments[0].path.count == 1 {
            let text = assignments[0].text
            let value = try evaluate(assignments[0].value, of: state, as: "assign \(text): ")
            return try set(value, forKey: key, assignments[0].type, as: text, line: line, of: state)
        }
        var settings: [ContextAssignment] = []
        for assignment in assignments {
            let value = try evaluate(assignment.value, of: state, as: "assign \(assignment.text): ")
            var path: [ContextAssignment.Step] = []
            for step in assignment.path {
                path.append(try resolve(step, of: state, as: "assign \(assignment.text): "))
            }
            settings.append(
                ContextAssignment(path: path, text: assignment.text, value: value, type: assignment.type))
        }
        try set(settings, line: line, of: state)
    }

    /// Sets one key of the context; most assignments have this form.
    private mutating func set(
        _ value: JSONValue, forKey key: String, _ type: CELType, as text: String, line: Int, of state: StateIndex
    ) throws(ActionFailure) {
        do throws(ContextAssignment.Failure) {
            try context.set(value, forKey: key, type: type, of: machine)
        } catch {
            throw ActionFailure(
                state: state, line: line, expression: "assign \(text)", message: error.message,
                discreet: error.discreet)
        }
        tell("assign \(text) = \(JSONWriter.string(value))", of: state, line: line)
        isContextChanged = true
    }

    private mutating func resolve(
        _ step: Assignment.Step, of state: StateIndex, as prefix: @autoclosure () -> String
    ) throws(ActionFailure) -> ContextAssignment.Step {
        switch step {
        case .key(let key): return .key(key)
        case .computed(let expression):
            let value = try value(of: expression, in: state, as: prefix())
            switch value {
            case .string(let key): return .key(key)
            case .int(let index): return .index(index)
            default:
                throw ActionFailure(
                    state: state, line: expression.line, expression: prefix() + expression.source,
                    message: "the key of a map is a string, the index of a list an int, not \(value.typeName.word)")
            }
        }
    }

    private mutating func set(
        _ settings: [ContextAssignment], line: Int, of state: StateIndex
    ) throws(ActionFailure) {
        var changed = context
        for setting in settings {
            do throws(ContextAssignment.Failure) {
                try setting.apply(to: &changed, of: machine)
            } catch {
                throw ActionFailure(
                    state: state, line: line, expression: "assign \(setting.text)", message: error.message,
                    discreet: error.discreet)
            }
            tell("assign \(setting.text) = \(JSONWriter.string(setting.value))", of: state, line: line)
        }
        context = changed
        isContextChanged = true
    }
}

// MARK: Evaluating

extension Interpreter {
    mutating func evaluate(
        _ template: Template, of state: StateIndex, as prefix: @autoclosure () -> String
    ) throws(ActionFailure) -> JSONValue {
        if case .literal(let value) = template { return value }
        do throws(EvaluationFailure) {
            return try template.value(in: scope, &budget)
        } catch {
            throw ActionFailure(error, in: state, prefix: prefix())
        }
    }

    /// Returns the value of an expression.
    mutating func value(
        of expression: Expression, in state: StateIndex, as prefix: @autoclosure () -> String
    ) throws(ActionFailure) -> Value {
        let scope = scope
        return try evaluated(expression, in: state, as: prefix()) { budget throws(EvaluationError) in
            try expression.value(in: scope, &budget)
        }
    }

    private mutating func evaluated<Result>(
        _ expression: Expression, in state: StateIndex, as prefix: @autoclosure () -> String,
        _ body: (inout Budget) throws(EvaluationError) -> Result
    ) throws(ActionFailure) -> Result {
        do throws(EvaluationError) {
            return try body(&budget)
        } catch {
            throw ActionFailure(EvaluationFailure(expression: expression, error: error), in: state, prefix: prefix())
        }
    }
}
