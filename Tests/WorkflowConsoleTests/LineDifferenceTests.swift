import Testing

@testable import WorkflowConsole  // Pages are made of these pieces, and of nothing that another target may use.

/// Tests what the page of a machine tells of two versions' sources.
@Suite struct LineDifferenceTests {
    @Test func linesAreTakenAwayAndAdded() throws {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n"
        let new = "a\nb\nC\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm"
        let difference = try #require(LineDifference(from: old, to: new))
        #expect(difference.added == 2 && difference.removed == 1 && difference.groups.count == 2)
        let texts = difference.groups.map { $0.map { "\($0.old ?? 0) \($0.new ?? 0) \($0.text)" } }
        #expect(texts[0] == ["1 1 a", "2 2 b", "3 0 c", "0 3 C", "4 4 d", "5 5 e", "6 6 f"])
        #expect(texts[1] == ["10 10 j", "11 11 k", "12 12 l", "0 13 m"])
        #expect(LineDifference(from: old, to: old)?.groups.isEmpty == true)
        #expect(LineDifference(from: "", to: "a\n")?.added == 1)
        #expect(LineDifference(from: "a\r\n", to: "a\n")?.removed == 1, "another end of a line is another line")
    }

    /// Removes from both texts the lines that the other lacks; the rest must be the same.
    @Test func whatStaysIsTheSameInBoth() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let texts = (0..<2).map { _ in
                (0..<Int.random(in: 0...30, using: &random)).map { _ in Int.random(in: 0...4) }
            }
            let lines = texts.map { $0.map { "\($0)\n" }.joined() }
            let difference = try #require(LineDifference(from: lines[0], to: lines[1]))
            let all = difference.groups.flatMap(\.self)
            let gone = Set(all.filter { $0.new == nil }.compactMap(\.old))
            let come = Set(all.filter { $0.old == nil }.compactMap(\.new))
            let kept = texts[0].enumerated().filter { !gone.contains($0.offset + 1) }.map(\.element)
            #expect(kept == texts[1].enumerated().filter { !come.contains($0.offset + 1) }.map(\.element), "\(texts)")
            #expect(gone.count == difference.removed && come.count == difference.added, "\(texts)")
        }
    }

    @Test func tooManyLinesAreNotCompared() {
        let old = (0..<1_500).map { "a\($0)\n" }.joined()
        let new = (0..<1_500).map { "b\($0)\n" }.joined()
        #expect(LineDifference(from: old, to: new) == nil)
        #expect(LineDifference(from: old, to: old + "c\n")?.added == 1)
        let page = SourceText.difference("m", (1, old), (2, new)).html
        #expect(page.contains("more than 2000 lines") && page.contains("diff -u &lt;(wfctl machine source m"))
    }

    @Test func aSourceHasAnAnchorForEachLine() {
        let page = SourceText.numbered("id: <m>\n\nx").html
        #expect(page.contains("<span id=\"L1\" class=\"line\"><a href=\"#L1\">1</a> id: &lt;m&gt;\n</span>"))
        #expect(page.contains("id=\"L3\"") && !page.contains("id=\"L4\""))
        let long = SourceText.numbered(String(repeating: "a\n", count: 6_000)).html
        #expect(long.contains("id=\"L5000\"") && !long.contains("id=\"L5001\""))
        #expect(long.contains("1000 more lines are left out"))
    }

    @Test(arguments: [
        (0, "0"), (9_999, "9999"), (10_000, "10k"), (999_999, "999k"), (1_000_000, "1.0M"), (1_290_000, "1.2M"),
        (12_900_000, "12M"), (1_000_000_000, "1.0G"), (Int64.max, "999G"),
    ])
    func aNumberInTheDrawingIsShort(number: Int64, text: String) {
        #expect(Words.short(number) == text)
    }
}
