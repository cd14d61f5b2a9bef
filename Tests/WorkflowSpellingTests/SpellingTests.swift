import Testing
import WorkflowSpelling

struct WorkflowSpellingTests {
    @Test(arguments: [
        ("entyr", "entry"), ("Entry", "entry"), ("exti", "exit"), ("tarjet", "target"), ("onDone", "onDone"),
        ("ondone", "onDone"), ("on_done", "onDone"), ("INITIAL", "initial"), ("intial", "initial"), ("o", "on"),
        ("awayls", "always"),
    ])
    func nearWordIsFound(word: String, closest: String) {
        let keys = ["id", "initial", "on", "onDone", "entry", "exit", "always", "target"]
        #expect(Spelling.closest(to: word, among: keys) == closest)
    }

    @Test(arguments: ["", "x", "xyz", "completely", "tryen", String(repeating: "entry", count: 50)])
    func farWordIsNot(word: String) {
        #expect(Spelling.closest(to: word, among: ["id", "initial", "onDone", "entry", ""]) == nil)
    }

    @Test func firstOfSeveralEquallyNearIsTaken() {
        #expect(Spelling.closest(to: "state3", among: ["other", "state1", "state2"]) == "state1")
        #expect(Spelling.closest(to: "states", among: ["staets", "status", "stateS"]) == "stateS")
    }

    @Test func whatBeginsWithTheWordIsNearer() {
        #expect(Spelling.closest(to: "statu", among: ["state", "status", "statua"]) == "status")
        #expect(Spelling.closest(to: "statu", among: ["stats", "stat"]) == "stats")
    }

    @Test(arguments: [
        (
            "Unknown option '--statu'. Did you mean '--state'?\nUsage: x",
            "Unknown option '--statu'. Did you mean '--status'?\nUsage: x"
        ),
        ("Unknown option '--verison'", "Unknown option '--verison'. Did you mean '--version'?"),
        ("Unknown option '--sideways'. Did you mean '--state'?", "Unknown option '--sideways'"),
        ("Missing expected argument '<x>'", "Missing expected argument '<x>'"),
    ])
    func anOptionIsSuggestedByItsHelp(message: String, improved: String) {
        let help = "OPTIONS:\n  --state <state>  In it.\n  --status <a|b>\n  -o, --output <format>\n  --version"
        #expect(OptionSuggestion.improved(message, of: ["--status=x", "a"], help: help) == improved)
    }

    /// The parser takes `1` for an argument that nobody gave.
    @Test func anUnknownOptionIsNamedBeforeWhatFollowsFromIt() {
        let (help, message) = ("OPTIONS:\n  --state <state>  In it.\n", "'--state' goes without an instance\nUsage: x")
        #expect(
            OptionSuggestion.improved(message, of: ["tail", "--state", "a", "--limit", "1"], help: help)
                == "Unknown option '--limit'\nUsage: x")
        #expect(OptionSuggestion.improved(message, of: ["tail", "--", "--limit"], help: help) == message)
    }

    @Test func nothingIsNearWhereNothingIs() {
        #expect(Spelling.closest(to: "a", among: EmptyCollection()) == nil)
    }
}
