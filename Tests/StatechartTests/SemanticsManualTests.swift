import Foundation
import Statechart
import Testing
import WorkflowJSON

/// Tests that `docs/semantics.md` is true: every definition in it is run, and every line about it is compared.
@Suite struct SemanticsManualTests {
    /// A difference: the content below its heading.
    struct Section: CustomTestStringConvertible {
        var title: String
        var definition: [String] = []
        var lines: [String] = []
        var testDescription: String { title }
    }

    static let text: String = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let page = root.deletingLastPathComponent().appending(path: "docs/semantics.md")
        return (try? String(contentsOf: page, encoding: .utf8)) ?? ""
    }()

    static let sections: [Section] = {
        var sections: [Section] = []
        var fence = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("## ") {
                sections.append(Section(title: String(line.dropFirst(3))))
            } else if line.hasPrefix("```") {
                fence = String(line.dropFirst(3))
            } else if fence == "yaml" {
                sections[sections.count - 1].definition.append(String(line))
            } else if fence == "text" {
                sections[sections.count - 1].lines.append(String(line))
            }
        }
        return sections
    }()

    /// Each row of the table leads to a section, in the same order.
    @Test func theTableAndTheSectionsAreTheSame() {
        let rows = Self.text.split(separator: "\n").filter { $0.hasPrefix("| [") }
            .map { $0.dropFirst(3).prefix { $0 != "]" } }.map(String.init)
        #expect(rows == Self.sections.map(\.title))
        #expect(rows.count > 20)
        for title in rows {
            let words = title.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
            let link = "](#" + words.replacing(" ", with: "-") + ")"
            #expect(Self.text.contains(link), "\(link)")
        }
    }

    @Test(arguments: sections) func aDefinitionDoesWhatThePageSays(section: Section) throws {
        #expect((1...5).contains(section.definition.count))
        #expect(section.lines.count > 0)
        var run: TimedRun?
        let lines = try section.lines.map { line in
            let what = String(line.prefix { $0 != " " })
            return "\(what) -> \(try Self.outcome(of: what, section.definition.joined(separator: "\n"), &run))"
        }
        #expect(lines == section.lines)
    }

    /// Returns the result of a start, an event, or a wait.
    private static func outcome(of what: String, _ definition: String, _ run: inout TimedRun?) throws -> String {
        do {
            if what == "start" {
                run = try TimedRun(definition)
            } else if let end = what.wholeMatch(of: /(done|fail):(\w+)/), let live = run?.snapshot.armed {
                let id = String(end.2)
                guard live.invocation(id) != nil else { return "lost" }
                if end.1 == "done" { try run?.end(id) } else { try run?.fail(id, ["type": "broken", "message": "m"]) }
                if run?.failure != nil { return "failed" }
            } else if DelayText.isDelay(what) {
                _ = try run?.pass(try DelayText.length(of: what))
            } else {
                try run?.send(what)
            }
        } catch let refusal as Refusal {
            return "refused: \(word(for: refusal))"
        }
        guard let run else { return "no start" }
        let leaves = run.state.replacing(",", with: ", ")
        return leaves + (run.context == "{}" ? "" : " \(run.context)") + (run.snapshot.status == .done ? " (done)" : "")
    }

    private static func word(for refusal: Refusal) -> String {
        switch refusal {
        case .unknownEvent: "unknown event"
        case .notAccepted: "not accepted"
        case .guardRejected: "a guard says no"
        case .expressionFailed: "expression failed"
        case .livelock: "livelock"
        case .finished: "finished"
        case .failed: "failed"
        case .suspended: "suspended"
        case .invalidData: "invalid data"
        }
    }
}
