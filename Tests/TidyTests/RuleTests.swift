import Foundation
import Testing

/// Tests that each rule can fail: bad samples, and good ones beside them.
struct RuleTests {
    @Test func aLongFileIsFound() {
        let lines = Array(repeating: "let a = 1\n", count: 501)
        #expect(LengthRules.files(sample(lines.joined())) == [Finding(path, "501 lines; 500 is the end")])
        #expect(LengthRules.files(sample(lines.dropLast().joined())).isEmpty)
    }

    @Test(arguments: [
        ("func f() {\n", "func f"), ("init(\n    a: Int = { 1 }()\n) {\n", "init"), ("static var f: Int {\n", "var f"),
        ("@discardableResult package mutating func f(_ a: [Int]) -> Int where A: B {\n", "func f"),
    ])
    func aLongFunctionIsFound(head: String, what: String) {
        let headLines = head.count { $0 == "\n" }
        let filler = Array(repeating: "    a()\n", count: 70 - headLines)
        let function = "struct S {\n" + head + filler.joined() + "}\n}\n"
        #expect(
            LengthRules.functions(sample(function))
                == [Finding(path, line: 2, "\(what) has 71 lines; 70 is the end")])
        #expect(LengthRules.functions(sample("struct S {\n" + head + filler.dropLast().joined() + "}\n}\n")).isEmpty)
    }

    @Test func aTypeOfAHigherFolderIsFound() {
        let rules = StairRules(target: "Sources/T", folders: ["Low", "High"], root: "High/Root.swift")
        let files = [
            SourceFile(path: "Sources/T/Low/A.swift", text: "struct A {}\n// B\nlet b: B? = nil  // \"B\"\n"),
            SourceFile(path: "Sources/T/High/B.swift", text: "final class B { let a: A }\nprivate struct A {}\n"),
            SourceFile(path: "Sources/T/High/Root.swift", text: "let a = A()\n"),
            SourceFile(path: "Sources/T/C.swift", text: "struct C {}\n"),
        ]
        #expect(
            rules.upward(files) == [
                Finding("Sources/T/Low/A.swift", line: 3, "'B' is in High, which is above Low"),
                Finding("Sources/T/C.swift", "is in no folder of the stair"),
            ])
        #expect(rules.upward([files[0]]).isEmpty)
    }

    @Test func bracesInTextAndCommentsDoNotCount() {
        let strange = ##"""
            func f() {
                let a = "}\" }"  // }
                let b = #"}" \#(a + "}") }"#
                /* } /* } */ } */
                let c = "\(a.map { "}" }) }"
            """##
        let text = strange + "\n" + String(repeating: "a()\n", count: 65)
        #expect(LengthRules.functions(sample(text + "}\n")).count == 1)
        #expect(LengthRules.functions(sample(text.dropLast(4) + "}\n")).isEmpty)
    }

    @Test func aRequirementHasNoLength() {
        let list = Array(repeating: "    func f()\n", count: 80).joined()
        #expect(LengthRules.functions(sample("protocol P {\n" + list + "}\n")).isEmpty)
    }

    @Test func aLongLineIsFound() {
        let line = "// " + String(repeating: "ä", count: 118)
        #expect(LengthRules.lines(sample("\n" + line)) == [Finding(path, line: 2, "121 characters; 120 is the end")])
        #expect(LengthRules.lines(sample(String(line.dropLast()))).isEmpty)
        let message = "    \"" + String(repeating: "a", count: 130) + "\","
        #expect(LengthRules.lines(sample(message)).isEmpty)
        #expect(LengthRules.lines(sample("let a =" + message)).count == 1)
    }

    @Test(arguments: [
        ("Sources/Statechart/Machine/A.swift", "import Foundation", "Foundation"),
        ("Sources/WorkflowJSON/A.swift", "package import struct Foundation.Date", "Foundation"),
        ("Sources/WorkflowEngine/A.swift", "import GRDB", "GRDB"),
        ("Sources/WorkflowEngine/A.swift", "import Hummingbird", "Hummingbird"),
        ("Sources/WorkflowClient/A.swift", "@preconcurrency import WorkflowEngine", "WorkflowEngine"),
        ("Sources/Novelty/A.swift", "import JSON", "JSON"),
    ])
    func aForbiddenImportIsFound(path: String, line: String, module: String) {
        let folder = path.split(separator: "/").prefix(2).joined(separator: "/")
        #expect(
            ImportRules.imports(SourceFile(path: path, text: "// import Glibc\n" + line))
                == [Finding(path, line: 2, "\(folder) must not import \(module)")])
    }

    @Test func testsAndAllowedModulesMayBeImported() {
        #expect(ImportRules.imports(SourceFile(path: "Tests/ATests/A.swift", text: "import GRDB")).isEmpty)
        #expect(ImportRules.imports(SourceFile(path: "Sources/SQLiteStore/A.swift", text: "import GRDB")).isEmpty)
    }

    @Test func theWallClockIsFoundElsewhere() {
        let text = "/// Not `Date()`.\nlet now = Date()"
        #expect(ImportRules.wallClock(sample(text)).map(\.line) == [2])
        let clock = SourceFile(path: "Sources/WorkflowEngine/Ground/WallClock.swift", text: text)
        #expect(ImportRules.wallClock(clock).isEmpty)
        #expect(ImportRules.wallClock(SourceFile(path: "Tests/ATests/A.swift", text: text)).isEmpty)
    }

    @Test(arguments: ["func f() async -> Int", "let a = Int.random(in: 1...6)", "let a = ContinuousClock.now"])
    func anImpureStepIsFound(line: String) {
        #expect(ImportRules.purity(SourceFile(path: "Sources/Statechart/A.swift", text: line)).count == 1)
        #expect(ImportRules.purity(SourceFile(path: "Sources/WorkflowEngine/A.swift", text: line)).isEmpty)
    }

    @Test(arguments: [
        ("package func f()", "func f"), ("package struct S {}", "struct S"),
        ("public static func < (a: S) {}", "func <"),
        ("package typealias T = Int", "typealias T"), ("package protocol P {}", "protocol P"),
        ("@frozen\npublic enum E {}", "enum E"), ("/// Doc.\npackage protocol P {\n    func v()\n}", "func v"),
        ("package final class C {}", "class C"), ("package struct S: Own {\n    /// Doc.\n}", "struct S"),
        ("extension S: Own {\n    package func other() {}\n}", "func other"),
    ])
    func aSharedDeclarationWithoutDocumentationIsFound(text: String, what: String) {
        #expect(documentation(of: text).map(\.message) == ["'\(what)' has no doc comment"])
    }

    @Test(arguments: [
        "/// Doc.\npackage func f()", "/// Doc.\n@frozen\npublic enum E {}", "func f()", "private struct S {}",
        "/// Doc.\npackage struct S {\n    package let a: Int\n    package init() {}\n}",
        "/// Doc.\npackage enum E {\n    case a\n}",
        "/// Doc.\npackage class Far: Own {}\nextension Far {\n    package func asked() {}\n}",
        "extension S: Own {\n    package func asked() {}\n}",
        "/// Doc.\npublic struct S: Finer<Int> {\n    public func asked() {}\n}", "package import JSON",
        "extension S: Hashable {\n    public static func == (a: S, b: S) -> Bool { true }\n}",
    ])
    func theExemptNeedNone(text: String) {
        #expect(documentation(of: text).isEmpty)
    }

    @Test(arguments: [
        ("precondition(a > 0, \"why\")", "precondition"),
        ("guard a else { preconditionFailure(\"why\") }", "preconditionFailure"),
        ("let a = words[0].count", "[0]"), ("let a = words.split()[0]", "[0]"), ("let a = words?[0]", "[0]"),
        ("let a = words.first!", "!"), ("let a = call()!.b", "!"), ("let a = list[b]!", "!"), ("let a: Int! = b", "!"),
        ("try! call()", "try!"), ("let a = b as! Int", "as!"), ("fatalError()", "fatalError"), ("assert(a)", "assert"),
        ("let a = \"\\(words[0])\"", "[0]"), ("let a = b.unsafelyUnwrapped", "unsafelyUnwrapped"),
        ("let a = UInt8(b % 10)", "UInt8"), ("let a = Int32(words.count)", "Int32"), ("f(UInt16($0))", "UInt16"),
        ("let a = abs(b - c)", "abs"),
        ("// A proof stands elsewhere.\nlet a = b!", "!"), ("let a = b! // Proof: ", "!"),
        ("// Proof: of another line\n\nlet a = b!", "!"), ("let a = 1 // Proof: of it\nlet b = c!", "!"),
    ])
    func aTrapWithoutAProofIsFound(text: String, trap: String) {
        let found = ProofRules.unproven(sample(text))
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).count
        #expect(found.map(\.line) == [lines] && found.allSatisfy { $0.message.hasPrefix("'\(trap)") }, "\(found)")
    }

    @Test(arguments: [
        "let a = words[0] // Proof: there are two", "// Proof: there is one\nlet a = words.first!",
        "// Proof: there is one,\n// because it was counted.\nlet a = words.first!",
        "if !a, b != c, !d.isEmpty { e(!f) }", "a!=b", "let a = [0]", "let a = (b, [0])", "let a = words[10]",
        "// words[0] and words.first!", "throw .precondition(a)", "let a = \"words[0]!\"", "case precondition = 6",
        "myprecondition(a)", "throw .preconditionFailed(a)", "UInt8(ascii: b)", "UInt16(exactly: b)", "[UInt8](b)",
        "Int32(SQLITE_OK)", "math.abs(b)", "MyInt8(b)", "UInt8(truncatingIfNeeded: b)",
    ])
    func whatEndsNoProcessNeedsNoProof(text: String) {
        #expect(ProofRules.unproven(sample(text)).isEmpty)
        #expect(ProofRules.unproven(SourceFile(path: "Sources/Statechart/A.swift", text: "let a = b!")).isEmpty)
    }

    @Test(arguments: [
        ("let a = row.integer()", 1), ("let a = row.integer(at: Self.column)", 1), ("f(row.integer(), b)", 1),
        ("let a = row.integer() == 1", 0), ("if row.integer(at: 3) != b {", 0), ("try row.integer(in: range)", 0),
        ("let a = row.integer() // Proof: it is compared", 0),
    ])
    func aNumberWithoutBoundsIsFound(text: String, count: Int) {
        let found = ProofRules.unproven(SourceFile(path: "Sources/SQLiteStore/A.swift", text: text))
        #expect(found.count == count, "\(found)")
        #expect(ProofRules.unproven(SourceFile(path: "Sources/WorkflowJSON/A.swift", text: text)).isEmpty)
    }

    @Test func whatIsLeftForLaterIsFound() {
        let word = "TO" + "DO"
        #expect(TextRules.unfinished(sample("\n// \(word): more")).map(\.line) == [2])
        #expect(TextRules.unfinished(sample("let list = toDoList")).isEmpty)
    }

    @Test func theMarksOfAMergeAreFound() {
        let mark = String(repeating: "<", count: 7)
        #expect(TextRules.mergeMarks(sample("\n\(mark) HEAD\nlet a = 1")).map(\.line) == [2])
        #expect(TextRules.mergeMarks(sample("let a = 1 \(mark) 2")).isEmpty)
    }

    @Test func passingTimeIsFoundInTests() {
        let name = "sle" + "ep"
        let word = "Task." + name + "(for: .seconds(1))"
        #expect(TextRules.sleeps(SourceFile(path: "Tests/ATests/A.swift", text: word)).count == 1)
        #expect(TextRules.sleeps(SourceFile(path: "Tests/ATests/A.swift", text: "func \(name)(until: Int)")).isEmpty)
        #expect(TextRules.sleeps(SourceFile(path: "Tests/ATests/A.swift", text: "\"sh -c \(name) 5\"")).count == 1)
        for call in ["u\(name)(1_000)", "nano\(name)(&time, nil)", "Thread.\(name)(forTimeInterval: 1)"] {
            #expect(TextRules.sleeps(SourceFile(path: "Tests/ATests/A.swift", text: call)).count == 1)
        }
        #expect(TextRules.sleeps(SourceFile(path: "Tests/ThreadTesting/Eventually.swift", text: word)).isEmpty)
        #expect(TextRules.sleeps(SourceFile(path: "Examples/demo.sh", text: "  \(name) 1")).count == 1)
        #expect(TextRules.sleeps(sample(word)).isEmpty)
    }

    @Test(arguments: [
        "while waiters < 8 { await Task.yield() }", "        await Task.yield()", "gate.wait()",
        "_ = gate.wait(timeout: .now() + 20) == .success", "while isShut { condition.wait() }",
        "guard condition.wait(until: date) else {", "while waitpid(pid, &status, 0) < 0 {}", "process.waitUntilExit()",
        "guard poll(&wanted, 1, 40_000) == 1 else {", "while a < 4 { sched_yield() }",
        "while .now < end {}",
        "while try !isReady(), ContinuousClock.now < end {}",
    ])
    func whatKeepsAThreadOfThePoolIsFound(line: String) {
        let file = SourceFile(path: "Tests/ATests/A.swift", text: "// \(line)\n\(line)")
        #expect(WaitRules.blocking(file).map(\.line) == [2])
        #expect(WaitRules.blocking(sample(line)).isEmpty)
        #expect(WaitRules.blocking(SourceFile(path: WaitRules.support[0], text: line)).isEmpty)
    }

    @Test(arguments: [
        "for _ in 0..<8 { await Task.yield() }", "try await eventually(\"it ends\") { isOver }",
        "places.wait(1, since: now)",
        "while next.now < end { next = try await more() }", "let text = \"gate.wait()\"",
    ])
    func whatGivesItsThreadAwayIsNot(line: String) {
        #expect(WaitRules.blocking(SourceFile(path: "Tests/ATests/A.swift", text: line)).isEmpty)
    }

    @Test func aChangedMigrationIsFound() {
        // The SHA-256 of "abc" (FIPS 180-4, appendix B.1).
        let checksum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        let released = ["migrations/V0001_a.sql": checksum]
        #expect(MigrationRules.unchanged(released: released) { _ in Data("abc".utf8) }.isEmpty)
        #expect(MigrationRules.unchanged(released: released) { _ in Data("abd".utf8) }.count == 1)
        #expect(
            MigrationRules.unchanged(released: released) { _ in nil }
                == [Finding("migrations/V0001_a.sql", "a released migration is missing")])
    }

    @Test(arguments: [
        (["m/0001_a.sql"], 1), (["m/V1_a.sql"], 1), (["m/V0002_a.sql"], 1), (["m/V0001_a.sql", "m/V0003_b.sql"], 1),
        (["m/V0001_a.sql", "m/V0001_b.sql", "m/V0002_c.sql", "m/Migrations.swift"], 0),
    ])
    func aMisnamedMigrationIsFound(paths: [String], count: Int) {
        #expect(MigrationRules.names(paths).count == count)
    }

    @Test func aDocCommentWithoutANounIsFound() {
        let text = "/// The number.\n/// Of all.\nlet a = 1\n    /// Whether it is.\n    let b = 1\n// What it is.\n"
        #expect(DocumentationRules.firstWords(sample(text)).map(\.line) == [4])
    }

    @Test func aMissingPathIsFound() {
        let text =
            "In `Sources/Here` and `gone.md`, not `/v1/machines`, `wfd`, `$HOME/x` or `--address`.\n`Sources/Gone/`"
        #expect(
            ManualRules.paths(sample(text)) { $0 == "Sources/Here" }
                == [
                    Finding(path, line: 1, "'gone.md' does not exist"),
                    Finding(path, line: 2, "'Sources/Gone/' does not exist"),
                ])
    }

    @Test func aLongArchitectureIsFound() {
        #expect(ManualRules.length(sample(String(repeating: "\n", count: 150))).count == 1)
        #expect(ManualRules.length(sample(String(repeating: "\n", count: 149))).isEmpty)
    }

    @Test func aCommandThatDoesNotExistIsFound() {
        let text = "    $ wfctl -o=json launch a\n    $ wfctl apply a\n    $ make tea\n    $ make test\nwfctl sing\n"
        #expect(
            ManualRules.commands(sample(text), verbs: ["apply"], targets: ["test"]) == [
                Finding(path, line: 1, "'wfctl launch' does not exist"),
                Finding(path, line: 3, "'make tea' does not exist"),
            ])
    }

    @Test func verbsAndTargetsAreRead() {
        let verb = SourceFile(
            path: "Sources/WorkflowCommand/Verbs/A.swift", text: "    commandName: \"apply\", abstract")
        #expect(ManualRules.verbs(in: [verb]) == ["apply", "help"])
        let makefile = "a := 1\n.PHONY: b\nbuild: lint ## text\n\tcommand: x\nwal:\n"
        #expect(ManualRules.targets(in: sample(makefile)) == ["build", "wal"])
    }

    private let path = "Sources/WorkflowServer/Sample.swift"

    private func sample(_ text: String) -> SourceFile { SourceFile(path: path, text: text) }

    private func documentation(of text: String) -> [Finding] {
        let protocols = """
            /// Doc.
            package protocol Own {
                /// Doc.
                func asked()
            }
            /// Doc.
            package protocol Finer<A>: Own {}
            """
        let file = sample(text)
        return DocumentationRules([sample(protocols), file]).documentation(file)
    }
}
