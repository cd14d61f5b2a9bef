import WorkflowSpelling

extension Compiler {
    mutating func call(_ callee: Syntax.Callee, _ arguments: [Syntax], _ range: Range<Int>) -> Part {
        let host = names.functions(callee.name, isAbsolute: callee.isAbsolute)
        if !host.isEmpty { return hostCall(host, callee.name, arguments, range) }
        let overloads = FunctionLibrary.overloads(named: callee.name, isMember: false, in: environment.version)
        guard !overloads.isEmpty else {
            for argument in arguments { _ = part(argument) }
            return unknownFunction(callee.name, callee.range, unknownFunctionHint(callee, arguments))
        }
        if let constant = constant(callee.name, arguments, overloads, range) { return constant }
        return libraryCall(overloads, callee.name, isMember: false, arguments, range)
    }

    mutating func memberCall(
        _ receiver: Syntax, _ callee: Syntax.Callee, _ arguments: [Syntax], _ range: Range<Int>
    ) -> Part {
        if let call = qualifiedCall(receiver, callee, arguments, range) { return call }
        let overloads = FunctionLibrary.overloads(named: callee.name, isMember: true, in: environment.version)
        if callee.name == "orValue" || callee.name == "or", arguments.count == 1 {
            return optionalDefault(receiver, callee, arguments[0], range)
        }
        guard !overloads.isEmpty else {
            for argument in [receiver] + arguments { _ = part(argument) }
            return unknownFunction(callee.name, callee.range, unknownMemberHint(receiver, callee, arguments))
        }
        return libraryCall(overloads, callee.name, isMember: true, [receiver] + arguments, range)
    }

    /// Compiles a call of a function in a namespace, such as `math.greatest(1, 2)`; `nil` if a value precedes the
    /// point.
    private mutating func qualifiedCall(
        _ receiver: Syntax, _ callee: Syntax.Callee, _ arguments: [Syntax], _ range: Range<Int>
    ) -> Part? {
        guard let chain = Chain(receiver), chain.path.count == chain.links.count + 1 else { return nil }
        guard chain.isAbsolute || !locals.contains(where: { $0.name == chain.name }) else { return nil }
        let space = chain.path.joined(separator: ".") + "."
        let qualified = Syntax.Callee(
            name: space + callee.name, range: chain.range.lowerBound..<callee.range.upperBound,
            isAbsolute: chain.isAbsolute)
        let isKnown =
            !names.functions(qualified.name, isAbsolute: chain.isAbsolute).isEmpty
            || !FunctionLibrary.overloads(named: qualified.name, isMember: false).isEmpty
        let isSpace =
            names.variable(chain.path, isAbsolute: chain.isAbsolute) == nil
            && FunctionLibrary.functionNames.contains { $0.hasPrefix(space) }
        // JavaScript's `Math` functions have counterparts here, or at least `Math` must not be reported as an unknown
        // variable.
        return isKnown || isSpace || space == "Math." ? call(qualified, arguments, range) : nil
    }

    private mutating func optionalDefault(
        _ receiver: Syntax, _ callee: Syntax.Callee, _ argument: Syntax, _ range: Range<Int>
    ) -> Part {
        let operand = part(receiver)
        let other = part(argument)
        let isOptional = callee.name == "or"
        let site = CallSite(
            name: callee.name, isMember: true, range: range,
            arguments: [self.operand(receiver), self.operand(argument)])
        var content = CELType.dyn
        switch operand.type {
        case .dyn: break
        case .optional(let type): content = type
        default: report(.noOverload, range, site.notOptional(operand.type.typeName))
        }
        let node = OptionalDefaultNode(operand: operand.node, other: other.node, isOptional: isOptional, site: site)
        return Part(node: node, type: (isOptional ? CELType.optional(content) : content).joined(other.type))
    }
}

