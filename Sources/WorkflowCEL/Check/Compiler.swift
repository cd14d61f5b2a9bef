/// Compiles a parsed expression to nodes, and reports mistakes.
///
/// The check is gradual. Values from JSON have the type `dyn`, which is compatible with every type. If a type is known,
/// a use that always fails is a mistake.
struct Compiler {
    /// A compiled part with the type of its value.
    struct Part {
        let node: any Node
        let type: CELType
    }

    /// A name that a macro binds.
    struct Local {
        let name: String
        let type: CELType
    }

    let source: SourceText
    let environment: Environment
    let isChecked: Bool
    var issues: IssueList
    /// The bound names, innermost last. The index of a name is its slot.
    var locals: [Local] = []
    private(set) var slotCount = 0
    var references = ReferenceList()
    /// The remaining budget for the compilation of patterns.
    var patternBudget = Budget()

    var names: NameTable { environment.names }

    mutating func part(_ syntax: Syntax) -> Part {
        switch syntax.kind {
        case .literal(let value): return Part(node: ConstantNode(value), type: CELType(of: value))
        case .name: return chain(Chain(syntax), syntax, reads: nil)
        case .select(let operand, let field, let isOptional): return select(syntax, operand, field, isOptional)
        case .has(let operand, let field): return has(operand, field, syntax.range)
        case .index(let operand, let index, let isOptional): return self.index(syntax, operand, index, isOptional)
        case .call(let callee, let arguments): return call(callee, arguments, syntax.range)
        case .memberCall(let receiver, let callee, let arguments):
            return memberCall(receiver, callee, arguments, syntax.range)
        case .list(let elements): return list(elements)
        case .map(let entries): return map(entries)
        case .not(let operand): return Part(node: NotNode(operand: condition(operand)), type: .bool)
        case .negation(let operand): return negation(operand, syntax.range)
        case .binary(let symbol, let left, let right): return binary(symbol, left, right, syntax.range)
        case .conjunction(let terms): return logic(terms, decisive: false)
        case .disjunction(let terms): return logic(terms, decisive: true)
        case .conditional(let condition, let first, let second): return conditional(condition, first, second)
        case .comprehension(let comprehension): return self.comprehension(comprehension, syntax.range)
        case .invalid: return failure(EvaluationError(.invalidArgument, "the expression has mistakes"), syntax.range)
        }
    }

    /// Compiles a body in which one more name is bound.
    mutating func withLocal<Result>(
        _ name: String, _ type: CELType, _ body: (inout Compiler, _ slot: Int) -> Result
    ) -> Result {
        let slot = locals.count
        locals.append(Local(name: name, type: type))
        slotCount = max(slotCount, locals.count)
        defer { locals.removeLast() }
        return body(&self, slot)
    }
}

extension Compiler {
    /// Adds an issue if the expression is checked.
    mutating func report(_ kind: Issue.Kind, _ range: Range<Int>, _ message: String) {
        if isChecked { issues.add(kind, range, message) }
    }

    /// True if messages should suggest the intended name.
    var isSuggesting: Bool { environment.suggests && !issues.isFull }

    /// Returns the substitute for a part that always fails.
    func failure(_ error: EvaluationError, _ range: Range<Int>) -> Part {
        Part(node: FailingNode(error.at(range)), type: .dyn)
    }

    /// Returns a part's description for messages.
    func operand(_ syntax: Syntax) -> Operand {
        let text = source.excerpt(of: syntax.range)
        guard case .literal(.int) = syntax.kind else { return Operand(text: text) }
        return Operand(text: text, isInteger: text.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: "-") })
    }
}

extension CELType {
    /// Creates the type of a literal.
    init(of value: Value) {
        self =
            switch value {
            case .null: .null
            case .bool: .bool
            case .int: .int
            case .uint: .uint
            case .double: .double
            case .string: .string
            case .bytes: .bytes
            default: .dyn
            }
    }
}
