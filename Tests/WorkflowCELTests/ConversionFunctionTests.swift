import Testing
import WorkflowJSON

@testable import WorkflowCEL

@Suite struct ConversionFunctionTests {
    @Test(arguments: [
        (Value.double(-7.9), "-7"), (Value.double(0x1p62), "4611686018427387904"), (.string("-0"), "0"),
        (.string("+5"), "5"), (.string("-9223372036854775808"), "-9223372036854775808"),
        (.uint(9_223_372_036_854_775_807), "9223372036854775807"), (.timestamp(Timestamp(milliseconds: -1)), "-1"),
    ])
    func intTakesWhatHasAnInt(value: Value, int: String) throws {
        #expect(try LibraryCall.answer("int", value) == int)
    }

    @Test(arguments: [
        (Value.double(1e19), "the double is out of the range of an int"),
        (.double(0x1p63), "the double is out of the range of an int"),
        (.double(-0x1p63), "the double is out of the range of an int"),
        (.double(.nan), "the double is out of the range of an int"),
        (.double(-.infinity), "the double is out of the range of an int"),
        (.uint(1 << 63), "the uint is out of the range of an int"),
        (.string("9223372036854775808"), "the number in the string is out of the range of an int"),
        (.string("1.0"), "the string is no whole number; an int is written as '-42'"),
        (.string(""), "the string is no whole number; an int is written as '-42'"),
        (.string(" 1"), "the string is no whole number; an int is written as '-42'"),
        (.string("0x1"), "the string is no whole number; an int is written as '-42'"),
    ])
    func intRefusesTheRest(value: Value, message: String) {
        #expect(LibraryCall.failure("int", value) == message)
    }

    @Test func uintIsNeverNegative() throws {
        #expect(try LibraryCall.answer("uint", .double(1e19)) == "10000000000000000000u")
        #expect(try LibraryCall.answer("uint", .string("18446744073709551615")) == "18446744073709551615u")
        #expect(LibraryCall.failure("uint", .int(-1)) == "the int is out of the range of a uint")
        #expect(LibraryCall.failure("uint", .double(-0.5)) == "the double is out of the range of a uint")
        #expect(LibraryCall.failure("uint", .double(0x1p64)) == "the double is out of the range of a uint")
        #expect(
            LibraryCall.failure("uint", .string("+1")) == "the string is no whole number; a uint is written as '42'")
        let message = "the number in the string is out of the range of a uint"
        #expect(LibraryCall.failure("uint", .string("-1")) == message)
        #expect(LibraryCall.failure("uint", .string("18446744073709551616")) == message)
    }

    @Test(
        arguments: [
            ("1", 1.0), ("-0.0", -0.0), (".5", 0.5), ("6.02214e23", 6.02214e23), ("1E-3", 0.001),
            ("-Infinity", -.infinity),
            ("1e-400", 0),
        ] as [(String, Double)])
    func doubleReadsDecimals(text: String, double: Double) throws {
        #expect(try LibraryCall.answer("double", .string(text)) == "\(double)")
    }

    @Test(arguments: ["", "0x10", "nan", "inf", "1e", "1 ", "1_000", "--1", "½"])
    func doubleRefusesWhatIsNoDecimal(text: String) {
        #expect(
            LibraryCall.failure("double", .string(text))
                == "the string is no number; a double is written as '-1.5' or '2e10'")
    }

    @Test func doubleRefusesWhatIsTooLarge() throws {
        #expect(try LibraryCall.answer("double", .string("NaN")) == "nan")
        #expect(
            LibraryCall.failure("double", .string("1e309"))
                == "the number in the string is out of the range of a double")
    }

    @Test(
        arguments: [
            (1.0, "1"), (-0.0, "-0"), (123.456, "123.456"), (1_234_567.0, "1234567"), (1e20, "100000000000000000000"),
            (1e21, "1e+21"), (1.5e300, "1.5e+300"), (0.000001, "0.000001"), (1.25e-7, "1.25e-7"),
            (.leastNonzeroMagnitude, "5e-324"),
            (0.1 + 0.2, "0.30000000000000004"), (.infinity, "Infinity"), (-.infinity, "-Infinity"), (.nan, "NaN"),
        ] as [(Double, String)])
    func doublesAreWrittenWithTheFewestDigits(double: Double, text: String) throws {
        #expect(try LibraryCall.answer("string", .double(double)) == "\"\(text)\"")
    }

    @Test func stringWritesTheOtherTypes() throws {
        #expect(try LibraryCall.answer("string", .bool(true)) == "\"true\"")
        #expect(try LibraryCall.answer("string", .uint(.max)) == "\"18446744073709551615\"")
        #expect(try LibraryCall.answer("string", .span("1h30m")) == "\"5400s\"")
        #expect(try LibraryCall.answer("string", .moment("2009-02-13T23:31:30.50Z")) == "\"2009-02-13T23:31:30.5Z\"")
        #expect(try LibraryCall.answer("string", .bytes([0xF0, 0x9F, 0x90, 0xB1])) == "\"🐱\"")
        #expect(
            LibraryCall.failure("string", .bytes([0, 0xFF]))
                == "the bytes are invalid UTF-8; base64.encode takes any bytes")
    }

    @Test(arguments: ["1", "t", "T", "true", "TRUE", "True"]) func boolReadsTrue(text: String) throws {
        #expect(try LibraryCall.answer("bool", .string(text)) == "true")
    }

    @Test(arguments: ["0", "f", "F", "false", "FALSE", "False"]) func boolReadsFalse(text: String) throws {
        #expect(try LibraryCall.answer("bool", .string(text)) == "false")
    }

    @Test(arguments: ["", "yes", "tRUE", "true ", "01"]) func boolRefusesTheRest(text: String) {
        #expect(LibraryCall.failure("bool", .string(text)) == "the string is no bool; bool takes 'true' and 'false'")
    }

    @Test func timestampsCountSecondsSince1970() throws {
        #expect(try LibraryCall.answer("timestamp", .int(-62_135_596_800)) == "0001-01-01T00:00:00Z")
        #expect(try LibraryCall.answer("timestamp", .int(253_402_300_799)) == "9999-12-31T23:59:59Z")
        let message = "the timestamp is out of range: its year is not 1 to 9999 in UTC"
        #expect(LibraryCall.failure("timestamp", .int(253_402_300_800)) == message)
        #expect(LibraryCall.failure("timestamp", .int(.min)) == message)
    }

    @Test func typeNamesWhatAValueIs() throws {
        #expect(try LibraryCall.answer("type", .type(.int)) == "type")
        #expect(try LibraryCall.answer("type", .json([1])) == "list")
        #expect(try LibraryCall.answer("dyn", .json([1, 2.5])) == "[1, 2.5]")
    }
}
