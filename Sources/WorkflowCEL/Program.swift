/// A compiled expression: compiled once, evaluated often, from any thread.
///
/// A class, because the step uses expressions all the time. A copy of a struct would retain every part.
package final class Program: Sendable {
    package let source: String
    /// The type of the result, as far as the check knows it.
    package let type: CELType
    /// The variables with the fields that follow them: `context.amount`, `event.data.ok`. Each is listed once, in the
    /// order of first occurrence. Names bound by macros are not included.
    package let references: [Reference]
    /// The value if the whole expression is a literal; otherwise `nil`.
    package let literal: Value?
    private let root: any Node
    private let slotCount: Int

    /// A part of an expression that reads a variable.
    package struct Reference: Sendable {
        package let text: String
        package let variable: Int
        package let fields: [String]
        /// The range of the first occurrence of the variable's name, in bytes of UTF-8.
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

    /// Returns the value of the expression.
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

    /// Returns the line and column at which a part of the expression begins, both counted from 1. Columns count Unicode
    /// scalars.
    package func location(of range: Range<Int>) -> (line: Int, column: Int) {
        SourceText(source).location(of: range.lowerBound)
    }

    /// Returns the value of each reference, so that people can see the input of an expression. A chain that cannot be
    /// read gives its error.
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

/// The options for compiling an expression.
package struct CompileOptions: Sendable {
    /// True if types and names are checked. Without the check, a mistake fails at evaluation.
    package var isChecked = true
    /// True if `has`, `all`, `map` … are macros.
    package var hasMacros = true

    package init() {}
}

/// The result of compiling an expression.
package struct Compilation: Sendable {
    /// The program; `nil` if the expression cannot be evaluated.
    package let program: Program?
    /// The mistakes, in the order of the text. With issues of kind `unknownField` and `unknownWord` the program is
    /// usable, and fails at these places when evaluated.
    package let issues: [Issue]
}

/// A mistake in an expression.
package struct Issue: Sendable, Equatable {
    /// The kind of mistake.
    package enum Kind: Sendable {
        case syntax, unknownVariable, unknownFunction, unknownField, unknownWord, noOverload, limit
    }

    package let kind: Kind
    /// The range in bytes of UTF-8.
    package let range: Range<Int>
    /// The line, counted from 1.
    package let line: Int
    /// The column, counted from 1 in Unicode scalars.
    package let column: Int
    /// The problem and the accepted input; without a full stop at the end.
    package let message: String
}
