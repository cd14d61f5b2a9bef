import Testing
import ThreadTesting
import WorkflowJSON

@testable import WorkflowCEL

@Suite(.ownThreads) struct StringFunctionTests {
    /// A text of nine scalars: a family is three people and two joiners.
    private let family = "a👨‍👩‍👧é\u{301}b"

    @Test func sizeCountsScalarsNotGraphemes() throws {
        #expect(try LibraryCall.answer("size", .string(family)) == "9")
        #expect(try LibraryCall.answer("size", .string("e\u{301}")) == "2")
        #expect(try LibraryCall.answer("size", .string("")) == "0")
        #expect(try LibraryCall.answer("size", .bytes(Array("ÿ".utf8))) == "2")
        #expect(try LibraryCall.answer("size", .json(["a": 1, "b": 2])) == "2")
    }

    @Test func placesAreScalars() throws {
        #expect(try LibraryCall.answer("indexOf", .string(family), .string("👩")) == "3")
        #expect(try LibraryCall.answer("indexOf", .string(family), .string("\u{301}")) == "7")
        #expect(try LibraryCall.answer("charAt", .string(family), .int(5)) == "\"👧\"")
        #expect(try LibraryCall.answer("charAt", .string(family), .int(9)) == "\"\"")
        #expect(try LibraryCall.answer("substring", .string(family), .int(7)) == "\"\u{301}b\"")
        #expect(try LibraryCall.answer("substring", .string(family), .int(1), .int(2)) == "\"👨\"")
        #expect(try LibraryCall.answer("reverse", .string("a🐱é")) == "\"é🐱a\"")
    }

    @Test func substringStaysWithinItsBounds() throws {
        #expect(try LibraryCall.answer("substring", .string("tacocat"), .int(7)) == "\"\"")
        #expect(try LibraryCall.answer("substring", .string("tacocat"), .int(4), .int(4)) == "\"\"")
        #expect(
            LibraryCall.failure("substring", .string("tacocat"), .int(8))
                == "index 8 is out of range: the string has 7 characters")
        #expect(
            LibraryCall.failure("substring", .string("🐱"), .int(0), .int(2))
                == "index 2 is out of range: the string has 1 characters")
        #expect(
            LibraryCall.failure("substring", .string("tacocat"), .int(-1))
                == "index -1 is out of range: the string has 7 characters")
        #expect(
            LibraryCall.failure("substring", .string("tacocat"), .int(4), .int(3))
                == "a substring cannot end at 3, before its start at 4")
        #expect(
            LibraryCall.failure("charAt", .string(""), .int(.max))
                == "index 9223372036854775807 is out of range: the string has 0 characters")
    }

    @Test(arguments: [
        ("hello mellow", "", 2, "2"), ("hello mellow", "ello", 2, "7"), ("hello mellow", "jello", 0, "-1"),
        ("abcabcabd", "abcabd", 0, "3"), ("aaab", "aab", 1, "1"), ("ta©o©αT", "©αT", 3, "4"), ("abc", "a", 3, "-1"),
    ])
    func indexOfFindsTheFirst(text: String, part: String, from: Int64, place: String) throws {
        #expect(try LibraryCall.answer("indexOf", .string(text), .string(part), .int(from)) == place)
    }

    @Test(arguments: [
        ("bananananana", "nana", 7, "6"), ("hello mellow", "ello", 6, "1"), ("ta©o©αT", "©", 3, "2"),
        ("tacocat", "", 3, "3"), ("aaaa", "aa", 1, "1"), ("tacocat", "t", 7, "6"), ("tacocat", "x", 7, "-1"),
    ])
    func lastIndexOfFindsTheLast(text: String, part: String, upTo: Int64, place: String) throws {
        #expect(try LibraryCall.answer("lastIndexOf", .string(text), .string(part), .int(upTo)) == place)
    }

    @Test func indexesOutsideTheStringAreErrors() throws {
        #expect(try LibraryCall.answer("lastIndexOf", .string(""), .string("@@")) == "-1")
        #expect(try LibraryCall.answer("lastIndexOf", .string("tacocat"), .string("")) == "7")
        let message = "index 30 is out of range: the string has 7 characters"
        #expect(LibraryCall.failure("indexOf", .string("tacocat"), .string("a"), .int(30)) == message)
        #expect(LibraryCall.failure("indexOf", .string("tacocat"), .string(""), .int(30)) == message)
        #expect(LibraryCall.failure("lastIndexOf", .string("tacocat"), .string("a"), .int(30)) == message)
    }

    @Test func bytesDecideNotUnicodeEquivalence() throws {
        #expect(try LibraryCall.answer("contains", .string("\u{E9}"), .string("e\u{301}")) == "false")
        #expect(try LibraryCall.answer("startsWith", .string("e\u{301}"), .string("e")) == "true")
        #expect(try LibraryCall.answer("endsWith", .string("e\u{301}"), .string("\u{301}")) == "true")
        #expect(try LibraryCall.answer("endsWith", .string("a"), .string("ba")) == "false")
    }

    @Test(.timeLimit(.minutes(20))) func searchingIsLinear() throws {
        let text = Value.string(String(repeating: "a", count: 1_000_000))
        let part = Value.string(String(repeating: "a", count: 500_000) + "b")
        // Half a million comparisons for each of a million bytes would take minutes.
        #expect(try LibraryCall.answer("contains", text, part) == "false")
        #expect(try LibraryCall.answer("lastIndexOf", text, part) == "-1")
        #expect(try LibraryCall.answer("indexOf", text, .string("aab")) == "-1")
    }

    @Test func whatIsWalkedIsPaidFor() throws {
        let text = Value.string(String(repeating: "a", count: 64_000))
        #expect(try LibraryCall.cost("size", text) == 1001)
        #expect(try LibraryCall.cost("contains", text, .string("b")) == 1002)
        #expect(
            LibraryCall.failure("size", text, steps: 1000)
                == "the expression takes more than \(CELLimits.evaluation) steps")
    }
}
