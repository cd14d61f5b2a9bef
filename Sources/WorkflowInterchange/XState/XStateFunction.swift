import Statechart

/// A function of a configuration whose result is one expression of its parameters: `({ context }) => context.n > 1`.
struct XStateFunction {
    /// The meaning of a name in the function.
    private enum Role {
        case context, event
        /// An object with both.
        case both
    }

    private let body: String
    private var roles: [String: Role] = [:]

    /// Parses a function in the form that JavaScript prints.
    ///
    /// - Parameter isVersion4: True if the parameters are the context and the event, and not one object with both.
    init(_ text: String, isVersion4: Bool) throws(ScriptFailure) {
        let text = text.trimmingBlanks
        let (parameters, rest) = try Self.parameters(of: text)
        body = try Self.body(of: rest)
        try bind(parameters, isVersion4: isVersion4)
    }

    /// Returns the names of a context: its keys in the definition, and the kinds of their values.
    static func names(ofContext context: DefinitionNode?, renamed: [String: String]) -> ScriptTranslator.Names {
        var names = ScriptTranslator.Names(isComplete: false)
        for member in context?.members ?? [] {
            names.contextKeys[member.key] = renamed[member.key] ?? member.key
            names.kinds[member.key] = ScriptKind(of: member.value)
        }
        return names
    }

    /// Returns the function's expression, with the names of SCXML: data by their names, the event as `_event`.
    func expression() throws(ScriptFailure) -> ScriptExpression {
        let expression = try ScriptParser.expression(body)
        let written = try rewritten(expression)
        // Names of events may differ here.
        if written.contains(.member(.name("_event"), "name")), !written.texts.allSatisfy(Self.isKeptEvent) {
            throw ScriptFailure(reason: "the event's type beside a text that is no name of an event here")
        }
        return written
    }

    private static func isKeptEvent(_ text: String) -> Bool {
        EventName.isValid(text) && !["xstate.", "done.", "error.", "after."].contains(where: text.hasPrefix)
    }
}

// MARK: Taking apart

extension XStateFunction {
    private static let unknownForm = ScriptFailure(reason: "a function of another form than '({context}) => …'")

    /// Returns the text of the parameters without brackets, and the rest of the function.
    private static func parameters(of text: String) throws(ScriptFailure) -> (String, Substring) {
        if let open = text.firstIndex(of: "("), let close = text.firstIndex(of: ")"), open < close,
            text.hasPrefix("(") || ScriptKeyword.begins(text[..<open])
        {
            return (String(text[text.index(after: open)..<close]), text[text.index(after: close)...])
        }
        guard let arrow = text.firstRange(of: "=>") else { throw unknownForm }
        return (String(text[..<arrow.lowerBound]), text[arrow.lowerBound...])
    }

    /// Returns the expression after `=>`, or of the only `return`.
    private static func body(of rest: Substring) throws(ScriptFailure) -> String {
        var body = String(rest).trimmingBlanks
        let isArrow = body.hasPrefix("=>")
        if isArrow { body = String(body.dropFirst(2)).trimmingBlanks }
        guard body.hasPrefix("{"), body.hasSuffix("}") else {
            guard isArrow else { throw unknownForm }
            return body
        }
        var inner = String(body.dropFirst().dropLast()).trimmingBlanks
        guard inner.hasPrefix("return ") || inner.hasPrefix("return(") else { throw unknownForm }
        inner = String(inner.dropFirst(6)).trimmingBlanks
        return inner.hasSuffix(";") ? String(inner.dropLast()) : inner
    }

    private mutating func bind(_ parameters: String, isVersion4: Bool) throws(ScriptFailure) {
        let parameters = parameters.trimmingBlanks
        guard parameters.hasPrefix("{") else {
            let names = parameters.split(separator: ",").map { String($0).trimmingBlanks }
            guard names.allSatisfy(ExpressionText.isIdentifier) else { throw Self.unknownForm }
            for (name, role) in zip(names, isVersion4 ? [Role.context, .event] : [.both]) { roles[name] = role }
            return
        }
        guard !isVersion4, let close = parameters.firstIndex(of: "}") else { throw Self.unknownForm }
        for part in parameters[..<close].dropFirst().split(separator: ",") {
            let words = part.split(separator: ":").map { String($0).trimmingBlanks }
            guard let key = words.first, let name = words.last, words.count <= 2 else { throw Self.unknownForm }
            if key.isEmpty { continue }
            guard ExpressionText.isIdentifier(name) else { throw Self.unknownForm }
            switch key {
            case "context": roles[name] = .context
            case "event": roles[name] = .event
            default: continue
            }
        }
    }
}

/// The beginning of a printed function before its parameters.
private enum ScriptKeyword {
    /// Returns true for `function`, `function isOpen`, or the name of a method.
    static func begins(_ text: Substring) -> Bool {
        let words = text.split(separator: " ").map(String.init)
        return words.count <= 2 && words.allSatisfy(ExpressionText.isIdentifier) && words.first != "async"
            && (words.count < 2 || words.first == "function")
    }
}

// MARK: Names

extension XStateFunction {
    /// Returns the meaning of a whole expression: the context, the event, or both.
    private func role(of expression: ScriptExpression) -> Role? {
        switch expression {
        case .name(let name): return roles[name]
        case .member(.name(let name), let key):
            guard roles[name] == .both else { return nil }
            return key == "context" ? .context : key == "event" ? .event : nil
        default: return nil
        }
    }

    private func member(_ object: ScriptExpression, _ name: String) throws(ScriptFailure) -> ScriptExpression {
        switch role(of: object) {
        case .context: return .name(name)
        case .event where name == "type": return .member(.name("_event"), "name")
        case .event:
            // In XState the done and error events of actors and states have these members. Here their data is at
            // another place.
            guard !["output", "data", "error"].contains(name) else {
                throw ScriptFailure(reason: "'\(name)' of an event")
            }
            return .member(.member(.name("_event"), "data"), name)
        case .both, nil: return .member(try rewritten(object), name)
        }
    }

    private func rewritten(_ expression: ScriptExpression) throws(ScriptFailure) -> ScriptExpression {
        switch expression {
        case .undefined, .null, .bool, .integer, .double, .string: return expression
        case .name(let name):
            throw ScriptFailure(reason: roles[name] == nil ? name.quoted : "\(name.quoted) as a whole")
        case .member(let object, let name): return try member(object, name)
        case .element(let object, .string(let key)) where role(of: object) != nil: return try member(object, key)
        case .element(let object, let key): return .element(try rewritten(object), try rewritten(key))
        case .isActive: throw ScriptFailure(reason: "a call of 'In'")
        case .not(let operand): return .not(try rewritten(operand))
        case .negative(let operand): return .negative(try rewritten(operand))
        case .binary(let sign, let left, let right): return .binary(sign, try rewritten(left), try rewritten(right))
        case .conditional(let condition, let first, let second):
            return .conditional(try rewritten(condition), try rewritten(first), try rewritten(second))
        case .call(let function, let arguments): return .call(function, try rewritten(arguments))
        case .includes(let object, let element): return .includes(try rewritten(object), try rewritten(element))
        case .list(let elements): return .list(try rewritten(elements))
        case .map(let members):
            var written: [ScriptMember] = []
            for member in members {
                written.append(ScriptMember(key: member.key, value: try rewritten(member.value)))
            }
            return .map(written)
        }
    }

    private func rewritten(_ expressions: [ScriptExpression]) throws(ScriptFailure) -> [ScriptExpression] {
        var written: [ScriptExpression] = []
        for expression in expressions { written.append(try rewritten(expression)) }
        return written
    }
}
