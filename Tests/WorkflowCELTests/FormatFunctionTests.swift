import Testing
import WorkflowJSON

@testable import WorkflowCEL

@Suite struct FormatFunctionTests {
    @Test(arguments: [
        ("no clause", Value.values(), "no clause"), ("100%%", .values(), "100%"), ("%%%s%%", .json(["a"]), "%a%"),
        ("%s is %d", .json(["n", 3]), "n is 3"), ("%s", .values(.null), "null"),
        ("%d %d", .values(.uint(.max), .double(2.50)), "18446744073709551615 2.5"),
        ("%x %X %x", .values(.int(-255), .uint(255), .string("é")), "-ff FF c3a9"),
        ("%X", .values(.bytes([0, 0xAB])), "00AB"), ("%o %b %b", .values(.int(-8), .int(5), .bool(false)), "-10 101 0"),
        ("%s", .values(.values(.double(.nan), .double(-.infinity))), "[NaN, -Infinity]"),
        ("%s %s", .values(.double(1e21), .double(1e-7)), "1000000000000000000000 0.0000001"),
        ("%s", .values(.type(.timestamp)), "google.protobuf.Timestamp"),
        ("%s", .json([["b": [1, "x"], "a": true]]), "{a: true, b: [1, x]}"),
        ("%s", .values(.bytes([0x61, 0xFF, 0xFE, 0x62])), "a\u{FFFD}b"), ("é%s🐱", .json(["ñ"]), "éñ🐱"),
        ("%s", .json([1, 2]), "1"),
    ])
    func clausesTakeValuesInOrder(format: String, values: Value, text: String) throws {
        #expect(try LibraryCall.answer("format", .string(format), values) == "\"\(text)\"")
    }

    @Test(
        arguments: [
            ("%f", 2.71828, "2.718280"), ("%.3f", 1.2345, "1.234"), ("%.0f", 2.5, "2"), ("%.1f", -0.25, "-0.2"),
            ("%e", 1052.032911275, "1.052033e+03"), ("%.0e", -0.00015, "-1e-04"), ("%.2e", 1e100, "1.00e+100"),
            ("%f", .nan, "NaN"), ("%e", -.infinity, "-Infinity"), ("%.20f", 0.1, "0.10000000000000000555"),
        ] as [(String, Double, String)])
    func doublesAreRoundedToThePrecision(format: String, double: Double, text: String) throws {
        #expect(try LibraryCall.answer("format", .string(format), .values(.double(double))) == "\"\(text)\"")
    }

    @Test func theLargestDoubleHasAllItsDigits() throws {
        let text = try LibraryCall.answer(
            "format", .string("%.1000f"), .values(.double(-.greatestFiniteMagnitude)))
        #expect(text.hasPrefix("\"-17976931348623157"))
        #expect(text.utf8.count == 2 + 1 + 309 + 1 + 1000)
        #expect(try LibraryCall.answer("format", .string("%.1f"), .values(.int(3))) == "\"3.0\"")
    }

    @Test func keysAreSortedAsTheyAreWritten() throws {
        let map = Value.map(
            .entries([
                .init(key: .bool(true), value: .int(42)), .init(key: .int(6), value: try .span("422s")),
                .init(key: .string("strKey"), value: .string("x")),
            ]))
        #expect(
            try LibraryCall.answer("format", .string("%s"), .values(map)) == "\"{6: 422s, strKey: x, true: 42}\"")
    }

    @Test(arguments: [
        ("%02d:%02d", Value.json([7, 30]), "07:30"), ("%03d", .json([-5]), "-05"), ("%02d", .json([123]), "123"),
        ("%06d", .json([1.5]), "0001.5"), ("%05d", .values(.uint(9)), "00009"), ("%08d", .values(.double(.nan)), "NaN"),
        ("%01d", .json([0]), "0"),
    ])
    func aNumberHasZerosInFront(format: String, values: Value, text: String) throws {
        #expect(try LibraryCall.answer("format", .string(format), values) == "\"\(text)\"")
    }

    @Test(arguments: ["%0d", "%02s", "%02.1f", "%02", "%01001d", "%099999999999999999999d"])
    func otherClausesHaveNoWidth(format: String) {
        #expect(
            LibraryCall.failure("format", .string(format), .json([1]))
                == "zeros in front are for '%d', up to 1000 characters, as in '%02d'")
    }

    /// The message may be in recorded histories.
    @Test func theFirstVersionHasNoWidth() throws {
        var environment = Trial.environment
        environment.version = .first
        let program = try Trial.program("'%02d'.format([7])", in: environment)
        var budget = Budget()
        let error = #expect(throws: EvaluationError.self) { try program.value(Trial.Host(), &budget) }
        #expect(error?.message == "the format has '%0'; it knows %s, %d, %f, %e, %b, %o, %x, %X and %%")
    }

    @Test(arguments: [
        ("%a", Value.json([1]), "the format has '%a'; it knows %s, %d, %f, %e, %b, %o, %x, %X and %%"),
        ("%E", .json([0.5]), "the format has '%E'; it knows %s, %d, %f, %e, %b, %o, %x, %X and %%"),
        ("%🐱", .json([0.5]), "the format has a clause; it knows %s, %d, %f, %e, %b, %o, %x, %X and %%"),
        ("50%", .json([1]), "the format ends within a clause; a percent sign is written '%%'"),
        ("%.", .json([1]), "a precision is a number of digits from 0 to 1000, as in '%.2f'"),
        ("%.1001f", .json([1.5]), "a precision is a number of digits from 0 to 1000, as in '%.2f'"),
        ("%.99999999999999999999f", .json([1.5]), "a precision is a number of digits from 0 to 1000, as in '%.2f'"),
        ("%d %d %d", .json([0, 1]), "the format asks for more values than the 2 of the list"),
        ("%b", .json(["a"]), "'%b' takes an int, a uint or a bool, not a string"),
        ("%d", .values(.null), "'%d' takes a number, not null"),
        ("%o", .json([0.5]), "'%o' takes an int or a uint, not a double"),
        ("%x", .json([0.5]), "'%x' takes an int, a uint, a string or bytes, not a double"),
        ("%.2f", .json(["1"]), "'%f' takes a number, not a string"),
        ("%e", .json([true]), "'%e' takes a number, not a bool"),
        ("%s", .values(.optional(nil)), "'%s' takes any value but an optional, not an optional"),
    ])
    func whatDoesNotFitIsAnError(format: String, values: Value, message: String) {
        #expect(LibraryCall.failure("format", .string(format), values) == message)
    }

    @Test func aFormatIsBounded() {
        let megabyte = Value.string(String(repeating: "a", count: 1 << 20))
        #expect(
            LibraryCall.failure("format", .string("%s%s"), .values(megabyte, megabyte))
                == "a value of 2097152 bytes is larger than 1048576")
        #expect(
            LibraryCall.failure("format", .string("%x"), .values(megabyte))
                == "a value of 2097152 bytes is larger than 1048576")
        #expect(
            LibraryCall.failure("format", .string("%s"), .values(.values(.string("a"), .string("b"))), steps: 4)
                == "the expression takes more than \(CELLimits.evaluation) steps")
    }
}
