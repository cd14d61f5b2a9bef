import WorkflowCEL
import WorkflowJSON

/// Evaluation of effects. An expression that fails is an error of the machine. The machine learns of a request that
/// could never be sent as a failed effect.
extension Interpreter {
    /// Returns the content of an invocation or a call.
    mutating func content(
        of action: EffectAction, in state: StateIndex, as what: String, line: Int
    ) throws(ActionFailure) -> EffectContent {
        switch action {
        case .task(let task):
            let input = try input(task.input, in: state, as: what, line: line)
            let priority = try priority(of: task, in: state, as: what)
            return EffectContent(task: task.queue, input: input, priority: priority)
        case .exec(let exec):
            var arguments: [ArgumentCheck.Argument] = []
            for argument in exec.arguments {
                let value = try evaluate(argument, of: state, as: "\(what) args: ")
                let word = try word(value, "an argument", in: state, as: "\(what) args", line: line)
                arguments.append(ArgumentCheck.Argument(word, isLiteral: argument.isLiteral))
            }
            let input = try input(exec.input, in: state, as: what, line: line)
            return EffectContent(exec, arguments: arguments, input: input)
        case .http(let http):
            var request = HTTPRequest(http)
            try address(&request, http, in: state, as: what, line: line)
            let headers = try words(http.headers, "header", in: state, as: "\(what) headers", line: line)
            request.add(headers: headers, beside: http.secretHeaders)
            try add(http.payload, to: &request, in: state, as: what, line: line)
            return EffectContent(request)
        }
    }

    /// Charges the budget for a request and for writing it, and checks the limits on a macrostep's requests.
    mutating func chargeRequest(
        _ request: EffectRequest, as what: String, of state: StateIndex, line: Int
    ) throws(ActionFailure) {
        requestBytes += request.text.utf8.count
        charge(1 + request.text.utf8.count / 64)
        let message: String
        if requestBytes > StepLimits.requestBytes {
            message = "one macrostep asks the world for at most \(StepLimits.requestBytes) bytes"
        } else if requests.count >= StepLimits.requests {
            message = "one macrostep asks for at most \(StepLimits.requests) timers and effects"
        } else {
            return try write(request.text.utf8.count, as: what, of: state, line: line)
        }
        throw ActionFailure(state: state, line: line, expression: what, message: message)
    }

    private mutating func input(
        _ template: Template?, in state: StateIndex, as what: String, line: Int
    ) throws(ActionFailure) -> JSONValue? {
        guard let template else { return nil }
        let input = try evaluate(template, of: state, as: "\(what) input: ")
        if input.isKeepable { return input }
        throw ActionFailure(
            state: state, line: line, expression: what, message: "the input would be \(StepLimits.tooLarge)")
    }

    private mutating func priority(
        of task: TaskAction, in state: StateIndex, as what: String
    ) throws(ActionFailure) -> Int64 {
        guard let expression = task.priority else { return TaskAction.priority }
        let value = try value(of: expression, in: state, as: "\(what) priority: ")
        if let priority = Self.priority(of: value) { return priority }
        throw ActionFailure(
            state: state, line: expression.line, expression: "\(what) priority: \(expression.source)",
            message: "a priority is a number from 1 to 5, 1 first")
    }

    /// Returns the priority that a value gives; `nil` if the value is not a valid priority.
    static func priority(of value: Value) -> Int64? {
        guard case .int(let number) = value, TaskAction.priorities.contains(number) else { return nil }
        return number
    }
}

// MARK: http

extension Interpreter {
    private mutating func address(
        _ request: inout HTTPRequest, _ http: HTTPAction, in state: StateIndex, as what: String, line: Int
    ) throws(ActionFailure) {
        let prefix = "\(what) url"
        switch http.address {
        case .literal(let template, let expressions):
            var values: [String] = []
            for expression in expressions {
                let value = try evaluate(.expression(expression), of: state, as: "\(prefix): ")
                values.append(try word(value, "a part of a url", in: state, as: prefix, line: line))
            }
            request.setURL { () throws(URLMistake) in try template.filled(with: values) }
        case .computed(let expression):
            let text = try string(expression, "a url", in: state, as: prefix)
            request.setURL { () throws(URLMistake) in try RequestURL(computed: text) }
        }
        request.add(query: try words(http.query, "value of the query", in: state, as: "\(what) query", line: line))
    }

    private mutating func add(
        _ payload: HTTPAction.Payload?, to request: inout HTTPRequest, in state: StateIndex, as what: String, line: Int
    ) throws(ActionFailure) {
        switch payload {
        case nil: return
        case .json(let template): request.add(body: try evaluate(template, of: state, as: "\(what) body: "))
        case .form(let template):
            request.add(form: try words(template, "value of the form", in: state, as: "\(what) form", line: line))
        case .text(let expression):
            request.add(text: try string(expression, "'text'", in: state, as: "\(what) text"))
        }
    }

    private mutating func string(
        _ expression: Expression, _ subject: String, in state: StateIndex, as prefix: String
    ) throws(ActionFailure) -> String {
        let value = try value(of: expression, in: state, as: "\(prefix): ")
        if case .string(let text) = value { return text }
        throw ActionFailure(
            state: state, line: expression.line, expression: "\(prefix): \(expression.source)",
            message: "\(subject) is a string, not \(value.typeName.word)")
    }

    /// Returns the names and values of a map, without the members that are null.
    private mutating func words(
        _ template: Template?, _ subject: String, in state: StateIndex, as prefix: String, line: Int
    ) throws(ActionFailure) -> [(name: String, value: String)] {
        guard let template else { return [] }
        let value = try evaluate(template, of: state, as: "\(prefix): ")
        guard let object = value.object else {
            throw ActionFailure(
                state: state, line: line, expression: prefix, message: "it must be a map of names and values")
        }
        var words: [(name: String, value: String)] = []
        for member in object.members where member.value != .null {
            words.append((member.key, try word(member.value, "a \(subject)", in: state, as: prefix, line: line)))
        }
        return words
    }

    /// Returns the text of a scalar value, and throws for every other value.
    private func word(
        _ value: JSONValue, _ subject: String, in state: StateIndex, as prefix: String, line: Int
    ) throws(ActionFailure) -> String {
        if let word = value.word { return word }
        throw ActionFailure(
            state: state, line: line, expression: prefix,
            message: "\(subject) is a string, a number or a bool, not \(value.kindInMessages)")
    }
}

extension JSONValue {
    /// The text of a scalar value; `nil` for null, lists and maps.
    fileprivate var word: String? {
        switch self {
        case .string(let text): text
        case .bool, .int, .double: JSONWriter.string(self)
        case .null, .array, .object: nil
        }
    }

    fileprivate var kindInMessages: String {
        switch self {
        case .null: "null"
        case .array: "a list"
        case .object: "a map"
        case .bool, .int, .double, .string: "that"
        }
    }
}

extension Template {
    /// True if the definition contains the value as a literal.
    fileprivate var isLiteral: Bool {
        switch self {
        case .literal: true
        case .expression(let expression): expression.program.literal != nil
        case .list, .map: false
        }
    }
}