extension Compiler {
    private mutating func hostCall(
        _ numbers: [Int], _ name: String, _ arguments: [Syntax], _ range: Range<Int>
    ) -> Part {
        let parts = self.parts(arguments)
        let functions = environment.functions
        let site = HostCallSite(
            name: name, range: range, signatures: numbers.map { functions[$0].parameters.map(\.word) })
        let fitting = numbers.filter { Self.fits(functions[$0].parameters, parts) }
        if fitting.isEmpty { report(.noOverload, range, site.noOverload(parts.map(\.type.word))) }
        if let words = numbers.first.flatMap({ functions[$0].words }) { check(arguments, words) }
        let candidates = numbers.map { HostCallNode.Candidate($0, functions[$0]) }
        return Part(
            node: HostCallNode(candidates: candidates, arguments: parts.map(\.node), site: site),
            type: .joined(fitting.map { functions[$0].result }))
    }

    /// Reports string literals that are not in the word list of a host function.
    private mutating func check(_ arguments: [Syntax], _ words: Environment.Words) {
        for argument in arguments {
            guard case .literal(.string(let text)) = argument.kind, !words.all.contains(text) else { continue }
            let closest = isSuggesting ? Spelling.closest(to: text, among: words.all.sorted()) : nil
            let hint = closest.map { "; did you mean '\($0)'?" } ?? ""
            report(.unknownWord, argument.range, "there is no \(words.noun) '\(text.prefix(60))'\(hint)")
        }
    }

    private mutating func libraryCall(
        _ overloads: [Overload], _ name: String, isMember: Bool, _ arguments: [Syntax], _ range: Range<Int>
    ) -> Part {
        let parts = self.parts(arguments)
        let site = CallSite(name: name, isMember: isMember, range: range, arguments: arguments.map { operand($0) })
        let candidates = overloads.filter { $0.parameters.count == parts.count }
        let fitting = candidates.filter { Self.fits($0.parameters, parts) }
        if fitting.isEmpty {
            let message = site.noOverload(parts.map(\.type.typeName))
            report(.noOverload, range, message)
            if candidates.isEmpty { return failure(EvaluationError(.noOverload, message), range) }
        }
        if name == "matches", !fitting.isEmpty, case .literal(.string(let text)) = arguments[1].kind {
            return matches(parts[0], text, arguments[1].range, site)
        }
        if let failed = unreadable(name, isMember, arguments, range) { return failed }
        return Part(
            node: CallNode(
                candidates: candidates.map { CallNode.Candidate($0) }, arguments: parts.map(\.node), site: site),
            type: Self.result(of: fitting, parts))
    }

    /// Returns the result type: that of the first fitting overload if its choice is certain, or else the joined types.
    private static func result(of fitting: [Overload], _ parts: [Part]) -> CELType {
        if let first = fitting.first, parts.allSatisfy(\.type.isKnown) { return first.result }
        return .joined(fitting.map(\.result))
    }

    private mutating func matches(_ subject: Part, _ text: String, _ range: Range<Int>, _ site: CallSite) -> Part {
        // With a full list of issues no program is created, so the pattern is not compiled.
        guard !issues.isFull else { return subject }
        do throws(EvaluationError) {
            try patternBudget.take(1000 + text.utf8.count * 50)
        } catch {
            issues.add(.limit, range, "the patterns of the expression take too long to compile")
            return failure(error, range)
        }
        do throws(EvaluationError) {
            let pattern = try Pattern(text)
            return Part(node: MatchesNode(subject: subject.node, pattern: pattern, site: site), type: .bool)
        } catch {
            report(.syntax, range, error.message)
            return failure(error, range)
        }
    }

    /// Compiles a literal time or duration to a constant, so that its text is not read at each evaluation.
    private mutating func constant(
        _ name: String, _ arguments: [Syntax], _ overloads: [Overload], _ range: Range<Int>
    ) -> Part? {
        guard name == "timestamp" || name == "duration", arguments.count == 1,
            case .literal(.string(let text)) = arguments[0].kind,
            let overload = overloads.first(where: { $0.parameters == [.string] })
        else { return nil }
        var budget = Budget()
        do throws(EvaluationError) {
            if name == "duration" {
                return Part(node: ConstantNode(.duration(try TimeSpan.read(text))), type: .duration)
            }
            return Part(node: ConstantNode(try overload.call([.string(text)], &budget)), type: overload.result)
        } catch {
            report(.syntax, arguments[0].range, error.message)
            return failure(error, range)
        }
    }

