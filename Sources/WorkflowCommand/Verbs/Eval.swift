import ArgumentParser
import Statechart
import WorkflowAPI
import WorkflowCEL
import WorkflowJSON

/// `wfctl eval`.
struct Eval: Verb {
    static let configuration = CommandConfiguration(
        commandName: "eval", abstract: "Evaluate an expression without a daemon.",
        discussion: """
            $ wfctl eval 'context.total + 1.5' --context '{"total": 2.0}'

            Expressions are CEL, the language of guards and assignments (https://cel.dev). They can use 'context' and \
            'event' (name, data, at). 'instance' (name, machine, version, startedAt) is checked, but has no value \
            here.
            """)

    @Argument(help: "The expression; - is standard input.")
    var expression: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The value of 'context': a JSON object, @FILE, or - for standard input.", valueName: "json|@file|-"))
    var context: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The value of 'event': {\"name\": …, \"data\": …, \"at\": …}, @FILE, or -.", valueName: "json|@file|-"))
    var event: String?

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The format of printed data.", valueName: "format"))
    var format: OutputFormat = .table

    @Option(help: .hidden)
    var address: String?

    @Flag(help: .hidden)
    var wide = false

    /// The global options: the verb uses no daemon, and `--context` is a value.
    var global: GlobalOptions {
        var options = GlobalOptions()
        (options.address, options.context, options.ca, options.format, options.wide) = (nil, nil, nil, format, false)
        return options
    }

    func validate() throws {
        guard [expression, context, event].count(where: { $0 == "-" }) <= 1 else {
            throw ValidationError("Standard input can be read only once: '-' is given twice")
        }
    }

    func run(in session: Session) async throws {
        let source = try source(in: session)
        let context = try object(context, "--context", in: session)
        let event = try object(event, "--event", in: session) ?? JSONObject()
        for key in event.keys where !["name", "data", "at"].contains(key) {
            throw CommandFailure(.badData, "An event has no '\(key)': write {\"name\": …, \"data\": …, \"at\": …}")
        }
        let at = try event["at"].map(Self.time)
        let compilation = Program.compile(source, in: Vocabulary.environment(contextKeys: context?.keys))
        guard let program = compilation.program, compilation.issues.isEmpty else {
            let lines = compilation.issues.map { "\($0.line):\($0.column): \($0.message)" }
            throw CommandFailure(
                .badData, "The expression has \(lines.count == 1 ? "a mistake" : "mistakes")", notes: lines)
        }
        var budget = Budget()
        let trial = Trial(context: context ?? JSONObject(), event: event, at: at)
        do throws(EvaluationError) {
            let value = try program.value(trial, &budget)
            let answer = Answer(value: try value.json(&budget), type: value.typeName.word)
            try printed(answer, in: session)
        } catch {
            let place = error.range.map(program.location)
            let prefix = place.map { "\($0.line):\($0.column): " } ?? ""
            throw CommandFailure(.refused, "The expression fails", notes: [prefix + error.message])
        }
    }

    private func printed(_ answer: Answer, in session: Session) throws(EvaluationError) {
        do {
            try session.print(answer) { "\(JSONWriter.string(answer.value))\n" }
        } catch {
            throw EvaluationError(.host, "the result cannot be printed: \(error)")
        }
    }

    private static func time(_ value: JSONValue) throws -> WorkflowCEL.Timestamp {
        guard let text = value.string, let time = try? WorkflowCEL.Timestamp(text: text) else {
            throw CommandFailure(.badData, "'at' of an event is a time, such as \"2026-07-31T09:30:00Z\"")
        }
        return time
    }

    private func source(in session: Session) throws -> String {
        guard expression == "-" else { return expression }
        let bytes = try session.environment.files.read("-", limit: CELLimits.sourceBytes)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(.badData, "The expression is not valid UTF-8")
        }
        // A shell's final line end is not part of the text.
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    private func object(_ argument: String?, _ option: String, in session: Session) throws -> JSONObject? {
        guard let argument else { return nil }
        let value = try DataArgument.value(of: argument, option: option, in: session)
        guard let object = value.object else {
            throw CommandFailure(.badData, "\(option) must be a map, not \(value.describedKind)")
        }
        return object
    }
}

/// The value of an expression, and its type.
private struct Answer: JSONWritable {
    let value: JSONValue
    let type: String

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("value", value)
            writer.field("type", type)
        }
    }
}

/// The variables of an expression that is tried on its own.
private struct Trial: Activation {
    let context: JSONObject
    let event: JSONObject
    let at: WorkflowCEL.Timestamp?

    func value(of variable: Int, _ budget: inout Budget) throws(EvaluationError) -> Value {
        switch variable {
        case Vocabulary.context: return Value(.object(context))
        case Vocabulary.event:
            let time = at.map { [MapValue.Entry(key: .string("at"), value: .timestamp($0))] } ?? []
            // In the order of the keys.
            return .map(
                .entries(
                    time + [
                        MapValue.Entry(key: .string("data"), value: Value(event["data"] ?? .null)),
                        MapValue.Entry(key: .string("name"), value: Value(event["name"] ?? .null)),
                    ]))
        default: throw EvaluationError(.host, "there is no instance here")
        }
    }

    func call(_ function: Int, _ arguments: [Value], _ budget: inout Budget) throws(EvaluationError) -> Value {
        let name = function == Vocabulary.isActive ? "In" : "hasTag"
        throw EvaluationError(.host, "there is no machine here whose states '\(name)' could ask for")
    }
}
