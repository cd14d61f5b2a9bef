import ArgumentParser
import WorkflowAPI
import WorkflowJSON

/// The option `--data`, shared by several verbs.
struct DataOption: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The event's data: JSON, @FILE, or - for standard input.", valueName: "json|@file|-"))
    var data: String?

    /// Returns the value, or `nil` if the option was not given.
    func value(in session: Session) throws -> JSONValue? {
        try data.map { try DataArgument.value(of: $0, in: session) }
    }
}

/// Reads JSON from the command line.
enum DataArgument {
    /// Returns the value of JSON text, of a file after `@`, or of standard input for `-`.
    static func value(
        of argument: String, option: String = "--data", in session: Session
    ) throws -> JSONValue {
        let bytes: [UInt8]
        let source: String
        if argument == "-" {
            source = "standard input"
            bytes = try session.environment.files.read("-", limit: APILimits.bodyBytes)
        } else if argument.hasPrefix("@") {
            source = String(argument.dropFirst())
            bytes = try session.environment.files.read(source, limit: APILimits.bodyBytes)
        } else {
            source = option
            bytes = Array(argument.utf8)
        }
        do {
            return try JSONReader.value(from: bytes)
        } catch {
            throw CommandFailure(
                .badData, "The data of '\(source)' is not JSON: \(error.description)",
                notes: source == option ? hint(argument).map { [$0] } ?? [] : [])
        }
    }

    /// Returns a sentence with the JSON that is probably meant by `NAME=VALUE`, or `nil` for other texts.
    private static func hint(_ argument: String) -> String? {
        let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, let key = parts.first, key.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
        else { return nil }
        // A bare word is a string.
        let value = (try? JSONReader.value(from: parts[1])) ?? .string(parts[1])
        return "it is written '\(JSONWriter.string([key: value] as JSONValue))'"
    }

    /// Returns the data of a start, which replaces keys of the context.
    static func object(of argument: String, in session: Session) throws -> JSONObject {
        let value = try value(of: argument, in: session)
        guard let object = value.object else {
            throw CommandFailure(.badData, "The data of a start must be a map, not \(value.describedKind)")
        }
        return object
    }
}
