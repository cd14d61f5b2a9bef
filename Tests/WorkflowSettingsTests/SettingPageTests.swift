import Foundation
import ManualTesting
import Testing
import WorkflowSettings

/// Compares the page on configuration with the table of settings.
///
/// With `UPDATE_DOCS=1` in the environment, the page is written instead.
@Suite struct SettingPageTests {
    @Test func thePageHasTheTable() throws {
        let page = ManualPage.page("docs/configuration.md")
        let reference = SettingPage.reference
        let begin = try #require(page.lines.firstIndex { $0 == reference.first })
        let rest = page.lines[begin...]
        let end = try #require(rest.firstIndex { $0.hasPrefix("## ") }) - 1
        if ProcessInfo.processInfo.environment["UPDATE_DOCS"] == "1" {
            let lines = page.lines[..<begin] + reference + page.lines[end...]
            try Data(lines.joined(separator: "\n").utf8).write(to: ManualPage.root.appending(path: page.path))
            return
        }
        #expect(Array(page.lines[begin..<end]) == reference)
    }

    @Test func everyKeyIsSpelledInOneWay() {
        for setting in Setting.all {
            #expect(setting.key.wholeMatch(of: /[a-z]+([.-][a-z]+)*/) != nil, "\(setting.key)")
            #expect(setting.help.hasSuffix("."), "\(setting.key)")
        }
        #expect(Set(Setting.all.compactMap(\.variable)).count == Setting.all.count { $0.form != .structure })
    }
}
