import Testing
import WorkflowJSON

@testable import WorkflowCEL

@Suite struct MathFunctionTests {
    @Test func extremesTakeNumbersOfAllTypes() throws {
        #expect(
            try LibraryCall.answer("math.greatest", .double(5.4), .int(10), .uint(3), .double(-5), .int(.max))
                == "9223372036854775807")
        #expect(try LibraryCall.answer("math.least", .json([5.4, 10, -5])) == "-5")
        #expect(try LibraryCall.answer("math.greatest", .uint(.max), .int(-1)) == "18446744073709551615u")
        #expect(try LibraryCall.answer("math.least", .uint(.max), .int(-1)) == "-1")
        #expect(try LibraryCall.answer("math.greatest", .int(1), .double(1)) == "1")
        #expect(try LibraryCall.answer("math.least", .int(7)) == "7")
        let eight = (1...8).map { Value.int($0) }
        #expect(LibraryCall.overload("math.greatest", eight)?.result == .int)
        #expect(LibraryCall.overload("math.greatest", eight + [.int(9)]) == nil)
        #expect(LibraryCall.overload("math.greatest", [.int(1), .uint(1)])?.result == .dyn)
    }

    @Test func extremesRefuseTheRest() {
        #expect(
            LibraryCall.failure("math.greatest", .json([]))
                == "math.greatest takes at least one number; the list is empty")
        #expect(LibraryCall.failure("math.least", .json([1, "a"])) == "math.least takes numbers, not a string")
        #expect(LibraryCall.failure("math.greatest", .string("a")) == "math.greatest takes numbers, not a string")
        #expect(
            LibraryCall.failure("math.greatest", .double(1), .double(.nan))
                == "math.greatest cannot compare NaN with a number")
    }

    @Test(
        arguments: [
            ("ceil", -1.2, "-1.0"), ("floor", -1.2, "-2.0"), ("trunc", -1.9, "-1.0"), ("round", -1.5, "-2.0"),
            ("round", 2.5, "3.0"), ("round", 0.49999999999999994, "0.0"), ("round", .nan, "nan"), ("sqrt", 2.25, "1.5"),
            ("sqrt", -1, "nan"), ("abs", -0.0, "0.0"), ("sign", -32, "-1.0"), ("sign", .nan, "nan"), ("sign", 0, "0.0"),
            ("isInf", -.infinity, "true"), ("isNaN", .nan, "true"), ("isFinite", 1e308, "true"),
            ("isFinite", .nan, "false"),
        ] as [(String, Double, String)])
    func doublesHaveTheirFunctions(name: String, double: Double, answer: String) throws {
        #expect(try LibraryCall.answer("math.\(name)", .double(double)) == answer)
    }

    @Test func integersHaveTheirFunctions() throws {
        #expect(try LibraryCall.answer("math.abs", .int(-11)) == "11")
        #expect(try LibraryCall.answer("math.sign", .int(.min)) == "-1")
        #expect(try LibraryCall.answer("math.sign", .uint(9)) == "1u")
        #expect(try LibraryCall.answer("math.sqrt", .int(81)) == "9.0")
        #expect(
            LibraryCall.failure("math.abs", .int(.min)) == "integer overflow: math.abs of the smallest int is no int")
        #expect(LibraryCall.overload("math.ceil", [.int(1)]) == nil)
        #expect(LibraryCall.overload("math.sign", [.bool(true)]) == nil)
    }

    @Test func bitsAreShiftedLogically() throws {
        #expect(try LibraryCall.answer("math.bitAnd", .int(5), .int(-2)) == "4")
        #expect(try LibraryCall.answer("math.bitOr", .int(4), .int(-2)) == "-2")
        #expect(try LibraryCall.answer("math.bitXor", .uint(1), .uint(3)) == "2u")
        #expect(try LibraryCall.answer("math.bitNot", .uint(0)) == "18446744073709551615u")
        #expect(try LibraryCall.answer("math.bitShiftLeft", .int(1), .int(63)) == "-9223372036854775808")
        #expect(try LibraryCall.answer("math.bitShiftLeft", .int(-1), .int(200)) == "0")
        #expect(try LibraryCall.answer("math.bitShiftRight", .int(-1024), .int(3)) == "2305843009213693824")
        #expect(try LibraryCall.answer("math.bitShiftRight", .uint(1024), .int(.max)) == "0u")
        #expect(LibraryCall.failure("math.bitShiftLeft", .uint(1), .int(-1)).hasPrefix("negative offset"))
    }
}