    /// Checks a literal local time now. Evaluation reads it again, when its zone is known. Returns `nil` if the text is
    /// readable.
    private mutating func unreadable(
        _ name: String, _ isMember: Bool, _ arguments: [Syntax], _ range: Range<Int>
    ) -> Part? {
        guard name == "timestamp", !isMember, arguments.count == 2,
            case .literal(.string(let text)) = arguments[0].kind
        else { return nil }
        do throws(EvaluationError) {
            _ = try LocalTime(text: text)
            return nil
        } catch {
            report(.syntax, arguments[0].range, error.message)
            return failure(error, range)
        }
    }

    private mutating func parts(_ arguments: [Syntax]) -> [Part] {
        var parts: [Part] = []
        for argument in arguments { parts.append(part(argument)) }
        return parts
    }

    private static func fits(_ parameters: [CELType], _ parts: [Part]) -> Bool {
        parameters.count == parts.count && zip(parameters, parts).allSatisfy { $0.isCompatible(with: $1.type) }
    }
}

extension Compiler {
    private mutating func unknownFunction(_ name: String, _ range: Range<Int>, _ hint: String?) -> Part {
        let message = "unknown function '\(name)'" + (hint.map { "; \($0)" } ?? "")
        report(.unknownFunction, range, message)
        return failure(EvaluationError(.noOverload, message), range)
    }

    private func unknownFunctionHint(_ callee: Syntax.Callee, _ arguments: [Syntax]) -> String? {
        guard isSuggesting else { return nil }
        if let receiver = arguments.first, FunctionLibrary.memberNames.contains(callee.name) || isMacro(callee.name) {
            let rest = arguments.dropFirst().map { operand($0).text }.joined(separator: ", ")
            return "write \(operand(receiver).text).\(callee.name)(\(rest))"
        }
        if let name = Self.counterpart(of: callee.name) {
            return "write \(name)(\(arguments.map { operand($0).text }.joined(separator: ", ")))"
        }
        if let dot = callee.name.lastIndex(of: ".") {
            let space = FunctionLibrary.functionNames.filter { $0.hasPrefix(callee.name[...dot]) }
            if Spelling.closest(to: callee.name, among: space) == nil { return "there is \(space.listed)" }
        }
        let known = environment.functions.map(\.name) + FunctionLibrary.functionNames + ["has"]
        return Spelling.closest(to: callee.name, among: known).map { "did you mean '\($0)'?" }
    }

    private func unknownMemberHint(_ receiver: Syntax, _ callee: Syntax.Callee, _ arguments: [Syntax]) -> String? {
        guard isSuggesting else { return nil }
        let isFunction =
            FunctionLibrary.functionNames.contains(callee.name)
            || !names.functions(callee.name, isAbsolute: false).isEmpty
        if isFunction {
            let all = ([receiver] + arguments).map { operand($0).text }.joined(separator: ", ")
            return "write \(callee.name)(\(all))"
        }
        let known = FunctionLibrary.memberNames + Self.macros + ["or", "orValue"]
        return Spelling.closest(to: callee.name, among: known).map { "did you mean '\($0)'?" }
    }

    /// Returns this language's name for a function of another language: `pow`, `Math.pow`, `max`.
    private static func counterpart(of name: String) -> String? {
        let bare = name.split(separator: ".").last.map(String.init) ?? name
        guard name == bare || ["math", "Math"].contains(where: { name == "\($0).\(bare)" }) else { return nil }
        let renamed = counterparts[bare] ?? "math.\(bare)"
        return renamed != name && FunctionLibrary.functionNames.contains(renamed) ? renamed : nil
    }

    private static let counterparts = [
        "max": "math.greatest", "min": "math.least", "power": "math.pow", "len": "size", "length": "size",
        "count": "size", "str": "string", "toString": "string", "String": "string", "parseInt": "int",
        "parseFloat": "double", "float": "double", "number": "double", "Number": "double", "boolean": "bool",
        "Boolean": "bool",
    ]

    private func isMacro(_ name: String) -> Bool { Self.macros.contains(name) }

    private static let macros = Syntax.Comprehension.Kind.allCases.map(\.rawValue)
}
