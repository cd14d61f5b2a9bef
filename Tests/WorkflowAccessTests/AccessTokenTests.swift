import Testing
import WorkflowAPI
import WorkflowAccess
import WorkflowStore

/// Tests the form of tokens.
@Suite struct AccessTokenTests {
    @Test func aTokenIsReadAsItIsWritten() throws {
        let token = AccessToken()
        #expect(token.text.wholeMatch(of: #/wfdt_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}/#) != nil)
        let read = try #require(AccessToken(token.text))
        #expect(read.text == token.text && read.id == token.id)
    }

    @Test func noTwoTokensAreTheSame() {
        let texts = (0..<1_000).map { _ in AccessToken().text }
        #expect(Set(texts).count == texts.count)
        // Every character of the alphabet occurs: 51,000 characters out of 62.
        #expect(Set(texts.joined()).count == 62 + 1)
    }

    @Test func anyOtherTextIsNone() {
        let text = AccessToken().text
        var others = [
            "", "wfdt_", "wfdt__", String(text.dropLast()), text + "a", text + text, " " + text, text + " ",
            text.uppercased(), text.replacing("wfdt", with: "wfdx"), text.replacing("_", with: "-"),
            String(repeating: text, count: 200), text.replacing("wfdt_", with: "wfdt_\u{0}"), "Bearer " + text,
        ]
        others += [text.dropLast() + "ä", text.dropLast() + "\u{0}", text.dropLast() + "_", text.dropLast() + "-"]
            .map { String($0) }
        for other in others { #expect(AccessToken(other) == nil, "\(other.prefix(80))") }
    }

    @Test(arguments: [
        ("shop", true), ("9", true), ("a.b_c-d", true), (String(repeating: "a", count: 64), true), ("", false),
        ("-a", false), ("_a", false), (".", false), ("a b", false), ("a(b)", false), ("ä", false), ("a/b", false),
        (String(repeating: "a", count: 65), false), ("wfdt_a", false), ("a\u{0}", false), ("a\n", false),
    ])
    func aNameKeepsTheRule(name: String, isGood: Bool) {
        #expect((TokenRule.message(forName: name) == nil) == isGood)
    }

    @Test func queuesBoundByNameAndByBeginning() {
        let queues = ["stock", "pack.*"]
        #expect(["stock", "pack.a", "pack."].allSatisfy { TokenRule.allows($0, within: queues) })
        #expect(!["stocks", "pack", "packs.a", "", "*"].contains { TokenRule.allows($0, within: queues) })
        #expect(TokenRule.allows("any", within: ["*"]))
        #expect(["a", "_a", "a.*", "*"].allSatisfy(TokenRule.isQueue))
        #expect(!["", "**", "a*b", "a b", "task:a", "*a"].contains(where: TokenRule.isQueue))
    }

    @Test func aPersonHasNoBracketsAndNoLineFeeds() {
        #expect(["ana@shop.example", "Ana B", String(repeating: "a", count: 100)].allSatisfy(CallerIdentity.isPerson))
        let others = [
            "", "uid:0(root)", "a)", "a\n", "a\r\nb", "ä", String(repeating: "a", count: 101), "a\u{0}", "[a]",
        ]
        #expect(!others.contains(where: CallerIdentity.isPerson))
        let caller = CallerIdentity("token:sso", roles: [.send], speaksFor: true).onBehalf(of: "ana@shop.example")
        #expect(caller.actor == "token:sso(ana@shop.example)" && caller.permissions == Role.send.permissions)
    }
}
