import WorkflowCEL
import WorkflowJSON

/// Compiles and evaluates arbitrary bytes as an expression (libFuzzer's entry). It may fail, but within its limits.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzExpression(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let source = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    let compilation = Program.compile(source, in: Surroundings.environment)
    for issue in compilation.issues {
        precondition(issue.line >= 1 && issue.column >= 1 && !issue.message.isEmpty, "an issue without a place")
    }
    guard let program = compilation.program else {
        precondition(!compilation.issues.isEmpty, "refused without a mistake")
        return 0
    }
    var budget = Budget(100_000)
    do throws(EvaluationError) {
        let value = try program.value(Surroundings(), &budget)
        _ = try value.json(&budget)
    } catch {
        precondition(!error.message.isEmpty, "a failure without a reason")
    }
    return 0
}

/// The variables of the expressions.
private struct Surroundings: Activation {
    static let environment = Environment(
        variables: [
            Environment.Variable(name: "context", type: .dyn), Environment.Variable(name: "event", type: .dyn),
        ],
        functions: [Environment.Function(name: "In", parameters: [.string], result: .bool)])

    private static let context: JSONValue = [
        "amount": 250, "ratio": 0.5, "name": "Ada", "list": [1, 2, 3, "x", .null], "map": ["a": ["b": true]],
    ]

    func value(of variable: Int, _ budget: inout Budget) throws(EvaluationError) -> Value {
        variable == 0 ? Value(Self.context) : Value(["name": "go", "data": ["ok": true, "n": 9_007_199_254_740_993]])
    }

    func call(_ function: Int, _ arguments: [Value], _ budget: inout Budget) throws(EvaluationError) -> Value {
        .bool(true)
    }
}
