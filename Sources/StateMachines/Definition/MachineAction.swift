internal import Statechart
internal import WorkflowJSON

/// A CEL expression, as in YAML. Reading the definition checks the expression against the context.
public struct Expression: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }

    public init(stringLiteral text: String) {
        self.text = text
    }
}

/// A value that contains expressions: strings are CEL, all other values are literals.
public indirect enum Template: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral,
    ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral
{
    case expression(String)
    case literal(JSONValue)
    case list([Template])
    case map([(key: String, value: Template)])

    public init(stringLiteral text: String) { self = .expression(text) }
    public init(integerLiteral value: Int64) { self = .literal(.int(value)) }
    public init(floatLiteral value: Double) { self = .literal(.double(value)) }
    public init(booleanLiteral value: Bool) { self = .literal(.bool(value)) }
    public init(nilLiteral: ()) { self = .literal(.null) }
    public init(arrayLiteral elements: Template...) { self = .list(elements) }

    public init(dictionaryLiteral elements: (String, Template)...) {
        self = .map(elements.map { ($0, $1) })
    }
}

/// An action of the machine, which changes only its own data. Tasks and observers act on the outside world.
public struct MachineAction<M: MachineDefinition>: Sendable {
    let content: ActionContent

    /// Sets keys of the context. A dot leads into a map: `.assign(["count": "context.count - 1"])`.
    public static func assign(_ values: KeyValuePairs<String, Template>) -> MachineAction {
        MachineAction(content: .assign(values.map { ($0.key, $0.value) }))
    }

    /// Raises an event that the machine takes within the same step.
    public static func raise(_ event: M.EventName, data: Template? = nil) -> MachineAction {
        MachineAction(content: .event("raise", name: event.rawValue, data: data, delay: nil, id: nil))
    }

    /// Sends an event to the instance itself, as a separate step, at once or after a delay.
    public static func send(
        _ event: M.EventName, data: Template? = nil, delay: Duration? = nil, id: String? = nil
    ) -> MachineAction {
        MachineAction(
            content: .event("send", name: event.rawValue, data: data, delay: delay?.definitionText, id: id))
    }

    /// Emits an output, which `StateMachine.onOutput` hears after the move. Hosts refuse a definition with outputs in
    /// this version.
    public static func emit(_ output: String, data: Template? = nil) -> MachineAction {
        MachineAction(content: .event("emit", name: output, data: data, delay: nil, id: nil))
    }

    /// Cancels a delayed `send`.
    public static func cancel(_ id: String) -> MachineAction { MachineAction(content: .text("cancel", id)) }

    /// Adds a line to the instance's trace.
    public static func log(_ expression: Expression) -> MachineAction {
        MachineAction(content: .text("log", expression.text))
    }

    /// Runs one of two lists of actions.
    public static func choose(
        if condition: Expression, then actions: [MachineAction], else others: [MachineAction] = []
    ) -> MachineAction {
        let otherwise: [(Expression?, [ActionContent])] = others.isEmpty ? [] : [(nil, others.map(\.content))]
        return MachineAction(content: .choose([(condition, actions.map(\.content))] + otherwise))
    }
}

/// The texts of an action's parts.
enum ActionContent: Sendable {
    case assign([(key: String, value: Template)])
    case event(String, name: String, data: Template?, delay: String?, id: String?)
    case text(String, String)
    case choose([(condition: Expression?, actions: [ActionContent])])

    /// The keys of the context that the action sets, including nested actions.
    var assignedKeys: [String] {
        switch self {
        case .assign(let values): values.map { String($0.key.prefix { $0 != "." && $0 != "[" }) }
        case .choose(let branches): branches.flatMap { $0.actions.flatMap(\.assignedKeys) }
        case .event, .text: []
        }
    }
}

extension Template {
    func node(at place: DefinitionPlace) -> DefinitionNode {
        switch self {
        case .expression(let text): .string(text, at: place)
        // A string in a template is CEL, so a literal string becomes a CEL string literal.
        case .literal(.string(let text)): .string(JSONWriter.string(text), at: place)
        case .literal(let value): DefinitionNode(value, at: place)
        case .list(let elements): .list(elements.map { $0.node(at: place) }, at: place)
        case .map(let values):
            .map(
                values.sorted { $0.key < $1.key }.map { .init($0.key, $0.value.node(at: place), at: place) }, at: place)
        }
    }
}

extension ActionContent {
    func node(at place: DefinitionPlace) -> DefinitionNode {
        switch self {
        case .assign(let values): .map([.init("assign", Template.map(values).node(at: place), at: place)], at: place)
        case .text(let word, let text): .map([.init(word, .string(text, at: place), at: place)], at: place)
        case .event(let word, let name, let data, let delay, let id):
            .map([.init(word, Self.node(name, data, delay, id, at: place), at: place)], at: place)
        case .choose(let branches):
            .map(
                [.init("choose", .list(branches.map { Self.node($0, $1, at: place) }, at: place), at: place)], at: place
            )
        }
    }

    private static func node(
        _ event: String, _ data: Template?, _ delay: String?, _ id: String?, at place: DefinitionPlace
    ) -> DefinitionNode {
        var members = [DefinitionNode.Member("event", .string(event, at: place), at: place)]
        if let data { members.append(.init("data", data.node(at: place), at: place)) }
        if let delay { members.append(.init("delay", .string(delay, at: place), at: place)) }
        if let id { members.append(.init("id", .string(id, at: place), at: place)) }
        return members.count == 1 ? .string(event, at: place) : .map(members, at: place)
    }

    private static func node(
        _ condition: Expression?, _ actions: [ActionContent], at place: DefinitionPlace
    ) -> DefinitionNode {
        let list = DefinitionNode.Member("actions", .list(actions.map { $0.node(at: place) }, at: place), at: place)
        guard let condition else { return .map([list], at: place) }
        return .map([.init("guard", .string(condition.text, at: place), at: place), list], at: place)
    }
}

extension DefinitionNode {
    /// Creates the node of a literal value.
    init(_ value: JSONValue, at place: DefinitionPlace) {
        let content: Content =
            switch value {
            case .null: .null
            case .bool(let bool): .bool(bool)
            case .int, .double: .number(JSONWriter.string(value))
            case .string(let string): .string(string)
            case .array(let elements): .list(elements.map { DefinitionNode($0, at: place) })
            case .object(let object):
                .map(object.members.map { Member($0.key, DefinitionNode($0.value, at: place), at: place) })
            }
        self.init(content, at: place)
    }
}
