import ManualTesting
import Testing
import ThreadTesting

/// Tests that the manual keeps its rules, and that each rule can fail.
@Suite(.ownThreads) struct ManualRulesTests {
    private static let pages = ManualPage.all + ManualPage.catalog
    private static let verbs = ManualRules.verbs(in: Repository.swiftFiles)
    /// The verbs of the daemon, without the program itself, a part of a verb, and the default command.
    private static let daemonVerbs = ManualRules.commandNames(in: Repository.swiftFiles, folder: "Sources/wfd")
        .subtracting(["wfd", "accept", "serve", "show", "check", "example"])

    @Test func thePagesAreThere() {
        let names = [
            "access", "api", "bulk", "calls", "clients", "concepts", "configuration", "console", "container",
            "cookbook", "definitions",
            "deleting", "digests", "disaster", "effects", "expressions", "faq", "glossary", "importing", "library",
            "operations", "postgres", "redacting", "remote", "repair", "routes", "runbook", "semantics", "streaming",
            "swift",
            "tables", "tasks", "testing", "tutorial", "versioning", "watching",
        ]
        #expect(ManualPage.all.map(\.path) == ["README.md"] + names.map { "docs/\($0).md" })
    }

    @Test func theArticlesAndTutorialsAreThere() {
        let names = ManualPage.catalog.compactMap { $0.path.split(separator: "/").last.map(String.init) }
        #expect(
            names == [
                "Durable.md", "FromOtherLibraries.md", "Outputs.md", "Ownership.md", "Rocket.tutorial",
                "StateMachines.md", "TimeAndTests.md", "Tutorials.tutorial", "ValuesAndRegions.md", "Workers.md",
                "DurableMachines.md", "WorkflowClient.md",
            ])
    }

    @Test func theReadmeIsAPage() {
        let bytes = Repository.bytes("README.md")?.count ?? .max
        #expect(bytes <= PageRules.readmeBytes)
    }

    @Test func theReadmeLeadsToSecurity() {
        #expect(ManualPage.page("README.md").links.contains { $0.target == "SECURITY.md" })
        let page = ManualPage.page("SECURITY.md")
        expectNone(PageRules.links(page, exists: Repository.exists) { ManualPage.page($0).anchors })
        expectNone(PageRules.sentences(page) + PageRules.words(page) + PageRules.blocks(page, swift: []))
    }

    @Test func theReadmeLeadsToEveryPage() {
        let targets = Set(ManualPage.page("README.md").links.map(\.target))
        for page in ManualPage.all.dropFirst() { #expect(targets.contains(page.path), "\(page)") }
    }

    @Test(arguments: pages) func everyLinkLeadsSomewhere(page: ManualPage) {
        expectNone(PageRules.links(page, exists: Repository.exists) { ManualPage.page($0).anchors })
    }

    @Test(arguments: pages) func sentencesEndInTime(page: ManualPage) {
        expectNone(PageRules.sentences(page))
    }

    @Test(arguments: pages) func noWordTellsHowItShouldFeel(page: ManualPage) {
        expectNone(PageRules.words(page))
    }

    @Test(arguments: pages) func blocksAreWhatTheySay(page: ManualPage) {
        let sources = Repository.files(in: "Examples").filter { $0.hasSuffix(".swift") }
            .map { Repository.file($0).text }
        #expect(sources.count > 5)
        expectNone(PageRules.blocks(page, swift: sources) + PageRules.indented(page))
    }

    @Test func everyVerbIsNamedAndEveryNamedVerbExists() {
        for (program, known) in [("wfctl", Self.verbs), ("wfd", Self.daemonVerbs)] {
            let found = ManualPage.all.flatMap { page in
                PageRules.verbs(of: program, in: page).map { (page: page, number: $0.number, verb: $0.verb) }
            }
            expectNone(
                found.filter { !known.contains($0.verb) }.map {
                    Finding($0.page.path, line: $0.number, "'\(program) \($0.verb)' does not exist")
                })
            let text = ManualPage.all.flatMap { $0.prose.map(\.line) }.joined(separator: "\n")
            let named = known.filter { text.contains("`\($0)`") }.union(found.map(\.verb))
            #expect(known.subtracting(named).sorted() == [], "\(program) has verbs that no page names")
        }
    }

    /// The daemon's codes are in its target, which no test can import. Another test compares those of `wfctl`.
    @Test func theExitCodesOfTheDaemonAreDocumented() {
        let lines = Repository.file("Sources/wfd/DaemonExit.swift").lines
        let codes = lines.compactMap { $0.firstMatch(of: /^    case \w+ = (\d+)$/).flatMap { Int($0.1) } }
        #expect(codes.count > 5)
        let rows = ManualPage.page("docs/api.md").section("## Exit codes").drop { $0 != "| code | of `wfd` |" }
        let documented = rows.compactMap { $0.firstMatch(of: /^\| (\d+) \|/).flatMap { Int($0.1) } }
        // 0 is success, 1 a difference that was found, and 64 the argument parser's own code.
        #expect(Set(documented) == Set(codes + [0, 1, 64]))
        #expect(documented.count == Set(documented).count)
    }

    @Test(arguments: [
        ("[a](b.md)", "docs/x.md:1: 'b.md' leads nowhere"),
        ("[a](../README.md#no)", "docs/x.md:1: 'README.md' has no heading '#no'"),
        ("[a](#no)", "docs/x.md:1: 'docs/x.md' has no heading '#no'"),
        ("[a](README.md)", "docs/x.md:1: 'README.md' leads nowhere"),
    ])
    func aLinkThatLeadsNowhereIsFound(text: String, finding: String) {
        let found = PageRules.links(page(text), exists: { ["README.md", "docs/x.md"].contains($0) }) { path in
            path == "README.md" ? ["yes"] : []
        }
        #expect(found.map(\.description) == [finding])
    }

    @Test func aLinkThatLeadsSomewhereIsNot() {
        let text = "# `a.b`, and C\n[a](#ab-and-c) `[x](y)` [b](https://example.org/#z) [c](../README.md)\n"
        let sample = page(text)
        #expect(sample.anchors == ["ab-and-c"])
        #expect(
            PageRules.links(sample, exists: { ["README.md", "docs/x.md"].contains($0) }) { _ in sample.anchors }.isEmpty
        )
    }

    @Test func aLongSentenceIsFound() {
        let words = Array(repeating: "`a b`", count: PageRules.sentenceWords).joined(separator: " ")
        #expect(PageRules.sentences(page("A word. " + words + ". Another.")).isEmpty)
        #expect(PageRules.sentences(page("# T\n\n- one\n- \(words)\n  more. Another.")).map(\.line) == [4])
        #expect(PageRules.sentences(page("```\n\(words) more\n```\n| \(words) | more |\n")).isEmpty)
    }

    @Test func directivesEndAParagraph() {
        let words = Array(repeating: "word", count: 20).joined(separator: " ")
        let tutorial = ManualPage(path: "x.tutorial", text: "@Step {\n    \(words)\n    @Code(a)\n    \(words)\n}\n")
        #expect(PageRules.sentences(tutorial).isEmpty)
        #expect(PageRules.indented(tutorial).isEmpty)
        #expect(PageRules.sentences(page("\(words)\n\(words)\n")).count == 1)
    }

    @Test func aWordOfComfortIsFound() {
        let found = PageRules.words(page("It Just works.\nThe just-in-time algorithm.\n```\nsimply\n```\nEasily!\n"))
        #expect(found.map(\.line) == [1, 6])
    }

    @Test(arguments: [
        ("yaml", "states: {}", "the block has no 'id'; mark it with 'fragment'"),
        ("yaml fragment", "id: m", "the block is a whole definition"),
        ("swift", "let b = 2", "the block stands in no file of Examples"),
        ("bash", "ls", "nothing checks a block of 'bash'"),
    ])
    func aBlockThatNothingChecksIsFound(kind: String, text: String, message: String) {
        let sample = page("```\(kind)\n\(text)\n```\n")
        #expect(PageRules.blocks(sample, swift: ["let a = 1\n"]) == [Finding("docs/x.md", line: 2, message)])
        #expect(PageRules.blocks(page("```swift\nlet a = 1\n```\n"), swift: ["let a = 1\n"]).isEmpty)
        #expect(PageRules.blocks(page("```yaml fragment\non: {}\n```\n"), swift: []).isEmpty)
    }

    @Test func codeOfAnotherLibraryStandsOnOnePage() {
        let text = "```swift\n// Before: another library\nlet b = 2\n```\n"
        let path = "Sources/StateMachines/StateMachines.docc/FromOtherLibraries.md"
        #expect(PageRules.blocks(ManualPage(path: path, text: text), swift: []).isEmpty)
        #expect(PageRules.blocks(page(text), swift: []).count == 1)
        let unmarked = ManualPage(path: path, text: "```swift\nlet b = 2\n```\n")
        #expect(PageRules.blocks(unmarked, swift: []).count == 1)
    }

    @Test func verbsAreFoundInTextAndInBlocks() {
        let found = PageRules.verbs(of: "wfctl", in: page("`wfctl show` and `wfctl --wide`\n$ wfctl list | wfctl x\n"))
        #expect(found.map(\.verb) == ["show", "list"])
    }

    private func page(_ text: String) -> ManualPage { ManualPage(path: "docs/x.md", text: text) }
}
