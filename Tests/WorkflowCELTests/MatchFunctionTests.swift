import Testing
import WorkflowJSON

@testable import WorkflowCEL

@Suite struct MatchFunctionTests {
    @Test(arguments: [
        ("abcd", "bc", "true"), ("abcd", "^bc", "false"), ("mañana", "a+ñ+a+", "true"), ("🐱😀😀", "(a|😀){2}", "true"),
        ("", "", "true"), ("a\nb", "a.b", "false"), ("é", "^.$", "true"), ("e\u{301}", "^.$", "false"),
    ])
    func patternsMatchAnywhere(text: String, pattern: String, answer: String) throws {
        #expect(try LibraryCall.answer("matches", .string(text), .string(pattern)) == answer)
    }

    @Test func bothStylesAreThere() {
        #expect(FunctionLibrary.matchFunctions.map(\.isMember).sorted { !$0 && $1 } == [false, true])
    }

    @Test func aBrokenPatternSaysWhy() {
        #expect(
            LibraryCall.failure("matches", .string("a"), .string("(a"))
                == "the pattern is no RE2 regular expression: missing ): (a")
        #expect(
            LibraryCall.failure("matches", .string("a"), .string(#"(?=a)"#))
                == "the pattern is no RE2 regular expression: invalid perl operator: (?=")
        #expect(
            LibraryCall.failure("matches", .string("a"), .string("((a{100}){100}){100}"))
                .hasPrefix("the pattern is no RE2 regular expression: "))
    }

    @Test func patternsThatLookTheSameAreTwo() throws {
        #expect(try LibraryCall.answer("matches", .string("\u{E9}"), .string("^\u{E9}$")) == "true")
        #expect(try LibraryCall.answer("matches", .string("\u{E9}"), .string("^e\u{301}$")) == "false")
    }

    @Test func theCacheDoesNotGrowAndCostsTheSame() throws {
        let first = try LibraryCall.cost("matches", .string("a"), .string("never seen before"))
        let second = try LibraryCall.cost("matches", .string("a"), .string("never seen before"))
        #expect(first == second)
        for number in 0..<(3 * PatternCache.capacity) {
            #expect(try LibraryCall.answer("matches", .string("\(number)"), .string("^\(number)$")) == "true")
        }
    }

    @Test(.timeLimit(.minutes(20))) func noPatternBlowsUp() throws {
        let text = Value.string(String(repeating: "a", count: 10_000))
        #expect(try LibraryCall.answer("matches", text, .string("(a*)*b")) == "false")
        #expect(
            LibraryCall.failure("matches", .string(String(repeating: "a", count: 1 << 20)), .string("(x+x+)+y{500}"))
                == "the expression takes more than \(CELLimits.evaluation) steps")
    }

    @Test func aPatternWorksFromManyThreads() async throws {
        let pattern = try Pattern("^(ab|cd)+$")
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask {
                    var budget = Budget()
                    // A failure shows in the answer.
                    return (try? pattern.matches(number % 2 == 0 ? "abcdab" : "abc", &budget)) == (number % 2 == 0)
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
