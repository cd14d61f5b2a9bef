import Testing
import WorkflowCEL

@Suite struct LiteralTests {
    @Test(arguments: [
        ("-9223372036854775808", "-9223372036854775808"), ("0x1F", "31"), ("-0x10", "-16"), ("0XfU", "15u"),
        ("18446744073709551615u", "18446744073709551615u"), (".5", "0.5"), ("1e3", "1000.0"), ("-1.5E-1", "-0.15"),
        ("1 // one", "1"), ("// one\n2", "2"), ("'a' // 'b'\n + 'c'", "'ac'"),
    ])
    func numbersAreRead(text: String, value: String) throws {
        #expect(try Trial.value(text) == value)
    }

    @Test(arguments: [
        (#"'a"b'"#, #"'a"b'"#), (#""a'b""#, "'a'b'"), ("'''a'b\n'''", "'a'b\n'"), (#"r'a\n'"#, #"'a\n'"#),
        (#"R"\""#, #"'\'"#), (#"'\x41\u00e9\U0001F431\101'"#, "'Aé🐱A'"), (#"b'\x00\377'"#, "b[0, 255]"),
        ("b'é'", "b[195, 169]"), (#"bR'\n'"#, "b[92, 110]"), (#"'\a\\\?\`'"#, "'\u{7}\\?`'"), ("''", "''"),
    ])
    func stringsAreRead(text: String, value: String) throws {
        #expect(try Trial.value(text) == value)
    }

    @Test(arguments: [
        ("[1, 2,]", "[1, 2]"), ("{'a': 1,}", "{string(\"a\"): 1}"), ("[]", "[]"), ("{}", "{}"),
        ("{2: 'b', true: 'a', 'k': 0, 1u: 'c'}", "{bool(true): 'a', int(1): 'c', int(2): 'b', string(\"k\"): 0}"),
        ("context.`amount`", "500"), ("{'content-type': 1}.`content-type`", "1"), ("{'if': 1}.if", "1"),
        (".small", "true"), ("int", "int"), ("google.protobuf.Timestamp", "google.protobuf.Timestamp"),
        ("type(1) == int && type(int) == type", "true"),
    ])
    func everythingElseIsRead(text: String, value: String) throws {
        #expect(try Trial.value(text) == value)
    }

    @Test(arguments: [
        ("1 + 2 * 3", "7"), ("(1 + 2) * 3", "9"), ("10 - 3 - 2", "5"), ("-2 * -3", "6"), ("--2", "2"),
        ("!!true", "true"),
        ("1 < 2 == true", "true"), ("true || false && false", "true"), ("false ? 1 : true ? 2 : 3", "2"),
        ("1 + 1 in [2]", "true"), ("-context.amount", "-500"), ("- 5", "-5"), ("7 % 4 * 2", "6"),
    ])
    func operatorsBindInTheirOrder(text: String, value: String) throws {
        #expect(try Trial.value(text) == value)
    }

    @Test func macrosCanBeLeftOut() {
        var options = CompileOptions()
        options.hasMacros = false
        let compilation = Program.compile("[1].all(context, true)", in: Trial.environment, options)
        #expect(compilation.issues.map(\.message) == ["unknown function 'all'; did you mean 'all'?"])
    }
}
