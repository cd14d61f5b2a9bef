/// An expression of the part of ECMAScript that has a counterpart in the expressions of a definition.
indirect enum ScriptExpression: Equatable {
    case undefined
    case null
    case bool(Bool)
    /// A number written without fraction and exponent.
    case integer(Int64)
    case double(Double)
    case string(String)
    case name(String)
    case member(ScriptExpression, String)
    case element(ScriptExpression, ScriptExpression)
    /// `In('id')` (SCXML 5.9.1).
    case isActive(String)
    case not(ScriptExpression)
    case negative(ScriptExpression)
    case binary(ScriptOperator, ScriptExpression, ScriptExpression)
    case conditional(ScriptExpression, ScriptExpression, ScriptExpression)
    case call(ScriptFunction, [ScriptExpression])
    /// Whether a list or text has something in it.
    case includes(ScriptExpression, ScriptExpression)
    case list([ScriptExpression])
    /// In the order of the text; no key stands twice.
    case map([ScriptMember])
}

/// One key of an object literal and its value.
struct ScriptMember: Equatable {
    let key: String
    var value: ScriptExpression
}

/// An operator between two operands.
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

    /// How closely it binds; all bind to the left.
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

    /// Whether it has a counterpart with as many arguments.
    func takes(_ count: Int) -> Bool {
        switch self {
        case .floor, .ceil, .round, .abs, .parseInt: count == 1
        case .min, .max: count > 0
        case .power: count == 2
        }
    }
}

/// Why a script expression has no counterpart: what in it has none, in the words of a message.
struct ScriptFailure: Error, Equatable {
    let reason: String
}
