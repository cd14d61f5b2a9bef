/// The kinds of a document's data: the kinds of the first values, if every assignment has the same kind.
struct SCXMLKinds {
    /// The kinds by the names of the document.
    private(set) var kinds: [String: ScriptKind] = [:]
    /// The data that may be null before their assignment.
    private(set) var nullable: Set<String> = []
    private var unknown: Set<String> = []
    /// The names of all data.
    private let known: Set<String>

    private typealias Assignment = (name: String, value: ScriptExpression?)

    /// The largest number of rounds, more than real documents need. Data that still change are unknown.
    private static let rounds = 10

    /// Follows the assignments of a document. Parts that the definition omits change nothing.
    init(of root: MarkupElement, _ data: SCXMLData) {
        known = Set(data.keys.keys)
        var assignments: [Assignment] = []
        for datum in data.data {
            guard let name = datum.element.trimmed("id") else { continue }
            if let value = Self.value(of: datum.element) {
                assignments.append((name, value))
            } else {
                nullable.insert(name)
            }
        }
        Self.collect(root, &assignments)
        // These names are the variables of loops.
        nullable.formUnion(Set(data.keys.keys).subtracting(data.data.compactMap { $0.element.trimmed("id") }))
        settle(assignments)
    }

    private mutating func settle(_ assignments: [Assignment]) {
        for _ in 0..<Self.rounds {
            let before = (kinds, unknown)
            for assignment in assignments { follow(assignment) }
            if before == (kinds, unknown) { return }
        }
        for assignment in assignments { kinds[assignment.name] = nil }
    }

    private mutating func follow(_ assignment: Assignment) {
        guard !unknown.contains(assignment.name) else { return }
        var names = ScriptTranslator.Names()
        names.kinds = kinds
        // A value without a kind may get one in the next round.
        let isOpen = { (name: String) in kinds[name] == nil && !unknown.contains(name) && known.contains(name) }
        if let value = assignment.value, value.names.contains(where: isOpen) { return }
        let kind = assignment.value.flatMap { names.kind(of: $0) }
        let joined = kinds[assignment.name].map { $0.joined(kind) } ?? kind
        kinds[assignment.name] = joined
        if joined == nil { unknown.insert(assignment.name) }
    }

    /// Returns the first value of a datum; `nil` for null. Content that is no value is a string.
    private static func value(of element: MarkupElement) -> ScriptExpression? {
        guard element["src"] == nil, element.children.isEmpty else { return nil }
        let written = element["expr"]?.value
        let text = (written ?? element.text).trimmingBlanks
        guard !text.isEmpty else { return nil }
        let value = try? ScriptParser.expression(text)
        if value == .null || value == .undefined { return nil }
        if written != nil { return value }
        return value?.isLiteral == true ? value : .string(text)
    }

    private static func collect(_ element: MarkupElement, _ assignments: inout [Assignment]) {
        switch element.name {
        case "assign":
            guard let name = element.trimmed("location") else { break }
            // Without an expression, the value is the content or null. An unreadable expression is omitted.
            guard let text = element["expr"]?.value else {
                assignments.append((name, nil))
                break
            }
            if let value = try? ScriptParser.expression(text) { assignments.append((name, value)) }
        case "foreach":
            if let item = element.trimmed("item") { assignments.append((item, nil)) }
            if let index = element.trimmed("index") { assignments.append((index, .integer(0))) }
        default: break
        }
        for child in element.children { collect(child, &assignments) }
    }
}

extension ScriptExpression {
    /// True if the value is constant.
    fileprivate var isLiteral: Bool {
        switch self {
        case .name, .member, .element, .isActive, .not, .negative, .binary, .conditional, .call, .includes: false
        case .undefined, .null, .bool, .integer, .double, .string: true
        case .list(let elements): elements.allSatisfy(\.isLiteral)
        case .map(let members): members.allSatisfy(\.value.isLiteral)
        }
    }
}
