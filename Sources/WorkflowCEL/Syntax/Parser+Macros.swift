extension Parser {
    /// Returns the expansion of `has(…)`.
    mutating func has(_ arguments: [Syntax], from start: Int) throws(Failure) -> Syntax {
        guard arguments.count == 1, case .select(let operand, let field, isOptional: false) = arguments[0].kind else {
            if !arguments.contains(where: \.isInvalid) {
                var message = "has takes one field, as in has(event.data.amount)"
                if arguments.count == 1, case .index(let map, let key, _) = arguments[0].kind {
                    message += "; write \(source.excerpt(of: key.range)) in \(source.excerpt(of: map.range))"
                }
                issues.add(.syntax, start..<lastEnd, message)
            }
            return leaf(.invalid, from: start)
        }
        return try node(.has(operand, field), from: start, above: [operand])
    }

    /// Returns the expansion of a call with the name of a macro; `nil` for any other name.
    mutating func macro(
        _ operand: Syntax, _ callee: Syntax.Callee, _ arguments: [Syntax], from start: Int
    ) throws(Failure) -> Syntax? {
        guard let kind = Self.macroKind(callee.name) else { return nil }
        let counts = kind == .map ? 2...3 : 2...2
        guard counts.contains(arguments.count), case .name(let name, isAbsolute: false) = arguments[0].kind else {
            if !arguments.contains(where: \.isInvalid) {
                let found = counts.contains(arguments.count) ? "found \(source.excerpt(of: arguments[0].range))" : nil
                issues.add(
                    .syntax, callee.range.lowerBound..<lastEnd,
                    "\(callee.name) takes \(Self.usage(of: kind))" + (found.map { "; \($0) for the name" } ?? ""))
            }
            return leaf(.invalid, from: start)
        }
        let comprehension = Self.comprehension(kind, operand, name, Array(arguments.dropFirst()))
        return try node(.comprehension(comprehension), from: start, above: [operand] + arguments)
    }

    private static func macroKind(_ name: String) -> Syntax.Comprehension.Kind? {
        name == "existsOne" ? .existsOne : Syntax.Comprehension.Kind(rawValue: name)
    }

    private static func comprehension(
        _ kind: Syntax.Comprehension.Kind, _ operand: Syntax, _ name: String, _ rest: [Syntax]
    ) -> Syntax.Comprehension {
        let hasCondition = kind != .optMap && kind != .optFlatMap && (kind != .map || rest.count == 2)
        let hasResult = kind == .map || kind == .optMap || kind == .optFlatMap
        return Syntax.Comprehension(
            kind: kind, operand: operand, name: name, condition: hasCondition ? rest.first : nil,
            result: hasResult ? rest.last : nil)
    }

    private static func usage(of kind: Syntax.Comprehension.Kind) -> String {
        switch kind {
        case .map: "a name and a value, as in list.map(x, x * 2), or with a condition between them"
        case .optMap, .optFlatMap: "a name and a value, as in a.?b.\(kind.rawValue)(x, …)"
        default: "a name and a condition, as in list.\(kind.rawValue)(x, x > 0)"
        }
    }
}
