import WorkflowSpelling

extension Compiler {
    /// Compiles a chain of a name and its fields.
    ///
    /// - Parameter field: The field that an outer part reads of the value: `b` of `has(a.b)`.
    mutating func chain(_ chain: Chain?, _ syntax: Syntax, reads field: Syntax.Field?) -> Part {
        guard let chain else { return part(syntax) }
        if !chain.isAbsolute, let slot = locals.lastIndex(where: { $0.name == chain.name }) {
            let local = Part(node: LocalNode(slot: slot), type: locals[slot].type)
            return chain.links.reduce(local) { self.field($1, of: $0) }
        }
        if let (number, length) = names.variable(chain.path, isAbsolute: chain.isAbsolute) {
            return variable(number, chain, length, reads: field)
        }
        if let (type, length) = names.type(chain.path) {
            let constant = Part(node: ConstantNode(.type(type)), type: .type)
            return chain.links.dropFirst(length - 1).reduce(constant) { self.field($1, of: $0) }
        }
        let message = unknownVariable(chain)
        report(.unknownVariable, chain.range, message)
        return failure(EvaluationError(.noSuchKey, message), chain.range)
    }

    /// Compiles a chain that begins with a variable.
    ///
    /// - Parameter length: The number of the chain's parts that are the variable's name.
    private mutating func variable(_ number: Int, _ chain: Chain, _ length: Int, reads field: Syntax.Field?) -> Part {
        let end = length == 1 ? chain.range.upperBound : chain.links[length - 2].range.upperBound
        let range = chain.range.lowerBound..<end
        let links = chain.links.dropFirst(length - 1)
        let fieldNames = links.map(\.field.name) + (field.map { [$0.name] } ?? [])
        references.add(
            Program.Reference(
                text: source.text(in: range) + fieldNames.map(Self.written).joined(), variable: number,
                fields: fieldNames, range: range))
        var type = environment.type(of: number)
        var fields: [FieldName] = []
        for link in links {
            type = fieldType(link.field, of: type, link.ownerRange)
            fields.append(fieldName(link.field, link.range, link.ownerRange))
        }
        guard !fields.isEmpty else { return Part(node: VariableNode(variable: number, range: range), type: type) }
        return Part(node: PathNode(variable: number, range: range, fields: fields), type: type)
    }

    private mutating func field(_ link: Chain.Link, of operand: Part) -> Part {
        let type = fieldType(link.field, of: operand.type, link.ownerRange)
        return Part(
            node: SelectNode(operand: operand.node, field: fieldName(link.field, link.range, link.ownerRange)),
            type: type)
    }

    func fieldName(_ field: Syntax.Field, _ range: Range<Int>, _ ownerRange: Range<Int>) -> FieldName {
        FieldName(field.name, range: range, owner: source.ending(of: ownerRange))
    }

    /// Returns the text of a field access: `.name` or `['other name']`.
    private static func written(_ field: String) -> String {
        let isName = field.utf8.first?.isLetter == true && field.utf8.allSatisfy { $0.isLetter || $0.isDigit }
        return isName ? ".\(field)" : "['\(field)']"
    }
}

extension Compiler {
    mutating func select(
        _ syntax: Syntax, _ operand: Syntax, _ field: Syntax.Field, _ isOptional: Bool
    ) -> Part {
        if !isOptional, let chain = Chain(syntax) { return self.chain(chain, syntax, reads: nil) }
        let owner = isOptional ? chain(Chain(operand), operand, reads: field) : part(operand)
        let type = fieldType(field, of: owner.type, operand.range)
        let name = fieldName(field, syntax.range, operand.range)
        guard isOptional else { return Part(node: SelectNode(operand: owner.node, field: name), type: type) }
        return Part(node: OptionalSelectNode(operand: owner.node, field: name), type: type.asOptional)
    }

    mutating func has(_ operand: Syntax, _ field: Syntax.Field, _ range: Range<Int>) -> Part {
        let owner = chain(Chain(operand), operand, reads: field)
        _ = fieldType(field, of: owner.type, operand.range)
        return Part(node: HasNode(operand: owner.node, field: fieldName(field, range, operand.range)), type: .bool)
    }

    /// Returns the type of a field, and reports a field that the type cannot have.
    mutating func fieldType(_ field: Syntax.Field, of type: CELType, _ ownerRange: Range<Int>) -> CELType {
        switch type {
        case .dyn: return .dyn
        case .map(let key, let value) where key.isCompatible(with: .string): return value
        case .optional(let content): return fieldType(field, of: content, ownerRange).asOptional
        case .object(let object):
            if let type = object.fields[field.name] { return type }
            report(.unknownField, field.range, unknownField(field.name, object))
            return .dyn
        default:
            let owner = source.excerpt(of: ownerRange)
            let found = type.typeName?.withArticle ?? "dyn"
            let hint =
                FunctionLibrary.memberNames.contains(field.name) ? "; did you mean \(owner).\(field.name)()?" : ""
            report(.noOverload, field.range, "no such field: '\(field.name)' in \(owner), which is \(found)\(hint)")
            return .dyn
        }
    }

    private func unknownField(_ name: String, _ object: ObjectType) -> String {
        let message = "\(object.name) has no field '\(name)'"
        guard isSuggesting else { return message }
        let known = object.fields.keys.sorted()
        if let closest = Spelling.closest(to: name, among: known) { return "\(message); did you mean '\(closest)'?" }
        return known.isEmpty ? message : "\(message); it has \(known.listed)"
    }

    private func unknownVariable(_ chain: Chain) -> String {
        let message = "unknown variable '\(chain.name)'"
        guard isSuggesting else { return message }
        let variables = environment.variables
        let names = variables.map(\.name) + locals.map(\.name) + ["true", "false", "null"]
        if let closest = Spelling.closest(to: chain.name, among: names) {
            return "\(message); did you mean '\(closest)'?"
        }
        for variable in variables {
            guard case .object(let object) = variable.type, object.fields[chain.name] != nil else { continue }
            return "\(message); did you mean \(variable.name).\(chain.name)?"
        }
        if FunctionLibrary.functionNames.contains(chain.name)
            || !self.names.functions(chain.name, isAbsolute: false).isEmpty
        {
            return "\(message); \(chain.name) is a function, called as \(chain.name)(…)"
        }
        let known = variables.isEmpty ? "" : "; there is \(variables.map(\.name).listed)"
        return message + known + (chain.links.isEmpty ? source.missingQuotes(around: chain.range) : "")
    }
}

extension CELType {
    /// An optional of this type; an optional stays as it is.
    var asOptional: CELType {
        if case .optional = self { self } else { .optional(self) }
    }
}
