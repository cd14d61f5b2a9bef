import Statechart
import Testing
import WorkflowJSON

struct DefinitionScalarTests {
    private func value(_ scalar: String) throws -> JSONValue? {
        try DefinitionReader.read("context: {k: \(scalar)}\nid: m\ninitial: a\nstates: {a: {}}").machine.context["k"]
    }

    @Test(arguments: [
        "on", "off", "yes", "No", "NO", "y", "1:30", "2024-01-31", "2024-01-31T10:00:00Z", "1_000", "0b1", "0x", "0o8",
        "0xg", "1e", "1e+", ".", "-", "+", "-.", "1.2.3", "12h", "nUll", "tRue", "=", "abc", ".infinity", "--1",
    ])
    func plainTextIsAString(scalar: String) throws {
        #expect(try value(scalar) == .string(scalar))
    }

    @Test(arguments: ["''", "'~'", "\"null\"", "'1'", "\"true\"", "'.inf'"])
    func quotedTextIsAString(scalar: String) throws {
        #expect(try value(scalar) == .string(String(scalar.dropFirst().dropLast())))
    }

    @Test(arguments: ["", "~", "null", "Null", "NULL"])
    func nullIsRead(scalar: String) throws {
        #expect(try value(scalar) == .null)
    }

    @Test(arguments: [("true", true), ("True", true), ("TRUE", true), ("false", false), ("FALSE", false)])
    func boolsAreRead(scalar: String, bool: Bool) throws {
        #expect(try value(scalar) == .bool(bool))
    }

    @Test(arguments: [
        ("0", 0), ("-0", 0), ("+12", 12), ("012", 12), ("-7", -7), ("0x1F", 31), ("0o14", 12),
        ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
    ])
    func integersAreRead(scalar: String, int: Int64) throws {
        #expect(try value(scalar) == .int(int))
    }

    @Test(arguments: [
        ("1.0", 1.0), ("1.", 1.0), (".5", 0.5), ("-.5", -0.5), ("+1.5e3", 1500), ("1e2", 100), ("1E-2", 0.01),
    ])
    func doublesAreRead(scalar: String, double: Double) throws {
        #expect(try value(scalar) == .double(double))
    }

    @Test(arguments: [
        (".inf", "'.inf' is not a number that JSON has"),
        ("-.INF", "'-.INF' is not a number that JSON has"),
        (".NaN", "'.NaN' is not a number that JSON has"),
        ("9223372036854775808", "the integer '9223372036854775808' does not fit 64 bits"),
        ("0xFFFFFFFFFFFFFFFF", "the integer '0xFFFFFFFFFFFFFFFF' does not fit 64 bits"),
        ("1e400", "the number '1e400' does not fit a double"),
    ])
    func numbersThatCannotBeKeptAreRefused(scalar: String, message: String) {
        let text = "{id: m, initial: a, context: {k: \(scalar)}, states: {a: {}}}"
        #expect(diagnostics(of: text) == ["1:34: error: \(message)"])
    }

    @Test func blockScalarsAreStrings() throws {
        let text = "id: m\ninitial: a\nstates: {a: {}}\ncontext:\n  k: |\n    1\n  l: >-\n    null\n"
        let context = try DefinitionReader.read(text).machine.context
        #expect(context["k"] == .string("1\n"))
        #expect(context["l"] == .string("null"))
    }

    @Test func contextKeepsNestedValues() throws {
        let machine = try DefinitionReader.read(
            "{id: m, initial: a, states: {a: {}}, context: {k: {z: [1, 2.0, {y: null}], a: on}}}"
        ).machine
        #expect(machine.context["k"] == ["a": "on", "z": [1, 2.0, ["y": .null]]])
    }
}
