import WorkflowCEL
import WorkflowJSON

/// Compiles the expressions of one definition, and reports their mistakes at their positions in the definition. Each
/// text is compiled once for each type of event data.
struct ExpressionCompiler {
    private let draft: MachineDraft
    private let general: Environment
    private var typed: [String: Environment] = [:]
    private var compiled: [Key: Compilation] = [:]
    private var diagnostics: DiagnosticList
    /// For each named guard, true if it reads the event; valid after all named guards are compiled.
    private var guardsReadEvent: [Bool]

    private struct Key: Hashable {
        let text: String
        /// The event whose data have a declared type; `nil` for any event.
        let event: String?
    }

    init(_ draft: MachineDraft, _ diagnostics: DiagnosticList) {
        self.draft = draft
        self.diagnostics = diagnostics
        general = Self.environment(draft)
        guardsReadEvent = draft.namedGuards.map { _ in false }
    }

    /// The diagnostics found so far, in the compiler and before.
    var found: DiagnosticList { diagnostics }

    /// Compiles the named guards. Reports guards whose names are taken, and guards that lead back to themselves.
    mutating func namedGuards() -> [Expression] {
        for named in draft.namedGuards {
            if !ExpressionTest.isFree(named.name.text) {
                diagnostics.error(
                    "a guard cannot be named \(named.name.text.quoted): the name means something else in expressions",
                    at: named.name.position)
            }
        }
        let programs = draft.namedGuards.map { program($0.condition, event: nil, gives: .bool, "a guard") }
        reportCycles(programs)
        // Guards may name guards that are defined later, so the loop runs as often as the longest chain requires. A
        // longer chain than allowed is a mistake, and its result is not used.
        var changed = true
        for _ in 0...DefinitionLimits.guardNesting where changed {
            changed = false
            for (index, program) in programs.enumerated() where !guardsReadEvent[index] {
                guard let program, readsEvent(program) else { continue }
                guardsReadEvent[index] = true
                changed = true
            }
        }
        return zip(draft.namedGuards, programs).compactMap { named, program in
            program.map { expression($0, of: named.condition) }
        }
    }

    /// Compiles a condition.
    mutating func condition(_ draft: ExpressionDraft, event: String? = nil) -> Expression? {
        program(draft, event: event, gives: .bool, "a guard").map { expression($0, of: draft) }
    }

    /// Compiles an expression of any type.
    mutating func expression(_ draft: ExpressionDraft, event: String? = nil) -> Expression? {
        program(draft, event: event, gives: .dyn, "").map { expression($0, of: draft) }
    }

    /// Compiles all expressions of a template.
    mutating func template(_ draft: TemplateDraft, event: String? = nil) -> Template? {
        switch draft {
        case .literal(let value): return .literal(value)
        case .expression(let draft): return expression(draft, event: event).map { .expression($0) }
        case .list(let drafts): return .list(drafts.compactMap { template($0, event: event) })
        case .map(let members):
            return .map(
                members.compactMap { member in
                    template(member.value, event: event).map { Template.Member(key: member.key, value: $0) }
                })
        }
    }

    /// Compiles a delay.
    mutating func delay(_ draft: DelayDraft, event: String? = nil) -> Delay? {
        switch draft {
        case .milliseconds(let milliseconds): return .milliseconds(milliseconds)
        case .expression(let draft):
            guard let expression = expression(draft, event: event) else { return nil }
            if case .string(let text)? = expression.program.literal {
                do throws(DelayError) {
                    try DelayText.check(literal: text)
                } catch {
                    diagnostics.error(error.message, at: draft.start)
                    return nil
                }
            }
            switch declaredType(of: expression.program, event: event) ?? expression.program.type {
            case .dyn, .duration, .int, .uint, .double, .string: return .expression(expression)
            case let type:
                diagnostics.error(DelayError(type: type.description).message, at: draft.start)
                return nil
            }
        }
    }

    /// Returns the type of a context key; `dyn` if nothing is known.
    func contextType(of key: String) -> CELType { draft.contextTypes[key] ?? .dyn }

    /// The language version of the definition's semantics.
    var language: LanguageVersion { draft.semantics.language }

    /// Returns the declared type of an event's data; `nil` if none is declared.
    func dataType(of event: String) -> CELType? { draft.eventData[event] }

