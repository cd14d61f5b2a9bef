import DaemonTesting
import Foundation
import Testing
import WorkflowAPI
import WorkflowAccess
import WorkflowServer

/// Tests what a browser loads with the first page.
@Suite(.timeLimit(.minutes(20))) struct ConsoleModuleTests {
    private static let source = Programs.file("Sources/WorkflowConsole/console.mjs")
    private static let compiler = "/usr/bin/tsc"

    @Test func thePagesFilesAreSmall() async throws {
        let host = try await ConsoleHost()
        let page = try await host.get("/console/")
        let names = Set(page.text.matches(of: /\/console\/assets\/[^"]+/).map { String($0.output) })
        #expect(names.count == 3)
        var sizes: [String: Int] = [:]
        for name in names {
            let file = try await host.get(name)
            #expect(file.status == 200)
            sizes[String(name.suffix(3))] = file.body.count
            guard name.hasSuffix(".mjs") else { continue }
            #expect(file.headers["content-type"] == "text/javascript; charset=utf-8")
            for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "setTimeout('"] {
                #expect(!file.text.contains(word), "\(word)")
            }
        }
        print("the console's files have \(sizes) bytes")
        #expect(try #require(sizes["mjs"]) <= 12_288)
        #expect(sizes.values.reduce(0, +) <= 60 << 10)
        try await host.server.stop()
    }

    /// The lines of comments are left out of what is served, so no line has a comment and code behind it.
    @Test func aCommentHasItsLines() throws {
        for line in try String(contentsOfFile: Self.source, encoding: .utf8).split(separator: "\n") {
            let text = line.drop { $0 == " " }
            guard text.hasPrefix("/**") || text.hasPrefix("* ") else { continue }
            #expect(!text.contains("*/") || text.hasSuffix("*/"), "\(line)")
        }
    }

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: compiler)
                || ProcessInfo.processInfo.environment["CI"] == "true",
            "there is no tsc here (package node-typescript)"))
    func theModuleIsTyped() async throws {
        let result = try await RunningProgram(
            Self.compiler,
            [
                "--noEmit", "--allowJs", "--checkJs", "--strict", "--target", "es2022", "--module", "es2022", "--lib",
                "es2022,dom,dom.iterable", Self.source,
            ], environment: Programs.environment()
        ).result()
        #expect(result.end == .exited(0), "\(result.output)")
    }
}
