extension Compiler {
    mutating func binary(
        _ symbol: BinaryOperator, _ left: Syntax, _ right: Syntax, _ range: Range<Int>
    ) -> Part {
        let leftPart = part(left)
        let rightPart = part(right)
        let site = BinarySite(symbol: symbol, range: range, left: operand(left), right: operand(right))
        let type = OperatorTypes.result(symbol, leftPart.type, rightPart.type)
        if type == nil { report(.noOverload, range, noOverload(site, left, leftPart, rightPart)) }
        let node: any Node =
            switch symbol {
            case .equal, .notEqual:
                EqualityNode(
                    isNegated: symbol == .notEqual, range: range, left: leftPart.node, right: rightPart.node)
            case .isIn: MembershipNode(site: site, left: leftPart.node, right: rightPart.node)
            case .less, .lessOrEqual, .greater, .greaterOrEqual:
                OrderingNode(site: site, left: leftPart.node, right: rightPart.node)
            default: ArithmeticNode(site: site, left: leftPart.node, right: rightPart.node)
            }
        return Part(node: node, type: type ?? .dyn)
    }

    private func noOverload(_ site: BinarySite, _ left: Syntax, _ leftPart: Part, _ rightPart: Part) -> String {
        if site.symbol.isOrdering, case .binary(let inner, let first, let second) = left.kind, inner.isOrdering {
            let middle = source.excerpt(of: second.range)
            return "comparisons cannot be chained; write \(source.excerpt(of: first.range)) \(inner.rawValue) \(middle)"
                + " && \(middle) \(site.symbol.rawValue) \(site.right.text)"
        }
        return OverloadAdvice.message(
            site.symbol, leftPart.type.typeName, site.left, rightPart.type.typeName, site.right)
    }

    mutating func negation(_ operand: Syntax, _ range: Range<Int>) -> Part {
        let inner = part(operand)
        let written = self.operand(operand)
        if let type = inner.type.typeName, type != .int, type != .double {
            report(.noOverload, range, OverloadAdvice.noNegation(type, written))
        }
        return Part(node: NegationNode(operand: inner.node, written: written, range: range), type: inner.type)
    }

    mutating func logic(_ terms: [Syntax], decisive: Bool) -> Part {
        var conditions: [Condition] = []
        for term in terms { conditions.append(condition(term)) }
        return Part(node: LogicNode(decisive: decisive, terms: conditions), type: .bool)
    }

    mutating func conditional(_ condition: Syntax, _ first: Syntax, _ second: Syntax) -> Part {
        let condition = self.condition(condition)
        let firstPart = part(first)
        let secondPart = part(second)
        return Part(
            node: ConditionalNode(condition: condition, first: firstPart.node, second: secondPart.node),
            type: firstPart.type.joined(secondPart.type))
    }

    /// Compiles a part that must be a bool.
    mutating func condition(_ syntax: Syntax) -> Condition {
        let inner = part(syntax)
        let written = operand(syntax)
        if let type = inner.type.typeName, type != .bool {
            report(.noOverload, syntax.range, OverloadAdvice.notBool(type, written))
        }
        return Condition(node: inner.node, range: syntax.range, written: written)
    }
}
