import Testing
import WorkflowCEL
import WorkflowJSON

/// Compiles and evaluates expressions like those of a machine: with a context and an event.
enum Trial {
    /// An environment with an untyped context, an event with its known outline, and a context with typed keys.
    static let environment = Environment(
        variables: [
            Environment.Variable(name: "context", type: .dyn),
            Environment.Variable(
                name: "event",
                type: .object(
                    ObjectType(name: "the event", fields: ["name": .string, "data": .dyn, "at": .timestamp]))),
            Environment.Variable(
                name: "order",
                type: .object(
                    ObjectType(name: "the order", fields: ["amount": .int, "total": .double, "id": .string]))),
            Environment.Variable(name: "small", type: .bool),
        ],
        functions: [
            Environment.Function(name: "In", parameters: [.string], result: .bool),
            Environment.Function(name: "Fails", parameters: [], result: .dyn),
        ])

    /// Returns the mistakes in an expression: `1:3 found …`.
    static func issues(_ text: String, in environment: Environment = environment) -> [String] {
        Program.compile(text, in: environment).issues.map { "\($0.line):\($0.column) \($0.message)" }
    }

    /// Returns the program of a correct expression.
    static func program(_ text: String, in environment: Environment = environment) throws -> Program {
        let compilation = Program.compile(text, in: environment)
        return try #require(compilation.program, "\(compilation.issues.map(\.message))")
    }

    /// Returns the value of an expression, in the form of the language.
    static func value(_ text: String) throws -> String {
        var budget = Budget()
        return written(try program(text).value(Host(), &budget))
    }

    /// Returns the reason why an expression has no value, and the place: `1:1 noSuchKey no such key: …`. Returns its
    /// value if it has one.
    static func failure(_ text: String, steps: Int = CELLimits.evaluation) throws -> String {
        let program = try program(text)
        var budget = Budget(steps)
        do throws(EvaluationError) {
            return written(try program.value(Host(), &budget))
        } catch {
            let (line, column) = program.location(of: try #require(error.range))
            return "\(line):\(column) \(error.code) \(error.message)"
        }
    }

    /// Returns a value in the form of the language.
    static func written(_ value: Value) -> String {
        switch value {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .int(let int): "\(int)"
        case .uint(let uint): "\(uint)u"
        case .double(let double): "\(double)"
        case .string(let string): "'\(string)'"
        case .bytes(let bytes): "b\(bytes)"
        case .list(let list): "[" + (0..<list.count).map { written(list[$0]) }.joined(separator: ", ") + "]"
        case .map(let map):
            "{" + (0..<map.count).map { "\(map[$0].key): \(written(map[$0].value))" }.joined(separator: ", ") + "}"
        case .timestamp(let moment): "timestamp(\(moment.seconds))"
        case .duration(let duration): "duration(\(duration))"
        case .type(let type): type.rawValue
        case .optional(let content): content.map { "optional(\(written($0)))" } ?? "none"
        }
    }

    /// The host that gives the variables of the environment their values.
    struct Host: Activation {
        func value(of variable: Int, _ budget: inout Budget) throws(EvaluationError) -> Value {
            switch variable {
            case 0: .map(.json(Trial.context))
            case 1: .map(.json(Trial.event))
            case 2: .map(.json(["amount": 7, "total": 1.5, "id": "o-1"]))
            default: .bool(true)
            }
        }

        func call(_ function: Int, _ arguments: [Value], _ budget: inout Budget) throws(EvaluationError) -> Value {
            guard function == 0, case .string(let name) = arguments[0] else {
                throw EvaluationError(.host, "the function fails", range: 100..<200)
            }
            return .bool(name == "review")
        }
    }

    static let context: JSONObject = [
        "amount": 500, "total": 1.5, "customer": "Ann", "paid": .null, "tags": ["a", "b"],
        "items": [["n": 1], ["n": 2]], "one": ["only": true], "empty": [:],
    ]
    static let event: JSONObject = ["name": "pay", "data": ["ok": true, "n": 3, "amount": 7], "at": 5]
}
