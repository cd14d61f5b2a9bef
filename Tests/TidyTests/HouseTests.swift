import Foundation
import ManualTesting
import Testing
import ThreadTesting

/// Applies each rule to the repository as it is.
@Suite(.ownThreads) struct HouseTests {
    @Test func theRepositoryIsFound() {
        #expect(Repository.swiftFiles.count > 50)
        #expect(Repository.sourceFiles.count > Repository.swiftFiles.count)
    }

    @Test func filesEndInTime() {
        expectNone(Repository.sourceFiles.flatMap(LengthRules.files))
    }

    @Test func functionsEndInTime() {
        expectNone(Repository.swiftFiles.flatMap(LengthRules.functions))
    }

    @Test func linesEndInTime() {
        expectNone(Repository.sourceFiles.flatMap(LengthRules.lines))
    }

    @Test func targetsImportOnlyWhatTheyMayKnow() {
        expectNone(Repository.swiftFiles.flatMap(ImportRules.imports))
    }

    @Test func everyTargetHasItsImportsListed() {
        let folders = Repository.swiftFiles.filter { $0.isIn("Sources") }.map {
            $0.path.split(separator: "/").prefix(2).joined(separator: "/")
        }
        #expect(Set(folders).union(["migrations"]) == Set(ImportRules.allowed.keys))
    }

    @Test func theFoldersOfTheEngineAreAStair() {
        for folder in StairRules.engine.folders {
            #expect(Repository.exists("Sources/WorkflowEngine/" + folder), "there is no \(folder)")
        }
        expectNone(StairRules.engine.upward(Repository.swiftFiles))
    }

