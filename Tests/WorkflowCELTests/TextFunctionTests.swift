import Testing
import ThreadTesting
import WorkflowJSON

@testable import WorkflowCEL

@Suite(.ownThreads) struct TextFunctionTests {
    @Test func onlyASCIIChangesCase() throws {
        #expect(try LibraryCall.answer("lowerAscii", .string("TacoCÆt@[Z")) == "\"tacocÆt@[z\"")
        #expect(try LibraryCall.answer("upperAscii", .string("tacoCαt`{z")) == "\"TACOCαT`{Z\"")
    }

    @Test(arguments: [
        (" \u{C}\n\r\t\u{B}text  ", "text"), ("\u{85}\u{A0}\u{1680}text\u{2028}\u{3000}", "text"), (" \t ", ""),
        ("\u{180E}text\u{200B}\u{FEFF}", "\u{180E}text\u{200B}\u{FEFF}"), (" a b ", "a b"), ("\r\n\r\nx", "x"),
    ])
    func trimTakesUnicodeWhiteSpace(text: String, trimmed: String) throws {
        #expect(try LibraryCall.answer("trim", .string(text)) == "\"\(trimmed)\"")
    }

    @Test(arguments: [
        ("hello hello", "he", "we", -1, "wello wello"), ("hello hello", "he", "we", 1, "wello hello"),
        ("hello hello", "he", "we", 0, "hello hello"), ("aaa", "aa", "b", -1, "ba"), ("añb", "", "_", -1, "_a_ñ_b_"),
        ("añb", "", "_", 2, "_a_ñb"), ("", "", "x", -1, "x"), ("1 ©αT", "αT", "o©α", -1, "1 ©o©α"),
        ("ab", "ab", "", -1, ""),
    ])
    func replaceTakesTheFirstSoMany(text: String, old: String, new: String, limit: Int64, replaced: String) throws {
        let arguments: [Value] = [.string(text), .string(old), .string(new)]
        #expect(
            try LibraryCall.answer("replace", arguments[0], arguments[1], arguments[2], .int(limit))
                == "\"\(replaced)\"")
        if limit < 0 {
            #expect(try LibraryCall.answer("replace", arguments[0], arguments[1], arguments[2]) == "\"\(replaced)\"")
        }
    }

    @Test(arguments: [
        ("a b c", " ", -1, #"["a", "b", "c"]"#), ("a b c", " ", 2, #"["a", "b c"]"#), ("a b c", " ", 1, #"["a b c"]"#),
        ("a b c", " ", 0, "[]"), ("", ",", -1, #"[""]"#), (",", ",", -1, #"["", ""]"#),
        ("é🐱x", "", -1, #"["é", "🐱", "x"]"#),
        ("é🐱x", "", 2, #"["é", "🐱x"]"#), ("é🐱x", "", 1, #"["é🐱x"]"#), ("", "", -1, "[]"),
        ("abab", "ab", 9, #"["", "", ""]"#),
    ])
    func splitMakesSoManyParts(text: String, separator: String, limit: Int64, parts: String) throws {
        #expect(try LibraryCall.answer("split", .string(text), .string(separator), .int(limit)) == parts)
        if limit < 0 { #expect(try LibraryCall.answer("split", .string(text), .string(separator)) == parts) }
    }

    @Test func joinTakesStringsOnly() throws {
        #expect(try LibraryCall.answer("join", .json(["x", "y"]), .string("-")) == #""x-y""#)
        #expect(try LibraryCall.answer("join", .values(.string("x"), .string("y"))) == #""xy""#)
        #expect(try LibraryCall.answer("join", .values(), .string("-")) == "\"\"")
        #expect(
            LibraryCall.failure("join", .json(["x", 1]), .string("-"))
                == "join takes a list of strings; its element 1 is an int")
    }

    @Test func quoteEscapesWhatALiteralNeeds() throws {
        #expect(
            try LibraryCall.answer("strings.quote", .string("\u{7}\u{8}\u{C}\n\r\t\u{B}\\\"🐱"))
                == "\"" + #""\a\b\f\n\r\t\v\\\"🐱""# + "\"")
        #expect(try LibraryCall.answer("strings.quote", .string("")) == "\"\"\"\"")
    }

    @Test func nothingGrowsPastTheLargestValue() {
        let half = Value.string(String(repeating: "a", count: CELLimits.valueBytes / 2 + 1))
        let message = "a value of \(CELLimits.valueBytes + 2) bytes is larger than \(CELLimits.valueBytes)"
        #expect(LibraryCall.failure("replace", half, .string("a"), .string("bb")) == message)
        #expect(LibraryCall.failure("join", .values(half, half)) == message)
        let lines = Value.string(String(repeating: "\n", count: CELLimits.valueBytes))
        #expect(LibraryCall.failure("strings.quote", lines).hasSuffix("is larger than \(CELLimits.valueBytes)"))
    }

    @Test(.timeLimit(.minutes(20))) func splittingAndReplacingAreLinear() throws {
        let text = Value.string(String(repeating: "🐱,", count: 200_000))
        #expect(LibraryCall.failure("split", text, .string(",")).hasPrefix(#"["🐱", "#))
        #expect(LibraryCall.failure("split", text, .string("")).hasPrefix(#"["🐱", ","#))
        #expect(LibraryCall.failure("replace", text, .string(","), .string(";")).hasPrefix(#""🐱;"#))
    }
}
