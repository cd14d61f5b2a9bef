import Testing

@testable import WorkflowConsole  // Pages are made of these pieces, and of nothing that another target may use.

/// Tests that no text becomes markup, wherever it stands.
@Suite struct MarkupTests {
    @Test func aTextIsEscapedInContentAndInValues() {
        let evil = #"<script>alert("1")</script> & '"#
        let escaped = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;"
        #expect(Markup(text: evil).html == escaped)
        #expect(Tag.p(.id(evil)) { evil }.html == "<p id=\"\(escaped)\">\(escaped)</p>")
        #expect(Tag.input(.value(evil)).html == "<input value=\"\(escaped)\">")
    }

    @Test func aCharacterThatIsNotSeenIsShownByItsNumber() {
        for (character, number) in [
            ("\u{0}", "0000"), ("\u{1B}", "001B"), ("\r", "000D"), ("\u{7F}", "007F"), ("\u{9B}", "009B"),
            ("\u{AD}", "00AD"), ("\u{200B}", "200B"), ("\u{200D}", "200D"), ("\u{200E}", "200E"),
            ("\u{2028}", "2028"), ("\u{202E}", "202E"), ("\u{2066}", "2066"), ("\u{3164}", "3164"),
            ("\u{FEFF}", "FEFF"), ("\u{E0041}", "E0041"),
        ] {
            #expect(Markup(text: "a\(character)b").html == "a<b class=\"odd\">U+\(number)</b>b")
            #expect(Tag.p(.value("a\(character)b")).html == "<p value=\"a\\u{\(number)}b\"></p>")
        }
        #expect(Markup(text: "a\n\tb é 漢 😀").html == "a\n\tb é 漢 😀")
        // U+200D joins emoji to one; elsewhere it is shown by its number.
        for text in ["👩\u{200D}🚀", "❤\u{FE0F}\u{200D}🔥", "👩\u{1F3FD}\u{200D}🚀"] {
            #expect(Markup(text: text).html == text && Tag.p(.value(text)).html == "<p value=\"\(text)\"></p>")
        }
        for text in ["👩\u{200D}", "\u{200D}🚀", "👩\u{200D}\u{200D}🚀", "1\u{200D}2", "👩\u{200D}a", "👩\u{200B}🚀"] {
            #expect(Markup(text: text).html.contains("odd"), "\(text)")
        }
        // A quote with an accent is one character to Swift, and a quote to a browser.
        #expect(Tag.p(.value("\"\u{301}<\u{338}")).html == "<p value=\"&quot;\u{301}&lt;\u{338}\"></p>")
    }

    @Test func aLinkStaysBelowTheConsole() {
        #expect(Link().text == "/console/")
        #expect(Link("machines", "javascript:alert(1)").text == "/console/machines/javascript%3Aalert%281%29")
        #expect(Link("instances", "../..//evil?x#y").text == "/console/instances/..%2F..%2F%2Fevil%3Fx%23y")
        #expect(Link("runs", nil, [("a&b", "c=d&e"), ("f", nil)]).text == "/console/runs?a%26b=c%3Dd%26e")
        #expect(Link(target: "/console/instances?status=failed")?.text == "/console/instances?status=failed")
        for target in [
            "//evil.example/console/", "/console", "https://evil.example/console/", "/v1/status", "javascript:1", "",
            "/console/\r\nSet-Cookie: a=b", "/console/\\evil", "/console/é", "/console/../v1", "/console/a/%2e%2E/v1?x",
            "/console/" + String(repeating: "a", count: 5_000),
        ] {
            #expect(Link(target: target) == nil, "\(target)")
        }
    }

    @Test func theScriptIsAFile() {
        let script = Markup(module: .module).html
        #expect(script.hasPrefix("<script type=\"module\" src=\"/console/assets/console-"))
        #expect(script.hasSuffix(".mjs\"></script>"))
    }

    @Test func theSliderHasLinksThatDoTheSame() {
        func links(_ seq: Int64?) -> [String] {
            SeqSlider.markup("a/b", seq: seq, newest: 3).html.matches(of: /<a href="([^"]+)">/).map { String($0.1) }
        }
        let page = "/console/instances/a%2Fb"
        #expect(links(nil) == ["\(page)?seq=1", "\(page)?seq=2"])
        #expect(links(1) == ["\(page)?seq=2", page])
        #expect(links(2) == ["\(page)?seq=1", "\(page)?seq=1", "\(page)?seq=3", page])
        #expect(links(3) == ["\(page)?seq=1", "\(page)?seq=2", page])
    }

    @Test func noElementRunsOrFetchesAnything() {
        let active = ["script", "style", "img", "iframe", "object", "embed", "svg", "base", "frame", "applet", "audio"]
        for tag in Tag.allCases { #expect(!active.contains(tag.rawValue)) }
        let page = Markup.page(Tag.title { "a" }, Tag.p { "b" }).html
        #expect(page.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\"><head>"))
    }
}