    /// Returns the declared type of an expression that only reads a value; `nil` for any other expression. A declared
    /// timestamp is a string in expressions, but the compiler can tell it from other strings.
    private func declaredType(of program: Program, event: String?) -> CELType? {
        guard let reference = program.references.first, reference.text == program.source else { return nil }
        var fields = reference.fields[...]
        var type: CELType
        switch reference.variable {
        case Vocabulary.context: type = contextType(of: fields.popFirst() ?? "")
        case Vocabulary.event where fields.popFirst() == "data": type = event.flatMap { draft.eventData[$0] } ?? .dyn
        default: return nil
        }
        for field in fields {
            // A missing field was reported when the expression was compiled.
            type = (try? type.below(field, at: "")) ?? .dyn
        }
        if case .optional(let inner) = type { return inner }
        return type
    }

    /// Reports a mistake that does not come from compiling an expression.
    mutating func report(_ message: String, at position: SourcePosition) {
        diagnostics.error(message, at: position)
    }

    /// Returns `; did you mean 'x'?`, or an empty text.
    func suggestion(for word: String, among candidates: @autoclosure () -> [String]) -> String {
        diagnostics.suggestion(for: word, among: candidates())
    }
}

extension ExpressionCompiler {
    private mutating func program(
        _ draft: ExpressionDraft, event: String?, gives type: CELType, _ what: String
    ) -> Program? {
        let event = event.flatMap { self.draft.eventData[$0] == nil ? nil : $0 }
        let key = Key(text: draft.text, event: event)
        let compilation: Compilation
        if let known = compiled[key] {
            compilation = known
        } else {
            var environment = environment(event)
            environment.suggests = diagnostics.isWorthSuggesting
            compilation = Program.compile(draft.text, in: environment)
            compiled[key] = compilation
        }
        for issue in compilation.issues { report(issue, of: draft) }
        guard let program = compilation.program else { return nil }
        if type == .bool, ![.bool, .dyn].contains(program.type) {
            diagnostics.error(
                "\(what) gives true or false, this one gives \(program.type.description)", at: draft.start)
            return nil
        }
        return program
    }

    private func expression(_ program: Program, of draft: ExpressionDraft) -> Expression {
        Expression(program: program, readsEvent: readsEvent(program), line: draft.position.line)
    }

    private func readsEvent(_ program: Program) -> Bool {
        program.references.contains { reference in
            reference.variable == Vocabulary.event
                || reference.variable >= Vocabulary.firstGuard
                    && guardsReadEvent[reference.variable - Vocabulary.firstGuard]
        }
    }

    private mutating func report(_ issue: Issue, of draft: ExpressionDraft) {
        let position =
            issue.line == 1
            ? SourcePosition(line: draft.start.line, column: draft.start.column + issue.column - 1)
            : SourcePosition(line: draft.start.line + issue.line - 1, column: issue.column)
        // With `strict: false` such a read raises `error.execution` at run time.
        let isTolerated = [.unknownField, .unknownWord].contains(issue.kind) && !self.draft.isStrict
        let message = draft.text.isEmpty ? "the expression is empty" : issue.message
        diagnostics.add(isTolerated ? .warning : .error, message, at: position)
    }

    private mutating func environment(_ event: String?) -> Environment {
        guard let event, let type = draft.eventData[event] else { return general }
        if let known = typed[event] { return known }
        let environment = general.typing(Vocabulary.event, as: Vocabulary.eventType(type))
        typed[event] = environment
        return environment
    }

    private static func environment(_ draft: MachineDraft) -> Environment {
        var environment = Vocabulary.environment(
            contextKeys: draft.isContextKnown ? draft.context.keys + draft.madeKeys : nil, types: draft.contextTypes,
            guards: draft.namedGuards.map(\.name.text),
            states: Set(draft.states.flatMap { [$0.path, draft.id(of: $0)] }).subtracting([""]),
            tags: Set(draft.states.flatMap { $0.isHistory ? [] : $0.tags }))
        environment.version = draft.semantics.language
        return environment
    }

    private mutating func reportCycles(_ programs: [Program?]) {
        let names = draft.namedGuards
        let next = programs.map { program in
            Set((program?.references ?? []).map { $0.variable - Vocabulary.firstGuard }.filter { $0 >= 0 }).sorted()
        }
        let walk = CycleWalk(next: next)
        if let (index, depth) = walk.deepest(), depth > DefinitionLimits.guardNesting {
            diagnostics.error(
                "guards lie in each other deeper than \(DefinitionLimits.guardNesting) levels",
                at: names[index].name.position)
        }
        for (index, cycle) in walk.cycles() {
            let way = cycle.map { names[$0].name.text }.joined(separator: " -> ")
            diagnostics.error("guards that lead back to themselves: \(way)", at: names[index].name.position)
        }
    }
}
