import DaemonTesting
import Foundation
import ManualTesting
import Testing
import WorkflowAPI

/// Tests that the programs print what the pages show.
///
/// With `UPDATE_DOCS=1` in the environment, the pages are written instead.
@Suite struct DocumentationTests {
    /// The commands that no test runs, with the reasons.
    private static let leftOut: [(part: String, reason: String)] = [
        ("make ", "it builds, and the tests are a part of it"),
        ("sudo ", "it changes the system"),
        ("swift run ", "it builds a package of its own; ReadmeProgramTests compare what it prints"),
        ("npx ", "it fetches programs; XStateExportTests run the script"),
        ("tampered.db", "its file is one that somebody changed; the tests of backups compare the message"),
        ("wfd.example", "there is no such host; EncryptedDaemonTests and CaddyTests run the same"),
        ("import order.json", "its file comes from npx"),
    ]

    private static func isLeftOut(_ command: ManualPage.Command) -> Bool {
        leftOut.contains { command.text.contains($0.part) }
    }

    @Test(.timeLimit(.minutes(20)), arguments: ManualPage.all.filter { !$0.steps.isEmpty })
    func whatAPageShowsIsPrinted(page: ManualPage) async throws {
        let differences = try await PageRun(page).differences(skipping: Self.isLeftOut)
        guard ProcessInfo.processInfo.environment["UPDATE_DOCS"] != "1" else {
            var lines = page.lines
            for difference in differences.reversed() { lines.replaceSubrange(difference.range, with: difference.lines) }
            let text = lines.joined(separator: "\n")
            return try Data(text.utf8).write(to: ManualPage.root.appending(path: page.path))
        }
        for difference in differences {
            let lines = difference.lines.joined(separator: "\n")
            Issue.record("\(page):\(difference.line): '\(difference.step)' prints\n\(lines)")
        }
    }

    @Test func everyStepIsTakenOrSaysWhyNot() {
        #expect(ManualPage.all.flatMap(\.mistakes).map(\.description) == [])
        let commands = ManualPage.all.flatMap(\.steps).compactMap { step in
            if case .command(let command) = step { command.text } else { nil }
        }
        #expect(commands.count > 40)
        for (part, reason) in Self.leftOut {
            #expect(commands.contains { $0.contains(part) }, "no command is left out because \(reason)")
        }
    }

    @Test(.timeLimit(.minutes(20))) func definitionsAreValid() async throws {
        let folder = try TemporaryFolder()
        let files = try ManualPage.all.flatMap { page in
            let name = page.path.replacing("/", with: "-")
            return try page.blocks.filter(Self.isWhole).map {
                try folder.write($0.text, to: "\(name)-line-\($0.line).yaml")
            }
        }
        #expect(files.count > 20)
        let result = try await wfctl(["validate"] + files)
        #expect(result.end == .exited(0), "\(result.output)\(result.errors)")
    }

    private static func isWhole(_ block: ManualPage.Block) -> Bool {
        block.kind == "yaml" && block.name != "fragment"
    }
}
