import Testing
import ThreadTesting
import WorkflowJSON

@testable import WorkflowCEL

@Suite(.ownThreads) struct ListFunctionTests {
    @Test func slicesAreWithinTheList() throws {
        #expect(try LibraryCall.answer("slice", .json([1, 2, 3, 4]), .int(1), .int(3)) == "[2, 3]")
        #expect(try LibraryCall.answer("slice", .values(.int(1)), .int(1), .int(1)) == "[]")
        for (from, to) in [(-1, 1), (2, 1), (0, 3), (0, .max)] as [(Int64, Int64)] {
            #expect(
                LibraryCall.failure("slice", .json([1, 2]), .int(from), .int(to))
                    == "a slice from \(from) to \(to) is not within the list of 2 elements")
        }
    }

    @Test func reversedListsKeepTheirJSON() throws {
        #expect(try LibraryCall.answer("reverse", .json([1, "a", 2.5])) == #"[2.5, "a", 1]"#)
        #expect(try LibraryCall.answer("reverse", .values()) == "[]")
    }

    @Test func flattenGoesAsDeepAsItIsTold() throws {
        let list = Value.json([1, [2, [3, [4]]], []])
        #expect(try LibraryCall.answer("flatten", list) == "[1, 2, [3, [4]]]")
        #expect(try LibraryCall.answer("flatten", list, .int(0)) == "[1, [2, [3, [4]]], []]")
        #expect(try LibraryCall.answer("flatten", list, .int(.max)) == "[1, 2, 3, 4]")
        #expect(LibraryCall.failure("flatten", list, .int(-1)) == "flatten takes a depth of at least 0, not -1")
    }

    @Test func distinctFollowsEquality() throws {
        #expect(
            try LibraryCall.answer("distinct", .values(.int(1), .uint(1), .double(1), .string("1"), .int(2)))
                == #"[1, "1", 2]"#)
        #expect(
            try LibraryCall.answer("distinct", .json([[1, 2], [1, 2.0], ["a": 1], ["a": 1.0], ["a": 2], []]))
                == #"[[1, 2], [(WorkflowCEL.MapKey.string("a"), "1")], [(WorkflowCEL.MapKey.string("a"), "2")], []]"#)
        #expect(try LibraryCall.answer("distinct", .values(.double(.nan), .double(.nan))) == "[nan, nan]")
        #expect(try LibraryCall.answer("distinct", .values(.double(0), .double(-0.0), .null, .null)) == "[0.0, null]")
        #expect(
            try LibraryCall.answer("distinct", .json(["\u{E9}", "e\u{301}", "\u{E9}"])) == "[\"\u{E9}\", \"e\u{301}\"]")
        #expect(
            try LibraryCall.answer("distinct", .values(.int(9_007_199_254_740_993), .int(9_007_199_254_740_992)))
                == "[9007199254740993, 9007199254740992]")
    }

    @Test func sortOrdersWhatHasAnOrder() throws {
        #expect(try LibraryCall.answer("sort", .json([3, 1.5, -2, 2])) == "[-2, 1.5, 2, 3]")
        #expect(try LibraryCall.answer("sort", .json(["b", "é", "a", "aa"])) == #"["a", "aa", "b", "é"]"#)
        #expect(try LibraryCall.answer("sort", .json([true, false])) == "[false, true]")
        #expect(
            try LibraryCall.answer("sort", .values(.double(.nan), .double(1), .double(.nan), .double(-.infinity)))
                == "[-inf, 1.0, nan, nan]")
        #expect(
            try LibraryCall.answer("sort", .values(try .span("1h"), try .span("-1ns"), try .span("1s")))
                == "[-0.000000001s, 1s, 3600s]")
        #expect(try LibraryCall.answer("sort", .values(.bytes([2]), .bytes([1, 3]))) == "[[1, 3], [2]]")
        #expect(try LibraryCall.answer("sort", .values()) == "[]")
    }

    @Test func sortRefusesMixedKinds() {
        #expect(
            LibraryCall.failure("sort", .values(.null)) == "sort takes elements that have an order; element 0 is null")
        #expect(
            LibraryCall.failure("sort", .json([1, "b"]))
                == "sort takes elements of one type; element 0 is an int, element 1 is a string")
        #expect(
            LibraryCall.failure("sort", .json(["a", [1]]))
                == "sort takes elements that have an order; element 1 is a list")
    }

    @Test func rangesAreBoundedByTheBudget() throws {
        #expect(try LibraryCall.answer("lists.range", .int(3)) == "[0, 1, 2]")
        #expect(LibraryCall.failure("lists.range", .int(-1)) == "lists.range takes a count of at least 0, not -1")
        let message = "the expression takes more than \(CELLimits.evaluation) steps"
        #expect(LibraryCall.failure("lists.range", .int(.max)) == message)
        #expect(LibraryCall.failure("lists.range", .int(11), steps: 10) == message)
    }

    @Test(.timeLimit(.minutes(20))) func distinctOfScalarsIsLinear() throws {
        let numbers = Value.list(.values((0..<100_000).map { .int($0) }))
        #expect(try LibraryCall.cost("distinct", numbers) == 400_000)
        #expect(try LibraryCall.answer("distinct", numbers).hasSuffix("99998, 99999]"))
        let lists = Value.list(.values((0..<10_000).map { .values(.int($0)) }))
        #expect(
            LibraryCall.failure("distinct", lists) == "the expression takes more than \(CELLimits.evaluation) steps")
    }
}
