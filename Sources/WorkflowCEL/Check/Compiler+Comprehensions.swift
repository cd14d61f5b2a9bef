extension Compiler {
    mutating func comprehension(_ macro: Syntax.Comprehension, _ range: Range<Int>) -> Part {
        let operand = part(macro.operand)
        let written = self.operand(macro.operand)
        let isOptional = macro.kind == .optMap || macro.kind == .optFlatMap
        let element = elementType(of: operand.type, isOptional, macro.operand.range, written)
        return withLocal(macro.name, element) { compiler, slot in
            let iteration = Iteration(operand: operand.node, range: macro.operand.range, written: written, slot: slot)
            let condition = macro.condition.map { compiler.condition($0) }
            let result = macro.result.map { compiler.part($0) }
            return Self.part(macro, iteration, condition, result, element)
        }
    }

    private static func part(
        _ macro: Syntax.Comprehension, _ iteration: Iteration, _ condition: Condition?, _ result: Part?,
        _ element: CELType
    ) -> Part {
        switch (macro.kind, condition, result) {
        case (.all, let condition?, _):
            return Part(
                node: QuantifierNode(iteration: iteration, condition: condition, decisive: false), type: .bool)
        case (.exists, let condition?, _):
            return Part(node: QuantifierNode(iteration: iteration, condition: condition, decisive: true), type: .bool)
        case (.existsOne, let condition?, _):
            return Part(node: ExistsOneNode(iteration: iteration, condition: condition), type: .bool)
        case (.optMap, _, let result?), (.optFlatMap, _, let result?):
            let isFlat = macro.kind == .optFlatMap
            return Part(
                node: OptionalMapNode(
                    iteration: iteration, result: result.node, isFlat: isFlat,
                    resultRange: macro.result?.range ?? iteration.range),
                type: isFlat ? result.type : .optional(result.type))
        default:
            return Part(
                node: TransformNode(iteration: iteration, condition: condition, result: result?.node),
                type: .list(result?.type ?? element))
        }
    }

    /// Returns the type of the name that a macro binds, and reports a value without elements.
    private mutating func elementType(
        of type: CELType, _ isOptional: Bool, _ range: Range<Int>, _ written: Operand
    ) -> CELType {
        switch (type, isOptional) {
        case (.dyn, _): return .dyn
        case (.optional(let content), true): return content
        case (.list(let element), false): return element
        case (.map(let key, _), false): return key
        case (.object, false): return .string
        default:
            let wanted = isOptional ? "an optional, as a.?b gives it" : "a list or a map"
            let found = type.typeName?.withArticle ?? "dyn"
            report(.noOverload, range, "expected \(wanted), but \(written.text) is \(found)")
            return .dyn
        }
    }
}
