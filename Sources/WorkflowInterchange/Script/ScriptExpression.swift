/// An expression of the ECMAScript subset that has a counterpart in a definition's expressions.
indirect enum ScriptExpression: Equatable {
    case undefined
    case null
    case bool(Bool)
    /// A number without a fraction and exponent.
    case integer(Int64)
    case double(Double)
    case string(String)
    case name(String)
    case member(ScriptExpression, String)
    case element(ScriptExpression, ScriptExpression)
    /// The predicate `In('id')` (SCXML 5.9.1).
    case isActive(String)
    case not(ScriptExpression)
    case negative(ScriptExpression)
    case binary(ScriptOperator, ScriptExpression, ScriptExpression)
    case conditional(ScriptExpression, ScriptExpression, ScriptExpression)
    case call(ScriptFunction, [ScriptExpression])
    /// A test for an element of a list or a part of a string.
    case includes(ScriptExpression, ScriptExpression)
    case list([ScriptExpression])
    /// A map in the order of the text, without duplicate keys.
    case map([ScriptMember])
}

/// A key of an object literal and its value.
struct ScriptMember: Equatable {
    let key: String
    var value: ScriptExpression
}

/// A binary operator.
enum ScriptOperator: String, CaseIterable {
    case or = "||"
    case and = "&&"
    case equal = "=="
    case strictlyEqual = "==="
    case unequal = "!="
    case strictlyUnequal = "!=="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case plus = "+"
    case minus = "-"
    case times = "*"
    case divided = "/"
    case modulo = "%"

    /// The precedence; all operators are left-associative.
    var precedence: Int {
        switch self {
        case .or: 1
        case .and: 2
        case .equal, .strictlyEqual, .unequal, .strictlyUnequal: 3
        case .less, .lessOrEqual, .greater, .greaterOrEqual: 4
        case .plus, .minus: 5
        case .times, .divided, .modulo: 6
        }
    }
}

/// A function with a counterpart.
enum ScriptFunction: String {
    case floor = "Math.floor"
    case ceil = "Math.ceil"
    case round = "Math.round"
    case abs = "Math.abs"
    case min = "Math.min"
    case max = "Math.max"
    case power = "Math.pow"
    case parseInt

    /// Returns true if the function has a counterpart with this number of arguments.
    func takes(_ count: Int) -> Bool {
        switch self {
        case .floor, .ceil, .round, .abs, .parseInt: count == 1
        case .min, .max: count > 0
        case .power: count == 2
        }
    }
}

/// The reason that a script expression has no counterpart: the part without one, worded for a message.
struct ScriptFailure: Error, Equatable {
    let reason: String
}
