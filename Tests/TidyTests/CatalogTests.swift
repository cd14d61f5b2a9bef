import ManualTesting
import Testing
import ThreadTesting

/// Tests that the library's catalog shows code that is compiled and tested, and leads to everything public.
@Suite(.ownThreads) struct CatalogTests {
    private static func resources(_ name: String) -> [SourceFile] {
        Repository.files(in: "\(CatalogRules.folder)/Resources")
            .filter { $0.split(separator: "/").last?.prefix { $0 != "-" } == name[...] }.map(Repository.file)
    }

    /// The package of the examples has more programs than the tutorial's.
    @Test(arguments: [
        ("Package", "Examples/Swift/Package.swift", 2, false),
        ("Rocket", "Examples/Swift/Sources/Seeds/Rocket.swift", 8, true),
        ("RocketTests", "Examples/Swift/Tests/SeedsTests/RocketTests.swift", 3, true),
        ("main", "Examples/Swift/Sources/countdown/main.swift", 1, true),
    ])
    func theTutorialLeadsToTheExamples(name: String, path: String, count: Int, isWhole: Bool) {
        let steps = Self.resources(name)
        #expect(steps.count == count)
        #expect(Repository.exists(path))
        expectNone(CatalogRules.steps(steps, leadTo: Repository.file(path), isWhole: isWhole))
    }

    /// DocC reports a missing file, but not a file that no step shows.
    @Test func everyStepIsShown() {
        let tutorial = Repository.file("\(CatalogRules.folder)/Rocket.tutorial")
        let shown = tutorial.lines.compactMap { $0.firstMatch(of: /@Code\(name: "[^"]+", file: "([^"]+)"\)/)?.1 }
        let files = Repository.files(in: "\(CatalogRules.folder)/Resources").filter { $0.hasSuffix(".swift") }
        #expect(shown.sorted() == files.compactMap { $0.split(separator: "/").last }.sorted())
    }

    @Test(arguments: [("StateMachines", 31), ("DurableMachines", 1), ("WorkflowClient", 9)])
    func everyPublicTypeHasItsTopic(library: String, least: Int) {
        let folders = [library] + (library == "WorkflowClient" ? ["WorkflowCalls"] : [])
        let types = Repository.swiftFiles.filter { file in folders.contains { file.isIn("Sources/\($0)") } }
            .flatMap(CatalogRules.publicTypes)
        #expect(types.count >= least)
        let topics = CatalogRules.topics(of: .page("\(CatalogRules.folder(of: library))/\(library).md"))
        #expect(topics.sorted() == types.sorted())
    }

    @Test func aStepThatLeadsElsewhereIsFound() {
        let file = SourceFile(path: "x.swift", text: "a\nb\nc\n")
        func findings(_ texts: String..., isWhole: Bool = true) -> [String] {
            let steps = texts.map { SourceFile(path: "step", text: $0) }
            return CatalogRules.steps(steps, leadTo: file, isWhole: isWhole).map(\.description)
        }
        #expect(findings("a\nc\n", "a\nb\nc\n").isEmpty)
        #expect(findings("a\nc\n", isWhole: false).isEmpty)
        #expect(findings("a\nc\n") == ["step: it is not the whole of x.swift"])
        #expect(findings("c\na\n", isWhole: false) == ["step:2: x.swift lacks this line behind those above it"])
        #expect(findings("b\n", "a\nc\n", isWhole: false) == ["step:1: step lacks this line behind those above it"])
    }

    @Test func onlyOutermostPublicTypesAreTopics() {
        let text = "public struct A<B> { public enum C {} }\npackage struct D {}\n@Some public enum E {}\nstruct F {}\n"
        #expect(CatalogRules.publicTypes(in: SourceFile(path: "x.swift", text: text)) == ["A", "E"])
        let page = ManualPage(path: "x.md", text: "- ``Y``\n## Topics\n### In it\n- ``A``\n- <doc:B>\n")
        #expect(CatalogRules.topics(of: page) == ["A"])
    }
}