    /// Each of these suites kills again and again, and would take the time of others.
    @Test func suitesThatKillAreHeavy() {
        let killing = Repository.swiftFiles.filter { $0.isIn("Tests") && $0.path.contains("/Killed") }
            .filter { $0.path.hasSuffix("Tests.swift") }
        #expect(!killing.isEmpty)
        for file in killing { #expect(file.text.contains("\n@Suite(.tags(.heavy)"), "\(file) is not heavy") }
    }

    /// A result names a suite without its target, so no two files of tests have one name.
    @Test func everyFileOfTestsHasANameOfItsOwn() {
        let names = Repository.swiftFiles.filter { $0.isIn("Tests") && $0.path.hasSuffix("Tests.swift") }.map {
            String($0.path.split(separator: "/").last ?? "")
        }
        let repeated = Dictionary(grouping: names, by: \.self).filter { $1.count > 1 }.keys.sorted()
        #expect(names.count > 300 && repeated == [])
    }

    @Test func theWallClockIsReadInOneFile() {
        expectNone(Repository.swiftFiles.flatMap(ImportRules.wallClock))
    }

    @Test func theStepIsPure() {
        expectNone(Repository.swiftFiles.flatMap(ImportRules.purity))
    }

    @Test func sharedDeclarationsAreDocumented() {
        let files = Repository.swiftFiles.filter { $0.isIn("Sources") || $0.isIn("migrations") }
        let rules = DocumentationRules(files)
        expectNone(files.flatMap(rules.documentation))
    }

    /// `wfctl` copies the texts of definitions into the generated machines, whose authors are not bound.
    @Test func docCommentsBeginWithAVerbOrANoun() {
        let files = Repository.swiftFiles.filter { !$0.isIn("Tests/GeneratedMachines") }
        expectNone(files.flatMap(DocumentationRules.firstWords))
    }

    @Test func nothingThatComesFromElsewhereEndsTheProcess() {
        for target in ProofRules.targets { #expect(Repository.exists("Sources/" + target), "there is no \(target)") }
        expectNone(Repository.swiftFiles.flatMap(ProofRules.unproven))
    }

    @Test func nothingIsLeftForLater() {
        expectNone(Repository.sourceFiles.flatMap(TextRules.unfinished))
    }

    @Test func noMergeIsHalfDone() {
        let pages = (Repository.files(in: "docs") + ["README.md", "ARCHITECTURE.md", "CHANGELOG.md"])
            .filter { $0.hasSuffix(".md") }.map(Repository.file)
        expectNone((Repository.sourceFiles + pages).flatMap(TextRules.mergeMarks))
    }

    @Test func testsDoNotPassTime() {
        expectNone(Repository.sourceFiles.flatMap(TextRules.sleeps))
    }

    @Test func testsKeepNoThreadOfThePool() {
        expectNone(Repository.swiftFiles.flatMap(WaitRules.blocking))
        // Every file of the list exists, and blocks a thread.
        for path in WaitRules.support {
            let moved = SourceFile(path: "Tests/ATests/A.swift", text: Repository.file(path).text)
            #expect(!WaitRules.blocking(moved).isEmpty, "\(path) need not be in the list")
        }
    }

    @Test func releasedMigrationsAreUnchanged() throws {
        let releases = Repository.file("CHANGELOG.md").text.matches(of: #/\n## (\d+\.\d+\.\d+),/#).map { String($0.1) }
        #expect(releases.contains("0.1.0"))
        for release in releases {
            // A release without a new step has an empty list.
            let files = try #require(MigrationRules.released[release], "the migrations of \(release) are not listed")
            expectNone(MigrationRules.unchanged(released: files, bytes: Repository.bytes))
        }
    }

    @Test func migrationsAreNumberedAndShort() {
        let paths = Repository.files(in: "migrations")
        #expect(paths.contains { $0.hasSuffix(".sql") })
        for steps in Dictionary(grouping: paths, by: { $0.contains("/postgres/") }).values {
            expectNone(MigrationRules.names(steps))
        }
        for path in paths where path.hasSuffix(".sql") {
            #expect((Repository.bytes(path)?.count ?? 0) <= MigrationRules.fileBytes, "\(path) is too large to embed")
        }
    }

    @Test func theArchitectureIsAMapOfWhatExists() {
        let file = Repository.file("ARCHITECTURE.md")
        #expect(!file.text.isEmpty, "ARCHITECTURE.md is missing")
        expectNone(ManualRules.paths(file, exists: Repository.exists) + ManualRules.length(file))
    }

    private static let verbs = ManualRules.verbs(in: Repository.swiftFiles)
    private static let targets = ManualRules.targets(in: Repository.file("Makefile"))

    /// A tutorial also names the files that its reader makes.
    @Test(arguments: ManualPage.all + ManualPage.catalog.filter { !$0.isTutorial })
    func aPageNamesOnlyWhatExists(page: ManualPage) {
        let file = Repository.file(page.path)
        #expect(!file.text.isEmpty, "\(file) is missing")
        // It also names media types and the daemon's places; a path of ours begins with a folder of ours. What a build
        // makes comes and goes.
        let isAbsent = { (path: String) in
            let first = String(path.prefix { $0 != "/" })
            return first != ".build" && Repository.exists(first) && !Repository.exists(path)
        }
        expectNone(ManualRules.paths(file, exists: { !isAbsent($0) }))
        #expect(Self.verbs.isSuperset(of: ["apply", "history"]))
        #expect(Self.targets.isSuperset(of: ["demo", "test"]))
        expectNone(ManualRules.commands(file, verbs: Self.verbs, targets: Self.targets))
    }

    @Test func theChangeListHasItsParts() {
        let text = Repository.file("CHANGELOG.md").text
        for heading in ["Additions", "Changes", "Fixes", "Database", "Upgrade notes"] {
            #expect(text.contains("### \(heading)\n"), "CHANGELOG.md has no '\(heading)'")
        }
    }

    @Test func theFormatterHasItsConfiguration() {
        #expect(Repository.exists(".swift-format"))
    }

    @Test func theChecksRunTheTests() {
        #expect(Repository.isExecutable(".ci/run"))
        let lines = Repository.file(".ci/run").lines
        #expect(lines.contains("make test") && lines.contains("make rest"))
    }
}
