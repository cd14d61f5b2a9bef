/// A compiled expression; made once, evaluated often, from any thread.
///
/// A class, because the step looks at expressions all the time: a copy would count the references of all its parts.
package final class Program: Sendable {
    package let source: String
    /// What the check knows of the result.
    package let type: CELType
    /// The variables, with the fields that follow them, in the order in which they first stand in the expression, each
    /// once: `context.amount`, `event.data.ok`. Not the names that a macro binds.
    package let references: [Reference]
    /// The value of an expression that is nothing but a literal; nil of any other.
    package let literal: Value?
    private let root: any Node
    private let slotCount: Int

    /// Part of an expression that reads a variable.
    package struct Reference: Sendable {
        package let text: String
        package let variable: Int
        package let fields: [String]
        /// Where the name of the variable first stands, in bytes of UTF-8.
        package let range: Range<Int>
    }

    init(source: String, syntax: Syntax, root: Compiler.Part, slotCount: Int, references: [Reference]) {
        self.source = source
        literal = if case .literal(let value) = syntax.kind { value } else { nil }
        type = root.type
        self.root = root.node
        self.slotCount = slotCount
        self.references = references
    }

    /// Parses, checks and compiles an expression.
    package static func compile(_ source: String, in environment: Environment) -> Compilation {
        compile(source, in: environment, CompileOptions())
    }

    /// Parses and compiles an expression, with or without the check and the macros.
    package static func compile(
        _ source: String, in environment: Environment, _ options: CompileOptions
    ) -> Compilation {
        let text = SourceText(source)
        let (syntax, issues) = Parser.parse(text, hasMacros: options.hasMacros)
        guard let syntax else { return Compilation(program: nil, issues: issues.sorted()) }
        var compiler = Compiler(
            source: text, environment: environment, isChecked: options.isChecked, issues: issues)
        let root = compiler.part(syntax)
        let program =
            compiler.issues.isFatal
            ? nil
            : Program(
                source: source, syntax: syntax, root: root, slotCount: compiler.slotCount,
                references: compiler.references.sorted())
        return Compilation(program: program, issues: compiler.issues.sorted())
    }

    /// The expression's value.
    package func value(
        _ activation: some Activation, _ budget: inout Budget
    ) throws(EvaluationError) -> Value {
        var frame = Frame(
            budget: budget, locals: slotCount == 0 ? [] : Array(repeating: .null, count: slotCount))
        defer { budget = frame.budget }
        do throws(EvaluationError) {
            return try root.value(&frame, activation)
        } catch {
            throw error.at(0..<source.utf8.count)
        }
    }

    /// The line and the column at which a part of the expression begins, both counted from 1; columns count Unicode
    /// scalars.
    package func location(of range: Range<Int>) -> (line: Int, column: Int) {
        SourceText(source).location(of: range.lowerBound)
    }

    /// What each reference reads, for showing people what an expression saw. A chain that is broken gives the error.
    package func values(
        _ activation: some Activation, _ budget: inout Budget
    ) -> [(reference: Reference, result: Result<Value, EvaluationError>)] {
        let text = SourceText(source)
        return references.map { reference in
            let owner = text.text(in: reference.range)
            return (
                reference,
                Result { () throws(EvaluationError) in try value(of: reference, owner, activation, &budget) }
            )
        }
    }

    private func value(
        of reference: Reference, _ owner: String, _ activation: some Activation, _ budget: inout Budget
    ) throws(EvaluationError) -> Value {
        var value = try activation.value(of: reference.variable, at: reference.range, &budget)
        var owner = owner
        for field in reference.fields {
            try budget.take(1)
            value = try FieldName(field, range: reference.range, owner: owner).select(from: value, &budget)
            owner += ".\(field)"
        }
        return value
    }
}

/// How an expression is compiled.
package struct CompileOptions: Sendable {
    /// Whether types and names are checked; what cannot work fails when it runs otherwise.
    package var isChecked = true
    /// Whether `has`, `all`, `map` … are macros.
    package var hasMacros = true

    package init() {}
}

/// What compiling an expression gives.
package struct Compilation: Sendable {
    /// Nil when the expression cannot be evaluated.
    package let program: Program?
    /// Every mistake, in the order of the text. Those of kind `unknownField` and `unknownWord` leave the program
    /// usable: it fails there when it runs.
    package let issues: [Issue]
}

/// A mistake in an expression.
package struct Issue: Sendable, Equatable {
    /// What kind of mistake this is.
    package enum Kind: Sendable {
        case syntax, unknownVariable, unknownFunction, unknownField, unknownWord, noOverload, limit
    }

    package let kind: Kind
    /// In bytes of UTF-8.
    package let range: Range<Int>
    /// Counted from 1.
    package let line: Int
    /// Counted from 1, in characters as an editor counts them: Unicode scalars.
    package let column: Int
    /// What was found and what would fit; no full stop at its end.
    package let message: String
}
