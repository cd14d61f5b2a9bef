extension ScriptTranslator {
    /// Translates a function call. Integers and doubles are separate types here. So the computation uses doubles, and
    /// the result becomes an integer where the script's result has no fraction.
    mutating func call(_ function: ScriptFunction, _ arguments: [ScriptExpression]) throws(ScriptFailure) -> String {
        switch function {
        case .floor: return "int(math.floor(\(try real(arguments[0]))))"
        case .ceil: return "int(math.ceil(\(try real(arguments[0]))))"
        case .round:
            // Halves round up: -0.5 gives 0 and 2.5 gives 3 (ECMAScript, Math.round), while `math.round` rounds both
            // away from 0.
            return "int(math.ceil(math.floor(\(try real(arguments[0], atLeast: .product)) * 2.0) / 2.0))"
        case .abs: return "math.abs(" + (try text(arguments[0])) + ")"
        case .min: return "math.least(" + (try numbers(arguments)) + ")"
        case .max: return "math.greatest(" + (try numbers(arguments)) + ")"
        case .power:
            notice(.power)
            return try "math.pow(" + real(arguments[0]) + ", " + real(arguments[1]) + ")"
        case .parseInt:
            if !arguments[0].isNumber { notice(.wholeText) }
            if case .binary(.divided, _, _) = arguments[0] { return "int(" + (try real(arguments[0])) + ")" }
            return "int(" + (try text(arguments[0])) + ")"
        }
    }

    /// Translates `x.includes(y)`: true if a list has the element, or a string has the part.
    mutating func includes(
        _ object: ScriptExpression, _ element: ScriptExpression
    ) throws(ScriptFailure) -> (String, Binding) {
        let isIn = { (translator: inout ScriptTranslator) throws(ScriptFailure) in
            try translator.text(element, atLeast: .sum) + " in " + translator.text(object, atLeast: .sum)
        }
        let contains = { (translator: inout ScriptTranslator) throws(ScriptFailure) in
            let part =
                element.isNumber ? try translator.asText(element, atLeast: .conditional) : try translator.text(element)
            return try translator.text(object, atLeast: .primary) + ".contains(" + part + ")"
        }
        if isList(object) { return (try isIn(&self), .relation) }
        if isText(object) { return (try contains(&self), .primary) }
        let type = "type(" + (try text(object)) + ") == string"
        return ("\(type) ? \(try contains(&self)) : \(try isIn(&self))", .conditional)
    }

    /// Returns true if the value is certainly a list.
    func isList(_ expression: ScriptExpression) -> Bool {
        names.kind(of: expression) == .list
    }

    /// Returns true if the value is certainly a map.
    func isMap(_ expression: ScriptExpression) -> Bool {
        names.kind(of: expression) == .map
    }

    /// Returns arguments as numbers of one kind.
    private mutating func numbers(_ arguments: [ScriptExpression]) throws(ScriptFailure) -> String {
        let isReal = arguments.contains { isDouble($0) || names.kind(of: $0) == .number }
        var texts: [String] = []
        for argument in arguments { texts.append(isReal ? try real(argument) : try text(argument)) }
        return texts.joined(separator: ", ")
    }

    /// Returns a double. Its operands are computed as doubles too: half of 7 is 3.5.
    private mutating func real(
        _ expression: ScriptExpression, atLeast least: Binding = .conditional
    ) throws(ScriptFailure) -> String {
        guard case .binary(let sign, let left, let right) = expression, !isText(left), !isText(right),
            let binding = sign.bindingOfNumbers
        else { return isDouble(expression) ? try text(expression, atLeast: least) : try asDouble(expression) }
        let closer: Binding = binding == .sum ? .product : .unary
        let text = "\(try real(left, atLeast: binding)) \(sign.rawValue) \(try real(right, atLeast: closer))"
        return binding.rawValue >= least.rawValue ? text : "(\(text))"
    }
}

extension ScriptOperator {
    /// The precedence of an operator between numbers that may have fractions; `nil` for other operators.
    fileprivate var bindingOfNumbers: ScriptTranslator.Binding? {
        switch self {
        case .plus, .minus: .sum
        case .times, .divided: .product
        default: nil
        }
    }
}

extension ScriptExpression {
    /// True if the value is certainly a number.
    var isNumber: Bool {
        switch self {
        case .integer, .double, .call: true
        case .negative(let operand): operand.isNumber
        case .binary(.minus, _, _), .binary(.times, _, _), .binary(.divided, _, _), .binary(.modulo, _, _): true
        default: false
        }
    }
}
